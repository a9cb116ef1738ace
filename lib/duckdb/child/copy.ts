import type { Statement } from '../../engine/port.js'
import { literal } from '../../values/quote.js'
import type { ResultColumn } from '../../values/types.js'
import { run, runAround } from './bound-statement.js'
import { writeBounded } from './bounded.js'
import type { Connection } from './duckdb.js'
import { KnownFailure } from './duckdb-failure.js'

/** A caller's statement, the file that its rows go to, and when to stop. */
export interface Copying {
  statement: Statement
  columns: readonly ResultColumn[]
  path: string
  maxBytes: number
  /** Aborted when the job must stop; the engine is interrupted separately. */
  signal: AbortSignal
}

/** What a COPY has written. */
export interface Copied {
  rows: number
  bytes: number
}

/**
 * Copies the rows of a statement to a file: `select` over its columns, which are named c0, c1 …, in the
 * format of `options`. Fails when the file passes `maxBytes`.
 */
export async function copyRows(
  connection: Connection,
  { statement, columns, path, maxBytes }: Copying,
  select: string,
  options: string,
): Promise<Copied> {
  const sql = {
    before: `COPY (SELECT ${select} FROM`,
    statement,
    columns,
    after: `) TO ${literal(path)} (${options})`,
  }
  const written = await writeBounded(connection, { path, maxBytes }, () =>
    runAround(sql, run(connection, statement)),
  )
  if (!written) throw fileTooLarge(maxBytes)
  return { rows: written.value.rowsChanged, bytes: written.bytes }
}

/** The failure of an export whose file passed the limit. */
export function fileTooLarge(maxBytes: number): KnownFailure {
  const text = `The file passed ${maxBytes} bytes. Select fewer rows or columns.`
  return new KnownFailure({ kind: 'file-bytes', text })
}
