import { type Agent, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { toNodeHandler } from 'foldgate/node'
import { AUTHORIZATION, attachBuilt, largestProject, median, timed } from './assessed.js'
import { keptAlive, post } from './load/post.js'
import type { Figure } from './run.js'

const HEADERS = { authorization: AUTHORIZATION }
const LIMIT = 500
const ROWS = 667_000
const ROUNDS = 3
const SQL = `SELECT risk_code, site_key, sector_code, severity, exposure, score, n
FROM risk_rows, range(3) t(n) ORDER BY site_key, risk_code, sector_code, n LIMIT ${ROWS}`

interface Read {
  readMs: number
  pageMs: number[]
  bytes: number
}

type Round = Read & { copyMs: number; topMs: number; transferMs: number }

/** Compares reading a sorted result over REST, 500 rows per page, with one COPY and a bare transfer of its bytes. */
export async function run(): Promise<Figure[]> {
  const project = await largestProject()
  const api = await project.open()
  const server = createServer(toNodeHandler(api))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const agent = keptAlive()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/public/v1/api/projects/query`
  try {
    const { projectId } = project
    await api.call(
      'projects/query',
      { projectId, sql: 'SELECT 1 FROM risk_rows LIMIT 1' },
      { authorization: AUTHORIZATION },
    )
    const rounds: Round[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const read = await readAll(url, agent, projectId, `${SQL} -- ${round}`)
      const bare = await bareCopy(join(project.folder, 'engine', 'cache', projectId), join(project.folder, 'bare.json'))
      const size = Math.round(read.bytes / read.pageMs.length)
      rounds.push({ ...read, ...bare, transferMs: await bareTransfer(read.pageMs.length, size, agent) })
    }
    const of = (value: (round: Round) => number) => median(rounds.map(value))
    const around = (page: number) => of(({ pageMs }) => median(pageMs.slice(page - 1, page + 20)))
    const times = of(({ readMs, copyMs, transferMs }) => readMs / (copyMs + transferMs))
    return [
      {
        what: `${rounds[0]?.pageMs.length} pages of ${LIMIT} rows, median of ${ROUNDS}`,
        measured: `${of(round => round.readMs).toFixed(0)} ms`,
        baseline: `${of(round => round.copyMs).toFixed(0)} ms COPY + ${of(round => round.transferMs).toFixed(0)} ms transfer`,
        bar: `3× (here ${times.toFixed(2)}×)`,
      },
      { what: 'page 1000', measured: ms(around(1000)), baseline: `${ms(around(3))} page 3`, bar: '± 20 %' },
      {
        what: 'page 1',
        measured: ms(of(({ pageMs }) => pageMs[0] as number)),
        baseline: `${ms(of(round => round.topMs))} bare with LIMIT 501`,
        bar: '1.5× + 2 ms',
      },
    ]
  } finally {
    agent.destroy()
    server.close()
    await api.close()
    await project.remove()
  }
}

/** Reads a result to its end, one page after the other. */
async function readAll(url: string, agent: Agent, projectId: string, sql: string): Promise<Read> {
  const pageMs: number[] = []
  let bytes = 0
  const readMs = await timed(async () => {
    let cursor: string | null = null
    do {
      const body = JSON.stringify({ projectId, sql, page: { limit: LIMIT, cursor } })
      const startedAt = performance.now()
      const { text } = await post(url, body, agent, HEADERS)
      pageMs.push(performance.now() - startedAt)
      bytes += text.length
      cursor = /"nextCursor":"([^"]+)"/.exec(text.slice(-300))?.[1] ?? null
    } while (cursor)
  })
  return { readMs, pageMs, bytes }
}

async function bareCopy(cache: string, file: string): Promise<{ copyMs: number; topMs: number }> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '512MB' })
  const connection = await instance.connect()
  await attachBuilt(connection, cache)
  const topMs = await timed(async () => (await connection.runAndReadAll(`SELECT * FROM (${SQL}) LIMIT 501`)).getRows())
  const copyMs = await timed(() => connection.run(`COPY (${SQL}) TO '${file}' (FORMAT json)`))
  instance.closeSync()
  return { copyMs, topMs }
}

async function bareTransfer(count: number, size: number, agent: Agent): Promise<number> {
  const body = Buffer.alloc(size, 'x')
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => response.end(body))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const spent = await timed(async () => {
    for (let page = 0; page < count; page++) await post(url, '{}', agent, HEADERS)
  })
  server.close()
  server.closeIdleConnections()
  return spent
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`
}
