import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { AnalyticsApi } from 'foldgate'
import { toNodeHandler } from 'foldgate/node'
import { AUTHORIZATION, attachBuilt, largestProject, median, timed } from './assessed.js'
import { LoadConnection } from './load/connection.js'
import { answersPerSecond, listening, postBytes } from './load/load.js'
import type { Figure } from './run.js'

const ROUNDS = 300
const PATH = '/public/v1/api/projects/query'
/** One row, and 500 rows of eight columns; `n` makes each statement unique. */
const ONE = (n: number) => `SELECT count(*) AS sites, ${n} AS n FROM sites`
const MANY = (
  n: number,
) => `SELECT risk_code, site_key, sector_code, severity, exposure, score, ${n} AS n, 'fixed' AS text
FROM risk_rows LIMIT 500`

/** Measures the layers of one call: key, quota, guard, the hop to the engine process, JSON, HTTP. */
export async function run(): Promise<Figure[]> {
  const project = await largestProject()
  const api = await project.open()
  const { port, server } = await listening(toNodeHandler(api))
  const bare = await bareEngine(api, project.projectId, join(project.folder, 'engine', 'cache', project.projectId))
  try {
    const query = (sql: string) => JSON.stringify({ projectId: project.projectId, sql, page: { limit: 500 } })
    const connection = await LoadConnection.open(port)
    const ask = async (sql: string) => {
      const status = await connection.ask(postBytes(PATH, AUTHORIZATION, query(sql)))
      if (status !== 200) throw new Error(`the answer was ${status}`)
      return connection.head
    }
    const figures: Figure[] = []
    for (const [what, sql, bar] of [
      ['1 row', ONE, '1.5 ms more'],
      ['500 rows × 8', MANY, '1.3×'],
    ] as const) {
      const ours: number[] = []
      const theirs: number[] = []
      for (let round = -50; round < ROUNDS; round++) {
        const oneMs = await timed(() => ask(sql(round)))
        const otherMs = await timed(() => plain(bare, sql(round)))
        if (round < 0) continue
        ours.push(oneMs)
        theirs.push(otherMs)
      }
      const [a, b] = [median(ours), median(theirs)]
      const against = `${b.toFixed(2)} ms runAndReadAll + JSON.stringify`
      const measured = `${a.toFixed(2)} ms (+ ${(a - b).toFixed(2)} ms, ${(a / b).toFixed(2)}×)`
      figures.push({ what: `a query of ${what} over REST, p50`, measured, baseline: against, bar })
    }
    figures.push(...(await guardFigures(ask)))
    connection.close()
    figures.push(await knownPage(port, query(MANY(0))))
    return figures
  } finally {
    server.close()
    server.closeAllConnections()
    await api.close()
    await project.remove()
  }
}

/** Compares a cached page with the same bytes from a bare handler. */
async function knownPage(port: number, body: string): Promise<Figure> {
  const request = postBytes(PATH, AUTHORIZATION, body)
  const answer = await fetch(`http://127.0.0.1:${port}${PATH}`, {
    method: 'POST',
    headers: { authorization: AUTHORIZATION },
    body,
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const { port: barePort, server } = await listening((incoming, response) => {
    incoming.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length })
      response.end(bytes)
    })
  })
  await answersPerSecond(port, request, 8, 1)
  const ours = await answersPerSecond(port, request)
  const theirs = await answersPerSecond(barePort, request)
  server.close()
  server.closeAllConnections()
  return {
    what: `a page that was computed before, ${(bytes.length / 1024).toFixed(0)} KiB`,
    measured: `${ours.toFixed(0)} a second (${((100 * ours) / theirs).toFixed(0)} %)`,
    baseline: `${theirs.toFixed(0)} a second by bare node:http`,
    bar: '60 %',
  }
}

/** The guard's share of a call, read from its Server-Timing header. */
async function guardFigures(ask: (sql: string) => Promise<string>): Promise<Figure[]> {
  const guardMs = async (sql: string) => Number(/guard;dur=([\d.]+)/.exec(await ask(sql))?.[1])
  const unseen: number[] = []
  const seen: number[] = []
  for (let round = 1000; round < 1000 + ROUNDS; round++) {
    const sql = `${ONE(round)} AS s${round}` // a statement of another number has a verdict that is known by its shape
    unseen.push(await guardMs(sql))
    seen.push(await guardMs(sql))
  }
  const figure = (what: string, times: number[], bar: string): Figure => ({
    what: `guard, a text ${what}, p50`,
    measured: `${median(times).toFixed(2)} ms`,
    baseline: '',
    bar,
  })
  return [figure('not seen before', unseen, '0.3 ms'), figure('seen before', seen, '0')]
}

/** Opens an engine in this process over the same built relations. */
async function bareEngine(api: AnalyticsApi, projectId: string, cache: string): Promise<DuckDBConnection> {
  for (const sql of [ONE(0), MANY(0)])
    await api.call('projects/query', { projectId, sql }, { authorization: AUTHORIZATION })
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  await attachBuilt(connection, cache)
  return connection
}

async function plain(connection: DuckDBConnection, sql: string): Promise<string> {
  return JSON.stringify((await connection.runAndReadAll(sql)).getRowObjectsJson())
}
