import { defineQuery } from 'foldgate'
import { toNodeHandler } from 'foldgate/node'
import catalogue from '#assessed/catalogue.js'
import { AUTHORIZATION, largestProject, median, timed } from './assessed.js'
import { LoadConnection } from './load/connection.js'
import { listening, postBytes } from './load/load.js'
import type { Figure } from './run.js'

const ROUNDS = 200
const WARM_UP = 30
const API = '/public/v1/'
const PATH = `${API}api/projects/query`

/** Statements in which `n` is a literal or a parameter; its value is another one in each round. */
const STATEMENTS: [what: string, sql: (n: string) => string][] = [
  ['1 row', n => `SELECT count(*) AS sites, ${n} AS n FROM sites`],
  [
    'a join, grouped',
    n => `SELECT r.risk_code, r.sector_code, count(*) AS rows, avg(r.score) AS score, max(s.site_key) AS site
FROM (SELECT * FROM risk_rows LIMIT 500) r JOIN (SELECT * FROM sites LIMIT 500) s USING (site_key)
WHERE r.score > ${n} * 0.0001 GROUP BY ALL HAVING count(*) > ${n} % 7 ORDER BY ALL LIMIT 20`,
  ],
  [
    'a long one',
    n => `WITH a AS (SELECT site_key, risk_code, score FROM risk_rows WHERE score > ${n} * 0.0001)
SELECT ${Array.from({ length: 40 }, (_, at) => `sum(CASE WHEN risk_code = 'r${at}' THEN score ELSE ${n} END) AS s${at}`).join(', ')}
FROM (SELECT * FROM a LIMIT 100)`,
  ],
]

/** The same statements as named queries. */
const QUERIES = STATEMENTS.map(([about, sql], at) => {
  const parameters = { n: { type: 'INTEGER', about: 'Another number in each round' } }
  return defineQuery({ name: `statement_${at}`, version: 1, about, parameters, sql: sql('$n') })
})

/**
 * Calls whose values are new in each round: as literals, where each is a statement that was not seen before, and as
 * values of parameters, of the same statements or of named queries; and dry runs of the same statements.
 */
export async function run(): Promise<Figure[]> {
  const project = await largestProject()
  const api = await project.open({ catalogue: { ...catalogue, queries: QUERIES } })
  const { port, server } = await listening(toNodeHandler(api))
  const connection = await LoadConnection.open(port)
  const ask = (params: object, path = PATH) =>
    timed(async () => {
      const body = JSON.stringify({ projectId: project.projectId, ...params })
      const status = await connection.ask(postBytes(path, AUTHORIZATION, body))
      if (status !== 200) throw new Error(`the answer was ${status}`)
    })
  try {
    const figures: Figure[] = []
    for (const [index, [what, sql]] of STATEMENTS.entries()) {
      const calls: Record<string, (n: number) => object> = {
        literal: n => ({ sql: sql(String(n)) }),
        value: n => ({ sql: sql('$n'), parameters: { n } }),
        named: n => ({ parameters: { n } }),
        columns: n => ({ sql: sql('$n'), parameters: { n }, include: ['columns'] }),
        dry: n => ({ sql: sql('$n'), parameters: { n }, dryRun: true }),
      }
      const times = Object.fromEntries(Object.keys(calls).map(name => [name, [] as number[]]))
      for (let round = -WARM_UP; round < ROUNDS; round++)
        for (const [at, [name, call]] of Object.entries(calls).entries()) {
          const path = name === 'named' ? `${API}queries/statement_${index}` : PATH
          const ms = await ask(call(10_000 + round * 5 + at), path)
          if (round >= 0) times[name]?.push(ms)
        }
      const of = (name: string) => median(times[name] ?? [])
      const row = (name: string, measured: string, baseline = 'literal'): Figure => ({
        what: `${what}: ${name}`,
        measured: `${of(measured).toFixed(2)} ms (${(of(measured) / of(baseline)).toFixed(2)}×)`,
        baseline: `${of(baseline).toFixed(2)} ms with ${baseline === 'literal' ? 'literals' : 'its SQL'}`,
        bar: measured === 'value' || measured === 'named' ? '1×' : '',
      })
      figures.push(row('another value', 'value'), row('by its name', 'named', 'value'))
      figures.push(row('and its columns', 'columns'), row('a dry run', 'dry'))
    }
    return figures
  } finally {
    connection.close()
    server.close()
    server.closeAllConnections()
    await api.close()
    await project.remove()
  }
}
