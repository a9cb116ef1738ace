/** What parquet-wasm exports. */
export type ParquetPackage = typeof import('parquet-wasm')

/** Some rows as an Arrow IPC stream. */
export interface ArrowSlice {
  rows: number
  ipc: Uint8Array
}

/** Rows are written when they are about as many, or as long. */
const GROUP_ROWS = 122_880
const GROUP_BYTES = 16 * 1024 ** 2

/** Writes slices of one schema as a Parquet file by parquet-wasm. It asks for a slice when it has written the last. */
export class ParquetStream {
  readonly #slices: AsyncGenerator<ArrowSlice>
  readonly #parquet: ParquetPackage
  /** The writer takes a failure of its input for the end, and goes on to read it when its output is not wanted. */
  #failure: { cause: unknown } | null = null
  #isOver = false
  #rows = 0

  constructor(slices: AsyncGenerator<ArrowSlice>, parquet: ParquetPackage) {
    this.#slices = slices
    this.#parquet = parquet
  }

  /** The bytes of the file. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    const { Compression, transformParquetStream, WriterPropertiesBuilder } = this.#parquet
    const properties = new WriterPropertiesBuilder()
      .setCompression(Compression.SNAPPY)
      .setMaxRowGroupSize(GROUP_ROWS)
      .setMaxRowGroupBytes(GROUP_BYTES)
      .build()
    const input = new ReadableStream({ pull: controller => this.#pull(controller) }, { highWaterMark: 0 })
    const output: ReadableStream<Uint8Array> = await transformParquetStream(input, properties).catch(
      cause => {
        throw this.#failure?.cause ?? cause
      },
    )
    const reader = output.getReader()
    let bytes = 0
    let last: Uint8Array = new Uint8Array()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (this.#failure) throw this.#failure.cause
        if (done) break
        bytes += value.length
        last = value
        yield value
      }
    } finally {
      this.#isOver = true
      await reader.cancel()
    }
    await this.#refuseLoss(last, bytes)
  }

  /** Ends the slices. */
  async close(): Promise<void> {
    this.#isOver = true
    await this.#slices.return(undefined)
  }

  async #pull(controller: ReadableStreamDefaultController): Promise<void> {
    try {
      const next = this.#isOver ? null : await this.#slices.next()
      if (!next || next.done) return controller.close()
      const table = this.#parquet.Table.fromIPCStream(next.value.ipc)
      for (const batch of table.recordBatches()) controller.enqueue(batch)
      table.free() // not so the batches: the writer does
      this.#rows += next.value.rows
    } catch (cause) {
      this.#failure = { cause }
      controller.close()
    }
  }

  /** Compares the rows in the footer with those that were given: the writer drops batches that it cannot write. */
  async #refuseLoss(tail: Uint8Array, bytes: number): Promise<void> {
    const file = await this.#parquet.ParquetFile.fromFile(tailOf(tail, bytes))
    const rows = file.metadata().fileMetadata().numRows()
    file.free()
    if (rows !== this.#rows) throw new Error(`parquet-wasm has written ${rows} of ${this.#rows} rows`)
  }
}

/** The end of a file, of which nothing else is read. */
function tailOf(tail: Uint8Array, bytes: number): Blob {
  const before = bytes - tail.length
  const slice = (start: number, end: number) => new Blob([tail.slice(start - before, end - before)])
  return { size: bytes, slice } as Blob
}
