import { RecentMap } from '../../flow/recent.js'
import { api, type Connection } from './duckdb.js'
import { castTypeOf } from './guard/literals.js'
import type { Node } from './guard/shapes.js'

/** A rule of the optimizer that answers wrongly in the reviewed version of the engine. */
interface WrongRule {
  name: string
  /** What a statement has for which the rule is wrong. Default: nothing in its text tells. */
  wrongFor?: (sql: string, treeOf: () => Promise<unknown>) => boolean | Promise<boolean>
}

/** Every name of a type that is an integer, see `TYPES`. */
const INTEGERS = /\b(u?(tiny|small|big|huge)?int(eger|egral|\d+)?|short|long|signed|oid)\b/i

/**
 * `docs/answers.md` has a statement, the right rows and the cost for each. A cast names its type, which stands in the text
 * as it is, since identifiers have no escapes; a column that is called so costs speed alone.
 */
const WRONG_RULES: readonly WrongRule[] = [
  { name: 'common_subplan' },
  { name: 'window_self_join' },
  // It drops a join below UNNEST, whose rows then are those of the other side alone.
  { name: 'join_elimination' },
  // Its filter on the rows that are read goes through a cast to a narrower integer, and compares values of two types.
  { name: 'top_n', wrongFor: sql => INTEGERS.test(sql) },
  // It drops the condition that a row differs in another column.
  { name: 'deliminator', wrongFor: sql => /\bexists\b/i.test(sql) },
  // It compares the value under a cast, also one that the cast makes NULL, and makes NULL true or false in comparisons of
  // date_trunc, and in `a = b OR (a IS NULL AND b IS NULL)`.
  {
    name: 'expression_rewriter',
    wrongFor: async (sql, treeOf) =>
      (/\bor\b/i.test(sql) && (sql.match(/\b(is)?null\b/gi) ?? []).length > 1) ||
      (/cast|::|trunc/i.test(sql) && comparesChanged(await treeOf())),
  },
]

/** The setting that turns rules off, for the whole instance. It can be changed after the configuration is locked. */
export const RULES_SETTING = 'disabled_optimizers'
/** All rules that are wrong for some statement: they are off where no statement is known. */
export const ALL_OFF = WRONG_RULES.map(({ name }) => name).join(',')

/** Statements whose rules are remembered. */
const MOST_KEPT = 256
const kept = new RecentMap<string, string>(MOST_KEPT)

/** The parser's tree of a statement, which the guard has accepted or the catalogue has. */
export async function treeOf(connection: Connection, sql: string): Promise<{ statements?: unknown }> {
  const told = await connection.run(
    'SELECT system.main.json_serialize_sql($1::VARCHAR)',
    [sql],
    [api.VARCHAR],
  )
  return JSON.parse(String(told.getChunk(0).getColumnValues(0)[0])) as { statements?: unknown }
}

/** The rules that are wrong for a statement. */
export async function rulesOff(connection: Connection, sql: string): Promise<string> {
  const known = kept.get(sql)
  if (known !== undefined) return known
  const tree = () => treeOf(connection, sql)
  const off: string[] = []
  for (const { name, wrongFor } of WRONG_RULES) if (!wrongFor || (await wrongFor(sql, tree))) off.push(name)
  kept.set(sql, off.join(','))
  return off.join(',')
}

/** Turns rules off, and all others on. */
export async function setRules(connection: Connection, off: string): Promise<void> {
  await connection.run(`SET GLOBAL ${RULES_SETTING} = '${off}'`)
}

/** Types for which a value under the cast compares as the value that the cast makes. */
const KEPT_TYPES = /^(DATE|TIME|TIMESTAMP|DOUBLE|FLOAT|BOOLEAN|INTERVAL|UUID|BLOB|JSON)/
/** Functions that change a value so that the rule compares another one. */
const CHANGING = new Set(['date_trunc', 'datetrunc'])
/** Functions that compare their arguments. */
const COMPARING = new Set(['nullif'])

/** Whether a tree of the parser compares what a cast or such a function makes, itself or by the name that it has. */
function comparesChanged(tree: unknown, aliases: ReadonlySet<string> = new Set()): boolean {
  if (Array.isArray(tree)) return tree.some(each => comparesChanged(each, aliases))
  if (typeof tree !== 'object' || tree === null) return false
  const node = tree as Node
  // The parser gives no tree to a text that it cannot read; nothing is known of it then.
  if (node.error === true) return true
  const names = Array.isArray(node.select_list) ? namesOfChanged(node.select_list as Node[]) : aliases
  return operandsOf(node).some(each => isChanged(each, names)) || comparesChanged(Object.values(node), names)
}

function operandsOf(node: Node): unknown[] {
  if (node.class === 'COMPARISON') return [node.left, node.right]
  if (node.class === 'BETWEEN') return [node.input, node.lower, node.upper]
  if (/^COMPARE_(NOT_)?IN$/.test(String(node.type))) return [node.children]
  return node.class === 'FUNCTION' && COMPARING.has(String(node.function_name)) ? [node.children] : []
}

function namesOfChanged(selected: readonly Node[]): ReadonlySet<string> {
  const made = selected.filter(each => each.alias !== '' && isChanged(each, new Set()))
  return new Set(made.map(({ alias }) => String(alias).toLowerCase()))
}

/** Whether an operand has something that changes values, but for subqueries, whose columns are compared as they are. */
function isChanged(operand: unknown, aliases: ReadonlySet<string>): boolean {
  if (Array.isArray(operand)) return operand.some(each => isChanged(each, aliases))
  if (typeof operand !== 'object' || operand === null) return false
  const node = operand as Node
  if (node.class === 'SUBQUERY') return false
  if (node.class === 'FUNCTION' && CHANGING.has(String(node.function_name).toLowerCase())) return true
  if (node.class === 'CAST' && !KEPT_TYPES.test(castTypeOf(node))) return true
  if (node.class === 'COLUMN_REF')
    return aliases.has(String((node.column_names as string[]).at(-1)).toLowerCase())
  return isChanged(Object.values(node), aliases)
}
