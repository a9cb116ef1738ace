import { once } from 'node:events'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { ArrowWriter } from '../../values/arrow.js'
import type { ExportJob } from '../jobs.js'
import { type CopiedRows, fileTooLarge, type StatementCopy } from './copy.js'
import type { Connection } from './duckdb.js'
import type { ParquetAnswer } from './read-parquet.js'
import { atPrecision, copyParquet } from './write-parquet.js'

/** The file is read back at once, so it is compressed quickly rather than well. */
const COMPRESSION = 'COMPRESSION snappy'
/** A file for each group of rows, so that it can be read while the next one is written. */
const PARTS = `${COMPRESSION}, FILE_SIZE_BYTES '1MB', OVERWRITE_OR_IGNORE`
const LOOK_EVERY_MS = 10

import.meta.resolve('parquet-wasm') // which the thread imports; throws now if it is not installed

const CODE_MIB = 32

/** A thread that reads Parquet, see read-parquet.ts. */
class ParquetReader {
  // By default, a thread of Node 24 reserves 512 MiB for code, which would count towards the cap of the
  // process.
  readonly #thread = new Worker(new URL('./read-parquet.js', import.meta.url), {
    resourceLimits: { codeRangeSizeMb: CODE_MIB },
  })
  #failure: { cause: unknown } | null = null

  /** Memory of the thread after the last file. */
  heldBytes = 0

  constructor() {
    this.#thread.on('error', cause => {
      this.#failure = { cause }
    })
    this.#thread.unref()
  }

  /** The streams of a file; the thread reads the next one meanwhile. */
  async *read(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const ask = (message: string | null) => {
      if (this.#failure) throw this.#failure.cause
      this.#thread.postMessage(message)
      // Also rejects when the thread fails. A race with a promise of the thread would keep every answer in
      // memory.
      const answered = once(this.#thread, 'message', { signal }) as Promise<[ParquetAnswer]>
      answered.catch(() => {}) // awaited below
      return answered
    }
    for (let coming = ask(path); ; ) {
      const [answer] = await coming
      if (typeof answer === 'number') {
        this.heldBytes = answer
        return
      }
      coming = ask(null)
      yield answer
    }
  }

  end(): Promise<unknown> {
    return this.#thread.terminate()
  }
}

const MOST_KEPT_BYTES = 128 * 1024 ** 2
/** A thread without much memory, which has compiled what it runs. */
let kept: ParquetReader | null = null

/** Writes an Arrow IPC stream with the types of Parquet, which another thread reads from Parquet files. */
export function writeArrow(
  connection: Connection,
  copying: StatementCopy,
  job: Pick<ExportJob, 'metadata'>,
  threads: number,
): Promise<CopiedRows> {
  return atPrecision(async nanoseconds => {
    const folder = `${copying.path}.parts`
    await mkdir(folder)
    try {
      // With several threads, the rows of several files would be out of order.
      const [path, options] = threads === 1 ? [folder, PARTS] : [join(folder, partOf(0)), COMPRESSION]
      const parts = copyParquet(connection, { ...copying, path }, job, { nanoseconds, options })
      return await convert(parts, folder, copying).catch(async cause => {
        connection.interrupt()
        await parts.catch(() => {})
        throw cause
      })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
}

/** Writes the rows of the files in a folder, which are still being written, as one stream. */
async function convert(
  parts: Promise<CopiedRows>,
  folder: string,
  copying: StatementCopy,
): Promise<CopiedRows> {
  const reader = kept ?? new ParquetReader() // which starts while the engine runs the statement
  kept = null
  let isWhole = false
  try {
    const written = await compress(streamsOf(parts, { folder, reader, signal: copying.signal }), copying)
    const { rows } = await parts
    if (written.rows !== rows) throw new Error(`${written.rows} of ${rows} rows came from the Parquet files`)
    isWhole = true
    return written
  } finally {
    if (isWhole && reader.heldBytes <= MOST_KEPT_BYTES) kept = reader
    else await reader.end()
  }
}

/** Names of the files, as the engine numbers them. */
function partOf(part: number): string {
  return `data_${part}.parquet`
}

/** The streams of the files in a folder, each read as soon as it is complete. */
async function* streamsOf(
  writing: Promise<unknown>,
  { folder, reader, signal }: { folder: string; reader: ParquetReader; signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  let isWritten = false
  const written = writing.then(() => {
    isWritten = true
  })
  written.catch(() => {}) // the next wait reports it
  const isThere = (part: number) => existsSync(join(folder, partOf(part)))
  for (let part = 0; ; part++) {
    // The engine completes a file after it has opened the next one, and before the one after that.
    while (!isWritten && !isThere(part + 2)) await Promise.race([written, setTimeout(LOOK_EVERY_MS)])
    if (!isThere(part)) return
    const file = join(folder, partOf(part))
    yield* reader.read(file, signal)
    await rm(file)
  }
}

/** Writes IPC streams of one schema as one. */
async function compress(
  streams: AsyncIterable<Uint8Array>,
  { path, maxBytes, signal }: StatementCopy,
): Promise<CopiedRows> {
  const writer = new ArrowWriter()
  const file = createWriteStream(path)
  const piped = pipeline(writer, file, { signal })
  piped.catch(() => {}) // awaited below
  let rows = 0
  try {
    for await (const stream of streams) {
      rows += writer.add(stream)
      if (file.bytesWritten > maxBytes) break
      if (file.writableNeedDrain) await once(file, 'drain', { signal })
    }
    writer.finish()
    await piped
    if (file.bytesWritten > maxBytes) throw fileTooLarge(maxBytes)
    return { rows, bytes: file.bytesWritten }
  } catch (cause) {
    file.destroy()
    await rm(path, { force: true })
    throw signal.aborted ? signal.reason : cause
  }
}
