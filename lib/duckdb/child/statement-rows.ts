import { rm } from 'node:fs/promises'
import { type RowsPage, rowTooLarge } from '../../engine/port.js'
import { jsonRows } from '../../values/json.js'
import { Output, OutputFull } from '../../values/output.js'
import { literal } from '../../values/quote.js'
import type { ColumnType, ResultColumn } from '../../values/types.js'
import type { Vector } from '../../values/vector.js'
import type { RowsJob } from '../jobs.js'
import { columnsAndRows, run, runAround, stream } from './bound-statement.js'
import { type StatementCopy, writeBounded } from './copy.js'
import { bindings, type Connection, type DataChunk } from './duckdb.js'
import { KnownFailure } from './duckdb-failure.js'
import { streamClosely } from './instance.js'
import { readChunk } from './vectors.js'

/** Rows that the running job has read of a stream. */
export const streamed = { rows: 0 }

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
 * A stream that fails ends as one that is complete does, since the bindings have no access to the error. So a
 * row of ours follows the last one, which is not reached after a failure; and a statement whose stream ended early
 * runs again, so that it fails with its error. A window over the rows could mark the last one as well, but the engine
 * repeats rows under a window that it streams.
 */
export async function* streamRows(
  connection: Connection,
  { statement, columns, path, maxBytes, signal }: StatementCopy,
  range = '',
): AsyncGenerator<RowsPart> {
  const types = columns.map(({ type }) => type)
  const end = `UNION ALL SELECT ${columns.map(() => 'NULL, ').join('')}true`
  await streamClosely(connection)
  const result = await runAround(
    { before: 'SELECT *, false FROM (SELECT * FROM', statement, columns, after: `${range}) ${end}` },
    stream(connection, statement),
  )
  let isOver = false
  try {
    for (;;) {
      const chunk = await result.fetchChunk()
      signal.throwIfAborted()
      if (!chunk || chunk.rowCount === 0) break
      const vectors = readChunk(chunk, [...types, BOOLEAN])
      const isComplete = vectors.at(-1)?.value(chunk.rowCount - 1) === true
      const rows = chunk.rowCount - (isComplete ? 1 : 0)
      if (rows > 0) yield { vectors, rows, chunk }
      streamed.rows += rows
      // Its strings would stay until a garbage collection, which does not know how large they are.
      bindings.data_chunk_reset(chunk.chunk)
      isOver = isComplete
      if (isComplete) return
    }
    isOver = true
  } finally {
    if (!isOver) connection.interrupt() // ends the query: the reader wants no more rows
  }
  const again = {
    before: 'COPY (SELECT * FROM',
    statement,
    columns,
    after: `${range}) TO ${literal(path)} (FORMAT csv)`,
  }
  await writeBounded(connection, { path, maxBytes }, () => runAround(again, run(connection, statement)))
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
  const after = `LIMIT ${job.limit + 1} OFFSET ${job.offset}`
  // Not streamed: a page fits into one or two data chunks, and each step of a stream costs two thread
  // switches.
  const { columns, result } = await columnsAndRows(connection, job.statement, after)
  const types = columns.map(({ type }) => type)
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
