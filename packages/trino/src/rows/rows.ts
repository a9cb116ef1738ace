import { open } from 'node:fs/promises'
import { type ChunkRange, EngineFailure, type RowsPage, type WrittenChunk } from 'foldgate/engine'
import { type PageRange, RowsLeftOut, rowTooLarge, UnsupportedType } from 'foldgate/internal'
import type { RowBatch } from '../protocol/client.js'
import { rowWriter, UnsupportedValue } from '../values/json-writer.js'
import type { TrinoColumn } from '../values/type-signatures.js'

/** Limits of rows as JSON. */
export interface RowLimits {
  pageBytes: number
  rowBytes: number
}

/** Cuts a page from the batches of a result, and reads no more of it than that. */
export async function pageOf(
  batches: AsyncIterable<RowBatch>,
  range: PageRange,
  limits: RowLimits,
): Promise<RowsPage> {
  const { offset, limit, pageBytes = limits.pageBytes } = range
  const parts: string[] = []
  let bytes = 0
  for await (const line of linesOf(batches, offset, limits.rowBytes)) {
    const { json, size, columns } = line
    if (json === null)
      return { json: new Uint8Array(), rows: 0, more: false, columns: columns.map(({ name }) => name) }
    if (parts.length === limit || (parts.length > 0 && (size > limits.rowBytes || bytes + size > pageBytes)))
      return { json: Buffer.from(parts.join(',')), rows: parts.length, more: true }
    if (size > limits.rowBytes) throw new EngineFailure('row-bytes', rowTooLarge(offset, limits.rowBytes))
    parts.push(json)
    bytes += size
  }
  return { json: Buffer.from(parts.join(',')), rows: parts.length, more: false }
}

/** A chunk that grows larger ends there. */
const MAX_CHUNK_BYTES = 512 * 1024 ** 2
const FLUSH_BYTES = 256 * 1024

/**
 * Writes rows to a file, one JSON object per line; a file that passes the bytes of a chunk ends there. If it
 * fails, the file stays.
 */
export async function writeLines(
  batches: AsyncIterable<RowBatch>,
  { offset, limit, before = [], mostBytes = MAX_CHUNK_BYTES }: ChunkRange,
  limits: RowLimits,
  path: string,
): Promise<WrittenChunk> {
  const leftOut = await RowsLeftOut.read(before)
  // Rows to skip are among those that are not left out, so each of both is looked at.
  const isEachRead = leftOut.count > 0
  let skipped = isEachRead ? offset : 0
  const file = await open(path, 'wx', 0o600)
  try {
    let columns: readonly TrinoColumn[] = []
    let pending: string[] = []
    let [rows, bytes, flushed, more] = [0, 0, 0, false]
    const flush = async () => {
      await file.writeFile(pending.join(''))
      pending = []
      flushed = bytes
    }
    const lines = linesOf(batches, isEachRead ? 0 : offset, limits.rowBytes)
    for await (const { json, size, columns: named } of lines) {
      columns = named
      if (json === null || leftOut.meets(Buffer.from(json))) continue
      if (skipped > 0) skipped -= 1
      else if (rows === limit || bytes > mostBytes) {
        more = true
        break
      } else {
        pending.push(json, '\n')
        bytes += size + 1
        rows += 1
        if (bytes > 2 * mostBytes) throw new EngineFailure('file-bytes', 'rows are too large')
        if (bytes - flushed > FLUSH_BYTES) await flush()
      }
    }
    await flush()
    return { path, rows, bytes, more, ...(rows > 0 ? {} : { columns: columns.map(({ name }) => name) }) }
  } finally {
    await file.close()
  }
}

/** A row of a result as JSON; `json` is null once, of a result without rows after the ones to skip. */
interface RowLine {
  json: string | null
  size: number
  columns: readonly TrinoColumn[]
}

/**
 * The rows after the first `skip`. A row larger than `rowBytes` need not be written: its size alone tells.
 */
async function* linesOf(
  batches: AsyncIterable<RowBatch>,
  skip: number,
  rowBytes: number,
): AsyncGenerator<RowLine> {
  let seen = 0
  let columns: readonly TrinoColumn[] = []
  let write: ((row: readonly unknown[]) => string) | undefined
  for await (const batch of batches) {
    columns = batch.columns
    write ??= written(() => rowWriter(columns))
    for (const row of batch.rows.slice(Math.max(0, skip - seen))) {
      const json = written(() => (write as (row: readonly unknown[]) => string)(row))
      // Counting the bytes of a string that is far too long would take as long as writing it.
      yield { json, size: json.length > rowBytes ? json.length : Buffer.byteLength(json), columns }
    }
    seen += batch.rows.length
  }
  if (seen <= skip) yield { json: null, size: 0, columns }
}

/** Runs `write`; what it cannot represent is a failure of the query. */
export function written<Made>(write: () => Made): Made {
  try {
    return write()
  } catch (cause) {
    if (cause instanceof UnsupportedType)
      throw new EngineFailure('query', `A result cannot hold ${cause.message}. Cast them to VARCHAR.`)
    if (cause instanceof UnsupportedValue) throw new EngineFailure('query', cause.message)
    throw cause
  }
}
