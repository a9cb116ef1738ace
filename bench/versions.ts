import { execFileSync } from 'node:child_process'
import { KEYS, PROJECT } from '../test/service/service.js'
import { readStatements } from '../test/sql/statements.js'
import { askHost, endProcess, type ServerProcess, startProcess } from './bombs/processes.js'
import { MemoryWatch } from './bombs/watch.js'
import type { Figure } from './run.js'

const CLIENTS = 8
const WARM_UP_MS = 1_000
const MEASURED_MS = 4_000
const BUDGET_MS = 2_000
const ENGINE_LIMIT_MIB = 1024
/** Node binaries to compare, separated by colons. Default: the one that runs this. */
const NODES = (process.env.FOLDGATE_NODES ?? process.execPath).split(':')

/** Measures the same service on several versions of Node: small statements, and statements that fill the memory. */
export async function run(): Promise<Figure[]> {
  const rates: number[] = []
  const figures: Figure[] = []
  for (const node of NODES) {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
    const host = await startProcess('host', [2, BUDGET_MS], node)
    try {
      await load(host, WARM_UP_MS)
      const before = (await askHost(host, 'ask')).restarts
      rates.push((await load(host, MEASURED_MS)) / (MEASURED_MS / 1000))
      const replaced = (await askHost(host, 'ask')).restarts - before
      figures.push(
        {
          what: `${version}: answers per second to ${CLIENTS} clients`,
          measured: (rates.at(-1) as number).toFixed(0),
          baseline: `${((rates.at(-1) as number) / (rates[0] as number)).toFixed(2)}× the first version`,
          bar: '',
        },
        { what: `${version}: processes replaced meanwhile`, measured: String(replaced), baseline: '', bar: '0' },
        await flood(host, version),
      )
    } finally {
      await endProcess(host)
    }
  }
  return figures
}

let asked = 0

/** Runs small statements, each a new one, and returns how many were answered. */
async function load(host: ServerProcess, ms: number): Promise<number> {
  const endsAt = performance.now() + ms
  let answered = 0
  const client = async () => {
    while (performance.now() < endsAt) {
      const answer = await query(host, `SELECT ${++asked} AS n`)
      if (answer !== 'OK') throw new Error(`a small statement was answered ${answer}`)
      answered += 1
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return answered
}

/** Runs the statements that fill the memory, and returns the peak of the largest process. */
async function flood(host: ServerProcess, version: string): Promise<Figure> {
  const bombs = readStatements('refused').filter(({ id }) => id.startsWith('flooding/'))
  const watch = new MemoryWatch(host.child.pid as number)
  const wrong: string[] = []
  for (const { id, sql, expect } of bombs) {
    const answer = await query(host, sql, id.includes('/export-') ? 'export' : 'query')
    if (!expect.includes(answer)) wrong.push(`${id}: ${answer}`)
  }
  watch.stop()
  return {
    what: `${version}: largest process in ${bombs.length} bombs`,
    measured: `${watch.child.toFixed(0)} MiB${wrong.map(each => `, ${each}`).join('')}`,
    baseline: `limit ${ENGINE_LIMIT_MIB} MiB`,
    bar: `${ENGINE_LIMIT_MIB + 150} MiB`,
  }
}

async function query({ url }: ServerProcess, sql: string, method = 'query'): Promise<string> {
  const response = await fetch(`${url}/public/v1/api/projects/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEYS.north}` },
    body: JSON.stringify({ projectId: PROJECT, sql }),
  })
  return ((await response.json()) as { class?: string }).class ?? 'OK'
}
