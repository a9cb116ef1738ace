import { Fuzz } from '../test/check/hostile/fuzz.js'
import { faultOf } from '../test/check/hostile/judge.js'
import { FOREIGN_PROJECT, KEYS, PROJECT, startService } from '../test/service/service.js'
import type { Figure } from './run.js'

const STATEMENTS = 100_000
const AT_ONCE = 4
const SHOWN = 20

/** Sends generated statements of two organizations; none may get a malformed answer or end a process. */
export async function run(minutes = 20): Promise<Figure[]> {
  const seed = Number(process.env.FOLDGATE_SEED ?? Date.now() % 2 ** 31)
  const service = await startService({ limits: { queryTimeoutMs: 1_000, connectionWaitMs: 30_000 } })
  await service.seal(FOREIGN_PROJECT)
  const fuzz = await Fuzz.open(seed)
  const until = performance.now() + minutes * 60_000
  const times: number[] = []
  const faults: string[] = []
  const outcomes = new Map<string, number>()
  let [left, largest] = [STATEMENTS, 0]
  const caller = async (index: number) => {
    const [projectId, key] = index % 2 === 0 ? [PROJECT, KEYS.north] : [FOREIGN_PROJECT, KEYS.south]
    while (left-- > 0 && performance.now() < until) {
      const sql = fuzz.statement()
      const startedAt = performance.now()
      const response = await fetch(`${service.url}/public/v1/api/projects/query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ projectId, sql }),
      })
      const text = await response.text()
      times.push(performance.now() - startedAt)
      const outcome = response.ok ? 'OK' : (/"class":"(\w+)"/.exec(text)?.[1] ?? 'none')
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      if (!response.ok) largest = Math.max(largest, text.length)
      const fault = faultOf(response.status, text)
      if (fault) faults.push(`${sql}\n  ${fault}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => caller(index)))
  const died = service.events.filter(
    event => event.type === 'engine' && event.what === 'died' && !event.detail.startsWith('SIGKILL'),
  )
  const restarts = service.api.stats().restarts
  await service.close()
  for (const fault of faults.slice(0, SHOWN)) process.stdout.write(`${fault}\n`)
  times.sort((a, b) => a - b)
  const quantile = (part: number) => `${(times[Math.floor(times.length * part)] ?? Number.NaN).toFixed(1)} ms`
  const counted = [...outcomes].sort().map(([outcome, count]) => `${outcome} ${count}`)
  return [
    {
      what: `statements of seed ${seed}`,
      measured: `${times.length}`,
      baseline: counted.join(', '),
      bar: `${STATEMENTS}`,
    },
    { what: 'answers out of shape, INTERNAL among them', measured: `${faults.length}`, baseline: '', bar: 'none' },
    {
      what: 'processes that died of a statement',
      measured: `${died.length}`,
      baseline: `${restarts} replaced`,
      bar: 'none',
    },
    { what: 'largest refusal', measured: `${largest} bytes`, baseline: '', bar: '' },
    { what: 'answered within, p50', measured: quantile(0.5), baseline: `p99 ${quantile(0.99)}`, bar: '' },
  ]
}
