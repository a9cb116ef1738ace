import { randomBytes } from 'node:crypto'
import type { AccessRuleNames } from './access-rules.js'

/** How a statement ended: its rows, and Trino's name of the error if it failed. */
export interface ProbeOutcome {
  rows: readonly (readonly unknown[])[]
  errorName: string | null
}

/**
 * Runs a statement as a user, with `foldgate/<hexadecimal digits>` as its source. Throws if Trino cannot be
 * reached.
 */
export type RunAs = (user: string, sql: string) => Promise<ProbeOutcome>

/**
 * Session properties that the limits of the rules set, but for `query_max_memory`, which Trino shows nobody.
 */
const LIMITS = [
  'query_max_cpu_time',
  'query_max_execution_time',
  'query_max_planning_time',
  'query_max_run_time',
  'query_max_scan_physical_bytes',
]
const DENIED = 'PERMISSION_DENIED'
const PYTHON = `WITH FUNCTION f() RETURNS bigint LANGUAGE PYTHON WITH (handler = 'f') AS $$
def f():
  return 1
$$ SELECT f()`

/**
 * Tries, as users of points of view, what the rules must refuse. Makes two schemas for that, and removes
 * them. Throws an Error that lists what the cluster lets callers do, and says what to change: the service
 * must not serve then.
 *
 * @example
 * ```ts
 * await probe(runAs, { catalog: 'foldgate', user: 'foldgate', prefix: '' })
 * ```
 */
export async function probe(run: RunAs, names: AccessRuleNames): Promise<void> {
  const [own, other] = [nameOf(names), nameOf(names)]
  const view = (schema: string) => `"${names.catalog}"."${schema}".probe`
  const made: string[] = []
  const prepare = async (sql: string) => {
    const { errorName } = await run(names.user, sql)
    if (errorName)
      throw new Error(
        `The user ${names.user} cannot prepare the check of the cluster (${errorName}): ${ADVICE}`,
      )
  }
  try {
    for (const schema of [own, other]) {
      await prepare(`CREATE SCHEMA "${names.catalog}"."${schema}"`)
      made.push(schema)
      await prepare(`CREATE VIEW ${view(schema)} SECURITY DEFINER AS SELECT 1 AS n`)
    }
    const problems = await findProblems(run, { own, other, view, service: names.user })
    if (problems.length > 0)
      throw new Error(`The cluster does not keep callers apart: ${problems.join('; ')}. ${ADVICE}`)
  } finally {
    // What the check has found counts for more than a schema that is left.
    for (const schema of made) {
      await run(names.user, `DROP VIEW IF EXISTS ${view(schema)}`).catch(() => {})
      await run(names.user, `DROP SCHEMA IF EXISTS "${names.catalog}"."${schema}" CASCADE`).catch(() => {})
    }
  }
}

const ADVICE = 'Install the files that "foldgate-trino rules" writes, for the same catalog, user and prefix.'

interface Probed {
  own: string
  other: string
  view: (schema: string) => string
  service: string
}

async function findProblems(run: RunAs, { own, other, view }: Probed): Promise<string[]> {
  const problems: string[] = []
  const table = view(own).replace(/probe$/, 'probe_table')
  const forbidden: [user: string, sql: string, problem: string][] = [
    [own, `SELECT n FROM ${view(other)}`, 'callers read the schemas of others'],
    [own, 'SELECT query FROM system.runtime.queries', 'callers read the statements of others'],
    [own, 'SELECT node_id FROM system.runtime.nodes', 'callers read the tables of the system'],
    [own, `CALL system.runtime.kill_query('0', '')`, 'callers call procedures'],
    [own, `CREATE TABLE ${table} (n int)`, 'callers make tables'],
    [own, `CREATE VIEW ${table} AS SELECT 1 AS n`, 'callers make views'],
    [own, `CREATE OR REPLACE VIEW ${view(own)} AS SELECT 2 AS n`, 'callers replace views'],
    [own, `DROP VIEW ${view(other)}`, 'callers remove views'],
    [own, "SET SESSION join_reordering_strategy = 'NONE'", 'callers change settings of the session'],
    [`${own}0`, 'SELECT 1', 'users whom nobody knows run statements'],
  ]
  for (const [user, sql, problem] of forbidden) {
    const { errorName } = await run(user, sql)
    if (errorName !== DENIED) problems.push(problem)
  }
  const allowed = await run(own, `SELECT n FROM ${view(own)}`)
  if (allowed.errorName) problems.push(`callers cannot read their own schema (${allowed.errorName})`)
  // A syntax error, or that there is no such language, is as good as a refusal.
  if (!(await run(own, PYTHON)).errorName)
    problems.push('callers run Python: remove the plugin functions-python')
  const { rows } = await run(own, 'SHOW SESSION')
  const values = new Map(rows.map(([name, value, byDefault]) => [name, [value, byDefault]]))
  const missing = LIMITS.filter(name => {
    const [value, byDefault] = values.get(name) ?? []
    return value === byDefault
  })
  if (missing.length > 0) problems.push(`statements of callers have no limit by ${missing.join(', ')}`)
  return problems
}

function nameOf({ prefix }: AccessRuleNames): string {
  return `${prefix}p_${randomBytes(8).toString('hex')}`
}
