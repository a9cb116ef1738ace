import { type EngineFault, faultIn } from '../../guard/engine-faults.js'
import { literal } from '../../values/quote.js'
import type { Trial } from './trial.js'

/** What the engine's parser reads in a piece of SQL. */
export interface ParsedSql {
  /** Number of statements. */
  statements: number
  /** Names in FROM, lower case, as far as no WITH defines them. */
  names: ReadonlySet<string>
  /** Whether its columns are those that the rows have values for, as those of a PIVOT without IN are. */
  isDynamic: boolean
  /** A form that the engine answers wrongly. */
  fault: EngineFault | null
}

interface Tree {
  error: boolean
  error_message?: string
  statements?: unknown[]
}

/** Parses SQL; null for what does not parse. */
export async function parseSql(trial: Trial, sql: readonly string[]): Promise<(ParsedSql | null)[]> {
  if (sql.length === 0) return []
  const list = sql.map(literal).join(', ')
  const trees = await trial.rows(
    `SELECT place, CAST(json_serialize_sql(statement) AS VARCHAR) AS tree
     FROM (SELECT unnest(range(${sql.length})) AS place, unnest([${list}]) AS statement) ORDER BY place`,
    [],
    sql.length,
  )
  return trees.map((row, at) => {
    const { error, error_message: said = '', statements = [] } = JSON.parse(String(row.tree)) as Tree
    const names = new Set<string>()
    // The engine reads a PIVOT without IN as several statements, and shows no tree of it.
    if (error && said.startsWith('Only SELECT') && /\bpivot/i.test(sql[at] ?? ''))
      return { statements: 1, names, isDynamic: true, fault: null }
    if (error) return null
    collect(statements, new Set(), names)
    return { statements: statements.length, names, isDynamic: false, fault: faultIn(statements) }
  })
}

function collect(node: unknown, common: ReadonlySet<string>, names: Set<string>): void {
  if (Array.isArray(node)) for (const each of node) collect(each, common, names)
  if (node === null || typeof node !== 'object' || Array.isArray(node)) return
  const { type, table_name: table, schema_name: schema, cte_map: ctes, ...more } = node as Node
  if (type === 'BASE_TABLE' && typeof table === 'string' && !schema && !common.has(table.toLowerCase()))
    names.add(table.toLowerCase())
  const visible = new Set(common)
  for (const { key, value } of ctes?.map ?? []) {
    // A name of WITH is visible to what comes after it, and to its own query only if that is recursive.
    const own = JSON.stringify(value).includes('"RECURSIVE_CTE_NODE"') ? [key.toLowerCase()] : []
    collect(value, new Set([...visible, ...own]), names)
    visible.add(key.toLowerCase())
  }
  for (const each of Object.values(more)) collect(each, visible, names)
}

interface Node {
  type?: unknown
  table_name?: unknown
  schema_name?: unknown
  cte_map?: { map?: { key: string; value: unknown }[] }
}
