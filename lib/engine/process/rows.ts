import type { DuckDBConnection } from '@duckdb/node-api'
import { rowTooLarge } from '../failure.js'
import type { RowsJob, RowsPage } from '../jobs.js'
import { holdsJson, type ResultColumn, rowAsJson, UnsupportedType, uniqueNames } from '../projection.js'
import { describeFailure, KnownFailure } from './failure.js'
import { mendJson } from './mend.js'

/** Columns beyond which a result is refused: binding and naming them costs more than any reader needs. */
const MAX_COLUMNS = 4096

/** Binds the caller's own text: its errors point into it, and its columns say how rows are written. */
export async function resultColumns(connection: DuckDBConnection, statement: string): Promise<ResultColumn[]> {
  const prepared = await connection.prepare(statement)
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

/**
 * Runs SQL of ours with the caller's statement as a table in it, whose columns are named c0, c1 … What the engine says
 * of a place is moved from our text into the caller's.
 */
export async function runAround<Value>(
  parts: { before: string; statement: string; columns: readonly ResultColumn[]; after: string },
  run: (sql: string) => Promise<Value>,
): Promise<Value> {
  const names = parts.columns.map((_, index) => `c${index}`).join(', ')
  const before = `${parts.before} (\n`
  try {
    return await run(`${before}${parts.statement}\n) AS q(${names}) ${parts.after}`)
  } catch (cause) {
    const failure = describeFailure(cause)
    if (failure.offset === undefined) throw cause
    const { offset, ...rest } = failure
    const moved = offset - Buffer.byteLength(before)
    if (moved >= 0 && moved <= Buffer.byteLength(parts.statement)) throw new KnownFailure({ ...rest, offset: moved })
    // The statement was bound before: a fault outside it is ours.
    throw new KnownFailure({ kind: 'fault', text: 'The engine failed.', cause: failure.cause ?? failure.text })
  }
}

/** SQL made from the columns of a result; types that it cannot carry are the query's fault. */
export function project<Sql>(write: () => Sql): Sql {
  try {
    return write()
  } catch (cause) {
    if (cause instanceof UnsupportedType) throw refused(`A result cannot hold ${cause.message}. Cast them to VARCHAR.`)
    throw cause
  }
}

/** One page of a statement's rows, ended early by the size of a page. */
export async function producePage(connection: DuckDBConnection, job: RowsJob): Promise<RowsPage> {
  const columns = await resultColumns(connection, job.statement)
  const row = project(() => rowAsJson(columns))
  const after = `LIMIT ${job.limit + 1} OFFSET ${job.offset}`
  const sql = { before: `SELECT ${row} FROM`, statement: job.statement, columns, after }
  const mend = columns.some(column => holdsJson(column.type))
  return runAround(sql, async text => {
    const page = new PageWriter(job)
    // A page fits one chunk or two, and each step of a stream would cost two changes of thread.
    const result = await connection.run(text)
    for (let index = 0; index < result.chunkCount; index++) {
      for (const value of result.getChunk(index).getColumnValues(0)) {
        if (!page.add(mend ? mendJson(value as string) : (value as string))) return page.end(true)
      }
    }
    return page.end(false)
  })
}

const COMMA = Buffer.from(',')

/** Collects rows until the page is full. */
class PageWriter {
  readonly #job: RowsJob
  readonly #parts: Buffer[] = []
  #bytes = 0
  #rows = 0

  constructor(job: RowsJob) {
    this.#job = job
  }

  /** False when the row does not fit any more: it opens the next page. */
  add(row: string): boolean {
    const { limit, offset, pageBytes, rowBytes } = this.#job
    if (this.#rows === limit) return false
    const part = Buffer.from(row)
    if (this.#rows > 0 && (part.length > rowBytes || this.#bytes + part.length > pageBytes)) return false
    if (part.length > rowBytes) throw new KnownFailure({ kind: 'row-bytes', text: rowTooLarge(offset, rowBytes) })
    if (this.#rows > 0) this.#parts.push(COMMA)
    this.#parts.push(part)
    this.#bytes += part.length
    this.#rows += 1
    return true
  }

  end(more: boolean): RowsPage {
    return { json: Buffer.concat(this.#parts), rows: this.#rows, more }
  }
}

function refused(text: string): KnownFailure {
  return new KnownFailure({ kind: 'query', text })
}
