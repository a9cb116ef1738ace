import { DuckDBInstance } from '@duckdb/node-api'
import type { AnalyticsApi } from 'foldgate'
import { attachBuilt, median, timed } from '../assessed.js'
import { post } from '../open.js'

const ROUNDS = 15
const MAX_FAILURES = 4
/** No further round of a statement starts after this time. */
const ENOUGH_MS = 5_000
const FOLDS = ['dash_ipbes', 'fold_risks', 'fold_dependencies', 'dependency_rows', 'risk_rows', 'sites']

/** Statements of different cost per row: a small fold, an unsorted page, and one that reads every row. */
export const STATEMENTS = {
  'small fold': 'SELECT * FROM dash_ipbes',
  '500 rows':
    'SELECT risk_code, site_key, sector_code, severity, exposure, score, level, share FROM risk_rows LIMIT 500',
  'all rows grouped': 'SELECT level, count(*) AS n, avg(score) AS mean FROM risk_rows GROUP BY ALL ORDER BY 1',
} as const

/** Costs of a sealed project, in ms. */
export interface Costs {
  buildMs: number
  /** Builds that failed and succeeded when retried. */
  failures: number
  riskRows: number
  callMs: Record<keyof typeof STATEMENTS, { ours: number; bare: number }>
}

/** Builds a project's folds one by one, then times each statement for a few seconds, here and in a bare engine. */
export async function costsOf(api: AnalyticsApi, projectId: string, cache: string): Promise<Costs> {
  const ask = async (sql: string) => {
    const answer = await post(api, 'query', { projectId, sql, page: { limit: 500 } })
    spentMs += answer.spentMs('build')
    if (answer.status !== 200) throw new Error(`a query was answered ${answer.status}: ${answer.tail}`)
    return answer
  }
  let spentMs = 0
  let failures = 0
  let riskRows = 0
  for (const fold of FOLDS) {
    const sql = `SELECT count(*) AS n FROM ${fold}`
    // UNAVAILABLE asks for a retry; the time of the failed call counts too.
    const again = (cause: unknown) => {
      if (++failures > MAX_FAILURES) throw cause
      return ask(sql)
    }
    const { head } = await ask(sql).catch(again).catch(again)
    if (fold === 'risk_rows') riskRows = Number(/"n":(\d+)/.exec(head)?.[1])
  }
  const buildMs = spentMs
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '512MB' })
  try {
    const connection = await instance.connect()
    await attachBuilt(connection, cache)
    const callMs = {} as Costs['callMs']
    for (const name of Object.keys(STATEMENTS) as (keyof typeof STATEMENTS)[]) {
      const sql = STATEMENTS[name]
      const ours = await medianMs(round => ask(`${sql} -- ${round}`))
      const bare = await medianMs(async () => JSON.stringify((await connection.runAndReadAll(sql)).getRowObjectsJson()))
      callMs[name] = { ours, bare }
    }
    return { buildMs, failures, riskRows, callMs }
  } finally {
    instance.closeSync()
  }
}

async function medianMs(ask: (round: number) => Promise<unknown>): Promise<number> {
  const times: number[] = []
  const began = performance.now()
  for (let round = 0; round < ROUNDS && performance.now() - began < ENOUGH_MS; round++)
    times.push(await timed(() => ask(round)))
  return median(times)
}
