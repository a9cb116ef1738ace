import { FOREIGN_PROJECT, KEYS, PROJECT } from '../test/service/service.js'
import { readStatements, type Statement } from '../test/sql/statements.js'
import { askHost, endProcess, type ServerProcess, startProcess } from './bombs/processes.js'
import { MemoryWatch, residentMiB } from './bombs/watch.js'
import type { Figure } from './run.js'

const BUDGET_MS = 2_000
const GROUPS = ['burning', 'flooding', 'planner', 'patterns']
/** An engine process may use 1 GiB; the guard's process, 768 MiB. */
const ENGINE_LIMIT_MIB = 1024
/** Time and memory limits beyond which a bare server counts as lost. */
const BARE_WAIT_MS = BUDGET_MS + 3_000
const BARE_LIMIT_MIB = 4096
const QUIET_CALLS = 300

/** The outcome of one bomb. */
interface Blast {
  id: string
  class: string
  ms: number
  freeMs: number
  engineMiB: number
  bare: string
}

/** Runs every resource bomb alone, in a bare server, and while another tenant makes small queries. */
export async function run(): Promise<Figure[]> {
  const bombs = readStatements('refused').filter(({ id }) => GROUPS.includes(id.split('/')[0] as string))
  const figures = await alone(bombs)
  return [...figures, ...(await besideAnother(bombs))]
}

async function alone(bombs: readonly Statement[]): Promise<Figure[]> {
  const host = await startProcess('host', [1, BUDGET_MS])
  const pid = host.child.pid as number
  await query(host, PROJECT, 'SELECT count(*) FROM fold_risks, fold_pressures')
  const beganMiB = residentMiB(pid)
  const watch = new MemoryWatch(pid)
  const blasts: Blast[] = []
  let hostMiB = 0
  await askHost(host, 'reset')
  for (const bomb of bombs) {
    watch.reset()
    const startedAt = performance.now()
    const answered = await query(host, PROJECT, bomb.sql, bomb.id.includes('/export-') ? 'export' : 'query')
    const ms = performance.now() - startedAt
    const freeMs = await untilFree(host)
    hostMiB = Math.max(hostMiB, watch.own)
    blasts.push({ id: bomb.id, class: answered, ms, freeMs, engineMiB: watch.child, bare: await bare(bomb) })
  }
  const { delayMs } = await askHost(host, 'ask')
  watch.stop()
  await endProcess(host)
  console.table(
    blasts.map(({ id, class: given, ms, freeMs, engineMiB, bare: without }) => ({
      bomb: id,
      answer: given,
      ms: Math.round(ms),
      'free after ms': Math.round(freeMs),
      'engine MiB': Math.round(engineMiB),
      'bare server': without,
    })),
  )
  const wrong = bombs.filter((bomb, index) => !bomb.expect.includes(blasts[index]?.class as string))
  const worst = (value: (blast: Blast) => number) => Math.max(...blasts.map(value)).toFixed(0)
  const lost = blasts.filter(blast => blast.bare !== '' && !blast.bare.startsWith('answered')).length
  return [
    {
      what: `${bombs.length} bombs, answered with their class`,
      measured: `${bombs.length - wrong.length}${wrong.map(({ id }) => ` not ${id}`).join()}`,
      baseline: `${lost} of them end or hang a bare server`,
      bar: 'all',
    },
    { what: 'slowest answer', measured: `${worst(blast => blast.ms)} ms`, baseline: '', bar: `${BUDGET_MS + 1000} ms` },
    {
      what: 'connection free again after',
      measured: `${worst(blast => blast.freeMs)} ms`,
      baseline: '',
      bar: '2000 ms',
    },
    {
      what: 'host memory above its start',
      measured: `${(hostMiB - beganMiB).toFixed(0)} MiB`,
      baseline: `${beganMiB.toFixed(0)} MiB`,
      bar: '100 MiB',
    },
    {
      what: 'largest engine process',
      measured: `${worst(blast => blast.engineMiB)} MiB`,
      baseline: `limit ${ENGINE_LIMIT_MIB} MiB`,
      bar: `${ENGINE_LIMIT_MIB + 150} MiB`,
    },
    { what: 'event-loop delay of the host, p99.9', measured: `${delayMs.toFixed(1)} ms`, baseline: '', bar: '50 ms' },
  ]
}

/** Times small queries of another tenant while one organization runs bombs on two connections. */
async function besideAnother(bombs: readonly Statement[]): Promise<Figure[]> {
  const host = await startProcess('host', [2, BUDGET_MS])
  await query(host, PROJECT, 'SELECT count(*) FROM fold_risks, fold_pressures')
  function quantile(values: readonly number[], part: number): number {
    return [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN
  }

  let asked = 0
  const small = async () => {
    const startedAt = performance.now()
    const given = await query(host, FOREIGN_PROJECT, `SELECT sum(amount) AS s FROM amounts -- ${++asked}`)
    if (given !== 'OK') throw new Error(`the other tenant was answered ${given}`)
    return performance.now() - startedAt
  }
  for (let count = 0; count < QUIET_CALLS; count++) await small()
  const quiet: number[] = []
  for (let count = 0; count < QUIET_CALLS; count++) quiet.push(await small())
  const queue = bombs.filter(({ rule }) => rule === undefined).map(({ sql }) => sql)
  let bombing = true
  const throwers = [1, 2].map(async () => {
    for (let sql = queue.shift(); sql !== undefined; sql = queue.shift()) await query(host, PROJECT, sql)
  })
  const over = Promise.all(throwers).then(() => {
    bombing = false
  })
  const besides: number[] = []
  await askHost(host, 'reset')
  while (bombing) besides.push(await small())
  await over
  const { delayMs } = await askHost(host, 'ask')
  await endProcess(host)
  const told = (part: number, bar: string) => {
    const [beside, alone] = [quantile(besides, part), quantile(quiet, part)]
    return {
      what: `small query of another tenant meanwhile, p${part * 100} of ${besides.length}`,
      measured: `${beside.toFixed(2)} ms (${(beside / alone).toFixed(2)}×)`,
      baseline: `${alone.toFixed(2)} ms in quiet`,
      bar,
    }
  }
  return [
    told(0.5, '3×'),
    told(0.99, ''),
    { what: 'largest refusal', measured: `${largest} bytes`, baseline: '', bar: '4096 bytes' },
    { what: 'event-loop delay meanwhile, p99.9', measured: `${delayMs.toFixed(1)} ms`, baseline: '', bar: '50 ms' },
  ]
}

/** Length of the longest refusal so far. */
let largest = 0

/** Returns OK or the class of the error. */
async function query({ url }: ServerProcess, projectId: string, sql: string, method = 'query'): Promise<string> {
  const key = projectId === FOREIGN_PROJECT ? KEYS.south : KEYS.north
  const response = await fetch(`${url}/public/v1/api/projects/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ projectId, sql }),
  })
  const text = await response.text()
  if (!response.ok) largest = Math.max(largest, text.length)
  return (JSON.parse(text) as { class?: string }).class ?? 'OK'
}

let asked = 0

/** Milliseconds until a new statement is answered. */
async function untilFree(host: ServerProcess): Promise<number> {
  const startedAt = performance.now()
  while ((await query(host, PROJECT, `SELECT ${++asked} AS asked`)) !== 'OK');
  return performance.now() - startedAt
}

/** Runs the statement in a bare server. Of the statements that the guard refuses, only `-bomb-` ones are tried. */
async function bare({ id, sql, rule }: Statement): Promise<string> {
  if (rule !== undefined && !id.includes('-bomb-')) return ''
  const server = await startProcess('bare', [BUDGET_MS])
  const pid = server.child.pid as number
  const watch = setInterval(() => {
    if (residentMiB(pid) > BARE_LIMIT_MIB) server.child.kill('SIGTERM')
  }, 20)
  const startedAt = performance.now()
  try {
    const response = await fetch(server.url, { method: 'POST', body: sql, signal: AbortSignal.timeout(BARE_WAIT_MS) })
    await response.text()
    return `answered ${response.status} after ${Math.round(performance.now() - startedAt)} ms`
  } catch {
    const { signalCode, exitCode } = server.child
    if (signalCode === 'SIGTERM') return `over ${BARE_LIMIT_MIB / 1024} GiB`
    if (signalCode === null && exitCode === null) return `no answer after ${BARE_WAIT_MS} ms`
    return `ended: ${signalCode ?? exitCode}`
  } finally {
    clearInterval(watch)
    await endProcess(server)
  }
}
