import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { AUTHORIZATION, attachBuilt, largestProject } from './assessed.js'
import { nextCursor, post } from './open.js'
import { spentCpuMs } from './rows/cpu.js'
import { filesOfPlainValues } from './rows/files.js'
import type { Figure } from './run.js'

const COLUMNS = ['risk_code', 'site_key', 'sector_code', 'severity', 'exposure', 'score', 'level', 'share', 'n']
const SQL = `SELECT ${COLUMNS.join(', ')} FROM risk_rows, range(3) t(n)`
const LIMIT = 500
const ROUNDS = 3
/** Number of rows that fit into the memory of one process as objects. */
const BARE_ROWS = 200_000

/** Processor and wall-clock time of reading some values. */
interface Spent {
  values: number
  cpuMs: number
  wallMs: number
  hostShare: number
}

/** Reads a large unsorted result in process; measures JSON values per second of processor time of all processes. */
export async function run(): Promise<Figure[]> {
  const project = await largestProject()
  const api = await project.open()
  const { projectId } = project
  try {
    const counted = await api.call(
      'projects/query',
      { projectId, sql: `SELECT count(*) AS n FROM (${SQL})` },
      { authorization: AUTHORIZATION },
    )
    const rows = Number((counted.result as { items: { n: number }[] }).items[0]?.n)
    const read = async (round: number) => {
      let cursor: string | null = null
      do {
        const sql = `${SQL} -- ${round}`
        const page = await post(api, 'query', { projectId, sql, page: { limit: LIMIT, cursor } })
        if (page.status !== 200) throw new Error(`the answer was ${page.status}`)
        cursor = nextCursor(page)
      } while (cursor)
      return rows
    }
    const ours: Spent[] = []
    for (let round = 0; round < ROUNDS; round++) ours.push(await spentOn(() => read(round)))
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    const connection = await instance.connect()
    await attachBuilt(connection, join(project.folder, 'engine', 'cache', projectId))
    const bare: Spent[] = []
    const copied: Spent[] = []
    for (let round = 0; round < ROUNDS; round++) {
      bare.push(await spentOn(() => stringify(connection)))
      copied.push(await spentOn(() => copy(connection, join(project.folder, 'bare.json'))))
    }
    instance.closeSync()
    const best = ours.reduce((a, b) => (perSecond(a.values, a.cpuMs) > perSecond(b.values, b.cpuMs) ? a : b))
    return [
      {
        what: `${(best.values / 1e6).toFixed(1)} M values in pages of ${LIMIT} rows, a second of one core`,
        measured: `${speeds(ours, 'cpuMs')} M (host ${(100 * best.hostShare).toFixed(0)} %)`,
        baseline: `${speeds(bare, 'cpuMs')} M runAndReadAll + JSON.stringify, ${speeds(copied, 'cpuMs')} M COPY to JSON`,
        bar: '5 M',
      },
      {
        what: 'the same by the clock',
        measured: `${speeds(ours, 'wallMs')} M`,
        baseline: `${speeds(bare, 'wallMs')} M and ${speeds(copied, 'wallMs')} M`,
        bar: '',
      },
      ...(await filesOfPlainValues(project.folder)),
    ]
  } finally {
    await api.close()
    await project.remove()
  }
}

async function spentOn(work: () => Promise<number>): Promise<Spent> {
  const startedAt = performance.now()
  const before = spentCpuMs()
  const rows = await work()
  const after = spentCpuMs()
  const host = after.host - before.host
  const cpuMs = host + after.children - before.children
  return { values: rows * COLUMNS.length, cpuMs, wallMs: performance.now() - startedAt, hostShare: host / cpuMs }
}

async function stringify(connection: DuckDBConnection): Promise<number> {
  const rows = (await connection.runAndReadAll(`${SQL} LIMIT ${BARE_ROWS}`)).getRowObjectsJson()
  return JSON.stringify(rows).length > 0 ? rows.length : 0
}

async function copy(connection: DuckDBConnection, path: string): Promise<number> {
  return (await connection.run(`COPY (${SQL}) TO '${path}' (FORMAT json)`)).rowsChanged
}

function perSecond(values: number, ms: number): number {
  return values / ms / 1000
}

/** Millions of values per second, for each round. */
function speeds(rounds: readonly Spent[], of: 'cpuMs' | 'wallMs'): string {
  return rounds.map(spent => perSecond(spent.values, spent[of]).toFixed(1)).join(', ')
}
