import type { Connection } from './duckdb.js'

/**
 * Rules of the optimizer that are known to answer wrongly in the reviewed version of the engine. `docs/answers.md` has a
 * statement, the right rows and the cost for each; they are off in builds and seals as well.
 */
const WRONG_RULES = ['common_subplan', 'window_self_join']
/**
 * A rule that is wrong for some statements only, and to which page 1 of a sorted result owes its speed: its filter on the
 * rows that it reads goes through a cast to a narrower integer and compares values of the one type with the other.
 */
const TOP_N = 'top_n'

/** The setting that turns rules off, for the whole instance. It can be changed after the configuration is locked. */
export const RULES_SETTING = 'disabled_optimizers'
/** The rules that are off unless a statement is known to be right with all but the wrong ones. */
export const RULES_OFF = [...WRONG_RULES, TOP_N].join(',')

/** Every name of a type that is an integer, see `TYPES`. */
const INTEGERS = /\b(u?(tiny|small|big|huge)?int(eger|egral|\d+)?|short|long|signed|oid)\b/i

/**
 * Whether all but the wrong rules are right for a statement: it casts to no integer. A cast names its type, which stands
 * in the text as it is, since identifiers have no escapes. A column that is called so costs speed alone.
 */
export function keepsTopN(sql: string): boolean {
  return !INTEGERS.test(sql)
}

/** Turns the rules off that are wrong for a statement, and the others on. */
export async function setRules(connection: Connection, isTopNRight: boolean): Promise<void> {
  const off = isTopNRight ? WRONG_RULES.join(',') : RULES_OFF
  await connection.run(`SET GLOBAL ${RULES_SETTING} = '${off}'`)
}
