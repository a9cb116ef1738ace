import { openAsBlob } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { ParquetFile, wasmMemory } from 'parquet-wasm'

/** Rows in memory, or the bytes of memory that the thread holds after the last ones. */
export type ParquetAnswer = Uint8Array | number

const BATCH_ROWS = 32_768
const port = parentPort as NonNullable<typeof parentPort>

/**
 * A thread that reads Parquet as Arrow IPC streams. A message names a file, or is null to go on; each has one
 * answer: first a stream of the schema alone, then one for each batch of rows. A file that it cannot read
 * ends it.
 */
async function* streamsOf(path: string): AsyncGenerator<Uint8Array> {
  const file = await ParquetFile.fromFile(await openAsBlob(path))
  try {
    yield file.schema().intoIPCStream()
    const batches = (await file.stream({ batchSize: BATCH_ROWS })) as unknown as AsyncIterable<ArrowBatch>
    for await (const batch of batches) yield batch.intoIPCStream()
  } finally {
    file.free()
  }
}

interface ArrowBatch {
  intoIPCStream(): Uint8Array
}

let streams: AsyncGenerator<Uint8Array> | undefined
port.on('message', async (path: string | null) => {
  if (path !== null) streams = streamsOf(path)
  const next = await streams?.next()
  if (next && !next.done) port.postMessage(next.value, [next.value.buffer as ArrayBuffer])
  else port.postMessage(wasmMemory().buffer.byteLength)
})
