import { isUtf8 } from 'node:buffer'
import type { DuckDBBlobVector } from '@duckdb/node-api'
import type { RowsPage } from '../../engine/port.js'
import { rowTooLarge } from '../../engine/port.js'
import { uniqueNames } from '../../engine/unique-names.js'
import type { JobFailure, RowsJob } from '../jobs.js'
import type { Connection } from './duckdb.js'
import { describeFailure, KnownFailure } from './duckdb-failure.js'
import { NOT_UTF8, type ResultColumn, rowAsJson, UnsupportedType } from './projection.js'

/** Results with more columns are refused: binding and naming them is too expensive. */
const MAX_COLUMNS = 4096

/** Binds the caller's statement alone, so that errors point into it, and returns its columns. */
export async function resultColumns(connection: Connection, statement: string): Promise<ResultColumn[]> {
  const prepared = await connection.prepare(statement).catch(async cause => {
    throw await placed(connection, statement, describeFailure(cause))
  })
  try {
    const count = prepared.columnCount
    if (count > MAX_COLUMNS) throw refused(`The result has ${count} columns; at most ${MAX_COLUMNS} are possible.`)
    const indexes = Array.from({ length: count }, (_, index) => index)
    const names = uniqueNames(indexes.map(index => prepared.columnName(index)))
    return indexes.map(index => ({ name: names[index] as string, type: prepared.columnType(index) }))
  } finally {
    prepared.destroySync()
  }
}

/** DuckDB also reports offsets within its macros. These do not move with the statement, and are dropped. */
async function placed(connection: Connection, statement: string, failure: JobFailure): Promise<KnownFailure> {
  const { offset, ...rest } = failure
  if (offset === undefined) return new KnownFailure(rest)
  const moved = await connection.prepare(` ${statement}`).then(
    prepared => void prepared.destroySync(),
    cause => describeFailure(cause).offset,
  )
  return new KnownFailure(moved === offset + 1 ? failure : rest)
}

/** Longer than any macro, so that an offset within a macro lies outside the statement. */
const MARGIN = 2048

/**
 * Runs our SQL with the caller's statement as a derived table whose columns are named c0, c1 … Converts offsets in
 * errors to offsets in the caller's statement.
 */
export async function runAround<Value>(
  parts: { before: string; statement: string; columns: readonly ResultColumn[]; after: string },
  run: (sql: string) => Promise<Value>,
): Promise<Value> {
  const names = parts.columns.map((_, index) => `c${index}`).join(', ')
  const before = `${parts.before} (\n`.padStart(MARGIN)
  try {
    return await run(`${before}${parts.statement}\n) AS q(${names}) ${parts.after}`)
  } catch (cause) {
    const { offset, ...failure } = describeFailure(cause)
    const moved = (offset ?? -1) - Buffer.byteLength(before)
    if (moved >= 0 && moved <= Buffer.byteLength(parts.statement)) throw new KnownFailure({ ...failure, offset: moved })
    // The statement has bound on its own, so a binding error outside it is a fault of our SQL.
    if (failure.atBinding && offset !== undefined)
      throw new KnownFailure({ ...failure, kind: 'fault', text: 'The engine failed.' })
    throw new KnownFailure(failure)
  }
}

/** Runs `write`; a type that it cannot represent is a failure of the query. */
export function project<Sql>(write: () => Sql): Sql {
  try {
    return write()
  } catch (cause) {
    if (cause instanceof UnsupportedType) throw refused(`A result cannot hold ${cause.message}. Cast them to VARCHAR.`)
    throw cause
  }
}

/** One page of a statement's rows, which ends early at `pageBytes`. */
export async function producePage(connection: Connection, job: RowsJob): Promise<RowsPage> {
  const columns = await resultColumns(connection, job.statement)
  const row = project(() => rowAsJson(columns, job.rowBytes))
  const after = `LIMIT ${job.limit + 1} OFFSET ${job.offset}`
  const sql = { before: `SELECT encode(${row}) FROM`, statement: job.statement, columns, after }
  return runAround(sql, async text => {
    const page = new PageWriter(job, columns)
    // Not streamed: a page fits into one or two data chunks, and each step of a stream costs two thread switches.
    const result = await connection.run(text)
    for (let index = 0; index < result.chunkCount; index++) {
      const rows = result.getChunk(index).getColumnVector(0) as DuckDBBlobVector
      for (let at = 0; at < rows.itemCount; at++)
        if (!page.add(rows.getItemBytes(at) as Uint8Array)) return page.end(true)
    }
    return page.end(false)
  })
}

const COMMA = Buffer.from(',')

/** Collects rows until the page is full. */
class PageWriter {
  readonly #job: RowsJob
  readonly #columns: readonly ResultColumn[]
  readonly #parts: Uint8Array[] = []
  #bytes = 0
  #rows = 0

  constructor(job: RowsJob, columns: readonly ResultColumn[]) {
    this.#job = job
    this.#columns = columns
  }

  /** Adds a row. False when it does not fit: it starts the next page. */
  add(row: Uint8Array): boolean {
    const { limit, offset, pageBytes, rowBytes } = this.#job
    if (this.#rows === limit) return false
    if (this.#rows > 0 && (row.length > rowBytes || this.#bytes + row.length > pageBytes)) return false
    if (row.length > rowBytes) throw new KnownFailure({ kind: 'row-bytes', text: rowTooLarge(offset, rowBytes) })
    if (this.#rows > 0) this.#parts.push(COMMA)
    this.#parts.push(row)
    this.#bytes += row.length
    this.#rows += 1
    return true
  }

  end(more: boolean): RowsPage {
    const json = Buffer.concat(this.#parts)
    if (!isUtf8(json)) throw refused(NOT_UTF8)
    const columns = this.#rows > 0 ? {} : { columns: this.#columns.map(({ name }) => name) }
    return { json, rows: this.#rows, more, ...columns }
  }
}

function refused(text: string): KnownFailure {
  return new KnownFailure({ kind: 'query', text })
}
