import { isDeepStrictEqual } from 'node:util'
import type { Statement } from '../../engine/port.js'
import { RecentMap } from '../../flow/recent.js'
import type { ColumnType, ResultColumn } from '../../values/types.js'
import type { Connection } from './duckdb.js'
import { describeFailure, KnownFailure } from './duckdb-failure.js'
import { columnType } from './types.js'

/** Declared types by how they are written, as the engine reads them. */
const known = new RecentMap<string, ColumnType>(1_000)

/** Refuses a result with other columns than the catalogue declares for its statement. */
export async function checkDeclared(
  connection: Connection,
  { columns: declared }: Statement,
  columns: readonly ResultColumn[],
): Promise<void> {
  if (!declared) return
  const expected = Object.entries(declared)
  if (expected.length !== columns.length)
    throw differing(`it yields ${columns.length} columns, and declares ${expected.length}`)
  for (const [at, [name, type]] of expected.entries()) {
    const found = columns[at]
    if (found?.name !== name)
      throw differing(`column ${at + 1} is "${found?.name}", and is declared as "${name}"`)
    if (!isDeepStrictEqual(found.type, await typeOf(connection, type)))
      throw differing(`column ${at + 1}, "${name}", is not of the declared type ${type}`)
  }
}

async function typeOf(connection: Connection, written: string): Promise<ColumnType> {
  const read = known.get(written)
  if (read) return read
  const prepared = await connection.prepare(`SELECT CAST(NULL AS ${written})`).catch(cause => {
    throw differing(`the declared type ${written} is none: ${describeFailure(cause).text}`)
  })
  try {
    const type = columnType(prepared.columnType(0))
    known.set(written, type)
    return type
  } finally {
    prepared.destroySync()
  }
}

function differing(how: string): KnownFailure {
  const text = 'The columns differ from those that the catalogue declares.'
  return new KnownFailure({ kind: 'query', text, atBinding: true, cause: `Its columns differ: ${how}` })
}
