import type { Connection } from '../../duckdb/child/duckdb.js'
import { identifier, literal } from '../../values/quote.js'
import type { Partition, SealTable } from '../job.js'
import { wrongRows } from './checks.js'

/** SQL that is true for a row of the project, and for one of no project that is known. */
export function isKept({ column, value = '', known }: Partition): string {
  const part = `CAST(${identifier(column)} AS VARCHAR)`
  const isStray = known ? ` OR ${isStrayOf(part, known)}` : ''
  return `${part} = ${literal(value)}${isStray}`
}

function isStrayOf(part: string, known: readonly string[]): string {
  return `${part} IS NULL OR ${part} NOT IN (${known.map(literal).join(', ')})`
}

/** Reports rows of no project, or of several, and removes those of other projects. */
export async function checkPartition(
  connection: Connection,
  table: SealTable,
  raw: string,
  partition: Partition,
) {
  const { column, value, known } = partition
  const part = `CAST(${identifier(column)} AS VARCHAR)`
  if (value === undefined) {
    // Of all tables: the values of those before this one are in the table of values.
    const values = identifier('values of the partition')
    await connection.run(`CREATE TABLE IF NOT EXISTS ${values} (value VARCHAR)`)
    await connection.run(`INSERT INTO ${values} SELECT DISTINCT ${part} FROM ${raw}`)
    if ((await numberIn(connection, `SELECT count(*) FROM (SELECT DISTINCT value FROM ${values})`)) <= 1)
      return []
    const message =
      'the column holds several values, or another than in the tables before: seal one project at a time'
    return [{ table: table.name, column, message }]
  }
  const strays = known
    ? await wrongRows(connection, table, raw, {
        column,
        wrong: isStrayOf(part, known),
        what: shown => (shown === '' ? 'the value is missing' : 'is the key of no project'),
      })
    : []
  await connection.run(`DELETE FROM ${raw} WHERE (${part} = ${literal(value)}) IS NOT TRUE`)
  return strays
}

/** The number that a statement returns. */
export async function numberIn(connection: Connection, sql: string): Promise<number> {
  return Number((await connection.runAndReadAll(sql)).getRows()[0]?.[0])
}
