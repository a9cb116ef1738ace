import { rm, stat } from 'node:fs/promises'
import { literal } from '../../values/quote.js'
import type { ResultColumn } from '../../values/types.js'
import type { JobStatement } from '../jobs.js'
import { run, runAround } from './bound-statement.js'
import type { Connection } from './duckdb.js'
import { KnownFailure } from './duckdb-failure.js'

/** A caller's statement, the file that its rows go to, and when to stop. */
export interface StatementCopy {
  statement: JobStatement
  columns: readonly ResultColumn[]
  path: string
  maxBytes: number
  /** Aborted when the job must stop; the engine is interrupted separately. */
  signal: AbortSignal
}

/** The rows of a file that was written. */
export interface CopiedRows {
  rows: number
  bytes: number
}

/**
 * Copies the rows of a statement to a file: `select` over its columns, which are named c0, c1 …, in the
 * format of `options`. Fails when the file passes `maxBytes`.
 */
export async function copyRows(
  connection: Connection,
  { statement, columns, path, maxBytes }: StatementCopy,
  select: string,
  options: string,
): Promise<CopiedRows> {
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

const WATCH_EVERY_MS = 50

/**
 * Runs `write` and returns its value and the size of its file, or null when the file passes `maxBytes`. A
 * check every 50 ms then interrupts the connection. The file is removed in that case and after any failure.
 */
export async function writeBounded<Value>(
  connection: Connection,
  file: { path: string; maxBytes: number },
  write: () => Promise<Value>,
): Promise<{ value: Value; bytes: number } | null> {
  const { path, maxBytes } = file
  let tooLarge = false
  const watch = setInterval(async () => {
    tooLarge ||= (await sizeOf(path)) > maxBytes
    if (tooLarge) connection.interrupt()
  }, WATCH_EVERY_MS)
  try {
    const value = await write()
    const bytes = await sizeOf(path)
    if (!tooLarge && bytes <= maxBytes) return { value, bytes }
  } catch (cause) {
    if (!tooLarge) {
      await rm(path, { recursive: true, force: true })
      throw cause
    }
  } finally {
    clearInterval(watch)
  }
  await rm(path, { recursive: true, force: true })
  return null
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0
}
