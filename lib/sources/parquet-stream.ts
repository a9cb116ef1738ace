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
export async function* parquetOf(
  slices: AsyncGenerator<ArrowSlice>,
  { Compression, ParquetFile, Table, transformParquetStream, WriterPropertiesBuilder }: ParquetPackage,
): AsyncGenerator<Uint8Array> {
  /** The writer takes a failure of its input for the end, and goes on to read it when its output is not wanted. */
  const input = { failure: null as { cause: unknown } | null, isOver: false, rows: 0 }
  const pull = async (controller: ReadableStreamDefaultController) => {
    try {
      const next = input.isOver ? null : await slices.next()
      if (!next || next.done) return controller.close()
      const table = Table.fromIPCStream(next.value.ipc)
      for (const batch of table.recordBatches()) controller.enqueue(batch)
      table.free() // not so the batches: the writer does
      input.rows += next.value.rows
    } catch (cause) {
      input.failure = { cause }
      controller.close()
    }
  }
  const properties = new WriterPropertiesBuilder()
    .setCompression(Compression.SNAPPY)
    .setMaxRowGroupSize(GROUP_ROWS)
    .setMaxRowGroupBytes(GROUP_BYTES)
    .build()
  try {
    const stream = new ReadableStream({ pull }, { highWaterMark: 0 })
    const output: ReadableStream<Uint8Array> = await transformParquetStream(stream, properties).catch(
      cause => {
        throw input.failure?.cause ?? cause
      },
    )
    const reader = output.getReader()
    let bytes = 0
    let last: Uint8Array = new Uint8Array()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (input.failure) throw input.failure.cause
        if (done) break
        bytes += value.length
        last = value
        yield value
      }
    } finally {
      input.isOver = true
      await reader.cancel()
    }
    // The writer drops batches that it cannot write.
    const file = await ParquetFile.fromFile(tailOf(last, bytes))
    const rows = file.metadata().fileMetadata().numRows()
    file.free()
    if (rows !== input.rows) throw new Error(`parquet-wasm has written ${rows} of ${input.rows} rows`)
  } finally {
    input.isOver = true
    await slices.return(undefined)
  }
}

/** The end of a file, of which nothing else is read. */
function tailOf(tail: Uint8Array, bytes: number): Blob {
  const before = bytes - tail.length
  const slice = (start: number, end: number) => new Blob([tail.slice(start - before, end - before)])
  return { size: bytes, slice } as Blob
}
