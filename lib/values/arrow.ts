import { CompressionType, compressionRegistry, RecordBatchStreamWriter, tableFromIPC } from 'apache-arrow'
import { compressFrameSync } from 'lz4-napi'

compressionRegistry.set(CompressionType.LZ4_FRAME, {
  encode: bytes => compressFrameSync(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
})

/** Writes Arrow IPC streams of one schema as one, with LZ4 buffers. */
export class ArrowWriter extends RecordBatchStreamWriter {
  constructor() {
    super({ compressionType: CompressionType.LZ4_FRAME })
  }

  /** Adds the rows of a stream. Returns their number. */
  add(stream: Uint8Array): number {
    const table = tableFromIPC(stream)
    for (const batch of table.batches) this.write(batch) // write(table) would end the stream
    return table.numRows
  }

  /**
   * apache-arrow 21.2 puts the compressed length before a buffer, where readers expect the uncompressed one.
   */
  protected override _compressBodyBuffers(buffers: ArrayBufferView[]) {
    const made = super._compressBodyBuffers(buffers)
    buffers.forEach(({ byteLength }, index) => {
      const prefix = made.buffers[2 * index] as Uint8Array
      if (prefix.length === 0) return
      const length = new DataView(prefix.buffer, prefix.byteOffset)
      if (length.getBigInt64(0, true) >= 0) length.setBigInt64(0, BigInt(byteLength), true)
    })
    return made
  }
}
