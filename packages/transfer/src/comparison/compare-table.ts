import type { DuckDBConnection } from '@duckdb/node-api'
import { type ComparedFile, ComparisonSql, cut, scan } from './comparison-sql.js'
import type {
  ColumnDifference,
  Difference,
  RowDifference,
  RowValues,
  ShownRows,
  TablePair,
} from './difference.js'

/** Compares two versions of a table, and shows at most `limit` rows of each kind. */
export async function compareTable(
  connection: DuckDBConnection,
  { from, to, key }: TablePair,
  limit: number,
): Promise<Difference> {
  const statements = new ComparisonSql(await fileAt(connection, from), await fileAt(connection, to), key)
  const [fromRows, toRows] = (await rowsOf(connection, statements.totals())).flat().map(Number)
  const totals = { from: fromRows ?? 0, to: toRows ?? 0 }
  const places = await usableKey(connection, statements)
  const matched = { key: places?.map(place => statements.common[place] ?? '') ?? null }
  const counts = await countRows(connection, statements, places, totals)
  if (limit === 0) return { ...matched, ...counts }
  return { ...matched, ...counts, shown: await showRows(connection, statements, places, limit) }
}

/** The key, unless rows have it twice: the catalogue may have declared it after the snapshot was sealed. */
async function usableKey(
  connection: DuckDBConnection,
  statements: ComparisonSql,
): Promise<readonly number[] | null> {
  const { key } = statements
  if (!key) return null
  const [[isTwice] = []] = await rowsOf(connection, statements.duplicates(key))
  return isTwice ? null : key
}

async function countRows(
  connection: DuckDBConnection,
  statements: ComparisonSql,
  key: readonly number[] | null,
  totals: Pick<RowDifference, 'from' | 'to'>,
): Promise<{ rows: RowDifference; columns: ColumnDifference }> {
  const { columns } = statements
  if (statements.common.length === 0) {
    const rows = { ...totals, added: totals.to, removed: totals.from, changed: null }
    return { rows, columns: { ...columns, changed: [] } }
  }
  const sql = key ? statements.countsByKey(key) : statements.countsOfRows()
  const [added = 0, removed = 0, changed = 0, ...each] = (await rowsOf(connection, sql)).flat().map(Number)
  const changes = each.map((rows, at) => ({ name: statements.common[statements.rest[at] ?? -1] ?? '', rows }))
  return {
    rows: { ...totals, added, removed, changed: key && changed },
    columns: { ...columns, changed: changes.filter(({ rows }) => rows > 0) },
  }
}

async function showRows(
  connection: DuckDBConnection,
  statements: ComparisonSql,
  key: readonly number[] | null,
  limit: number,
): Promise<ShownRows> {
  if (statements.common.length === 0) return { added: [], removed: [], changed: [] }
  const ofOne = async (side: 'from' | 'to') => {
    const sql = key ? statements.rowsOfOne(side, key, limit) : statements.surplusOf(side, limit)
    const names = key ? statements.columnsOf(side) : statements.common
    const found = await rowsOf(connection, sql)
    return found.map(([times, ...values]) => ({ values: named(names, values), times: Number(times) }))
  }
  const changed = key ? await rowsOf(connection, statements.changedRows(key, limit)) : []
  return {
    added: await ofOne('to'),
    removed: await ofOne('from'),
    changed: changed.map(row => changedRow(statements, key ?? [], row)),
  }
}

function changedRow({ common, rest }: ComparisonSql, key: readonly number[], row: readonly unknown[]) {
  const names = key.map(place => common[place] ?? '')
  const columns = rest.flatMap((place, at) => {
    const [isChanged, from, to] = row.slice(key.length + 3 * at)
    return isChanged ? [{ name: common[place] ?? '', from: shown(from), to: shown(to) }] : []
  })
  return { key: named(names, row), columns }
}

function named(names: readonly string[], values: readonly unknown[]): RowValues {
  return Object.fromEntries(names.map((name, at) => [name, shown(values[at])]))
}

function shown(value: unknown): string | null {
  return value === null ? null : cut(String(value))
}

async function fileAt(connection: DuckDBConnection, path: ComparedFile['path']): Promise<ComparedFile> {
  const described = await rowsOf(connection, `DESCRIBE FROM ${scan({ path })}`)
  return { path, columns: described.map(([name, type]) => ({ name: String(name), type: String(type) })) }
}

async function rowsOf(connection: DuckDBConnection, sql: string): Promise<unknown[][]> {
  return (await connection.runAndReadAll(sql)).getRows()
}
