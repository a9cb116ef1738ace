import { rm } from 'node:fs/promises'
import type { RowsPage } from '../../engine/port.js'
import { rowTooLarge } from '../../engine/port.js'
import { uniqueNames } from '../../engine/unique-names.js'
import { jsonRows } from '../../values/json.js'
import { Output, OutputFull } from '../../values/output.js'
import { literal } from '../../values/quote.js'
import type { ColumnType, ResultColumn } from '../../values/types.js'
import type { Vector } from '../../values/vector.js'
import type { JobFailure, RowsJob } from '../jobs.js'
import { writeBounded } from './bounded.js'
import { bindings, type Connection, type DataChunk } from './duckdb.js'
import { describeFailure, KnownFailure } from './duckdb-failure.js'
import { streamClosely } from './instance.js'
import { columnType } from './types.js'
import { readChunk } from './vectors.js'

/** Results with more columns are refused: binding and naming them is too expensive. */
const MAX_COLUMNS = 4096

/** Binds the caller's statement alone, so that errors point into it, and returns its columns. */
export async function resultColumns(connection: Connection, statement: string): Promise<ResultColumn[]> {
  const prepared = await connection.prepare(statement).catch(async cause => {
    throw await placed(connection, statement, describeFailure(cause))
  })
  try {
    const count = prepared.columnCount
    if (count > MAX_COLUMNS)
      throw refused(`The result has ${count} columns; at most ${MAX_COLUMNS} are possible.`)
    const indexes = Array.from({ length: count }, (_, index) => index)
    const names = uniqueNames(indexes.map(index => prepared.columnName(index)))
    return indexes.map(index => ({
      name: names[index] as string,
      type: columnType(prepared.columnType(index)),
    }))
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
 * Runs our SQL with the caller's statement as a derived table whose columns are named c0, c1 … Converts
 * offsets in errors to offsets in the caller's statement.
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
    if (moved >= 0 && moved <= Buffer.byteLength(parts.statement))
      throw new KnownFailure({ ...failure, offset: moved })
    // The statement has bound on its own, so a binding error outside it is a fault of our SQL.
    if (failure.atBinding && offset !== undefined)
      throw new KnownFailure({ ...failure, kind: 'fault', text: 'The engine failed.' })
    throw new KnownFailure(failure)
  }
}

/**
 * A statement whose rows are streamed, a path for a file that may be written meanwhile, and what stops it.
 */
export interface Streaming {
  statement: string
  columns: readonly ResultColumn[]
  path: string
  maxBytes: number
  signal: AbortSignal
}

/** Some rows of a result; the memory of their vectors is the chunk's. */
interface RowsPart {
  vectors: readonly Vector[]
  rows: number
  chunk: DataChunk
}

/**
 * The rows of a statement, in parts of at most a few thousand; `range` is SQL after the statement. The
 * vectors of a part are read before the next one.
 *
 * A stream that fails ends as one that is complete does, since the bindings have no access to the error. So
 * each row says whether it is the last one, which the engine knows once it has asked for the next; and a
 * statement whose stream ended early runs again, so that it fails with its error.
 */
export async function* streamRows(
  connection: Connection,
  { statement, columns, path, maxBytes, signal }: Streaming,
  range = '',
): AsyncGenerator<RowsPart> {
  const types = columns.map(({ type }) => type)
  const before = 'SELECT *, lead(false, 1, true) OVER () FROM (SELECT * FROM'
  await streamClosely(connection)
  const result = await runAround({ before, statement, columns, after: `${range})` }, sql =>
    connection.stream(sql),
  )
  let isComplete = false
  let rows = 0
  // The engine computes the next part while this one is read.
  for (let coming = result.fetchChunk(); ; ) {
    const chunk = await coming
    signal.throwIfAborted()
    if (!chunk || chunk.rowCount === 0) break
    const vectors = readChunk(chunk, [...types, BOOLEAN])
    rows = chunk.rowCount
    isComplete = vectors.at(-1)?.value(rows - 1) === true
    coming = result.fetchChunk()
    coming.catch(() => {}) // awaited above
    yield { vectors, rows, chunk }
    // Its strings would stay until a garbage collection, which does not know how large they are.
    bindings.data_chunk_reset(chunk.chunk)
  }
  if (rows === 0 || isComplete) return
  const again = {
    before: 'COPY (SELECT * FROM',
    statement,
    columns,
    after: `${range}) TO ${literal(path)} (FORMAT csv)`,
  }
  await writeBounded(connection, { path, maxBytes }, () => runAround(again, sql => connection.run(sql)))
  await rm(path, { force: true })
  throw new KnownFailure({
    kind: 'fault',
    text: 'The engine failed.',
    cause: 'A stream of rows ended early.',
  })
}

const BOOLEAN: ColumnType = { kind: 'boolean' }

/** One page of a statement's rows, which ends early at `pageBytes`. */
export async function producePage(connection: Connection, job: RowsJob): Promise<RowsPage> {
  const columns = await resultColumns(connection, job.statement)
  const types = columns.map(({ type }) => type)
  const after = `LIMIT ${job.limit + 1} OFFSET ${job.offset}`
  const parts = { before: 'SELECT * FROM', statement: job.statement, columns, after }
  // Not streamed: a page fits into one or two data chunks, and each step of a stream costs two thread
  // switches.
  const result = await runAround(parts, sql => connection.run(sql))
  const page = new PageWriter(job, columns)
  for (let index = 0; index < result.chunkCount; index++) {
    const chunk = result.getChunk(index)
    const vectors = readChunk(chunk, types)
    for (let row = 0; row < chunk.rowCount; row++) if (!page.add(vectors, row)) return page.end(true)
  }
  return page.end(false)
}

/** Collects rows until the page is full. */
class PageWriter {
  readonly #job: RowsJob
  readonly #columns: readonly ResultColumn[]
  readonly #write: ReturnType<typeof jsonRows>
  readonly #out = new Output()
  #rows = 0

  constructor(job: RowsJob, columns: readonly ResultColumn[]) {
    this.#job = job
    this.#columns = columns
    this.#write = jsonRows(columns)
  }

  /** Adds a row. False when it does not fit: it starts the next page. */
  add(vectors: readonly Vector[], row: number): boolean {
    const { limit, offset, pageBytes, rowBytes } = this.#job
    if (this.#rows === limit) return false
    const before = this.#out.length
    if (this.#rows > 0) this.#out.ascii(',')
    const start = this.#out.length
    this.#out.most = start + rowBytes
    const fits =
      this.#fits(() => this.#write(vectors, row, this.#out)) && this.#out.length - start <= rowBytes
    if (!fits && this.#rows === 0)
      throw new KnownFailure({ kind: 'row-bytes', text: rowTooLarge(offset, rowBytes) })
    // The commas between rows do not count.
    if (fits && (this.#rows === 0 || this.#out.length - this.#rows <= pageBytes)) {
      this.#rows += 1
      return true
    }
    this.#out.cutTo(before)
    return false
  }

  #fits(write: () => void): boolean {
    try {
      write()
      return true
    } catch (cause) {
      if (cause instanceof OutputFull) return false
      throw cause
    }
  }

  end(more: boolean): RowsPage {
    const json = this.#out.take()
    const columns = this.#rows > 0 ? {} : { columns: this.#columns.map(({ name }) => name) }
    return { json, rows: this.#rows, more, ...columns }
  }
}

function refused(text: string): KnownFailure {
  return new KnownFailure({ kind: 'query', text })
}
