import { median } from './assessed.js'
import { childrenOf, residentMiB } from './bombs/watch.js'
import type { Figure } from './run.js'
import { Caller } from './soak/caller.js'
import { Gauge, openFiles } from './soak/gauge.js'
import { startDemoServer } from './soak/server.js'

const CALLERS = 6
const SAMPLE_EVERY_MS = 1_000

/** Runs mixed traffic on every entry point, including bombs and disconnects. */
export async function run(minutes = 1): Promise<Figure[]> {
  const server = await startDemoServer()
  const callers = await Promise.all(Array.from({ length: CALLERS }, (_, index) => Caller.open(server, index + 1)))
  const memory = new Gauge()
  const files = new Gauge()
  const processes = new Set<number>()
  const sample = () => {
    memory.add(residentMiB(server.pid))
    files.add(openFiles(server.pid))
    for (const pid of childrenOf(server.pid)) processes.add(pid)
  }
  const timer = setInterval(sample, SAMPLE_EVERY_MS)
  const until = performance.now() + minutes * 60_000
  await Promise.all(callers.map(caller => caller.callUntil(until)))
  clearInterval(timer)
  const atWork = childrenOf(server.pid).length
  for (const caller of callers) caller.close()
  const isSound = await callers[0]?.isSound()
  const ended = await server.stop()

  const seen = callers.flatMap(caller => caller.seen)
  const byClass = new Map<string, number[]>()
  for (const { answer, ms } of seen) byClass.set(answer, [...(byClass.get(answer) ?? []), ms])
  const figures = [...byClass].sort().map(([answer, times]) => ({
    what: `answered ${answer}`,
    measured: String(times.length),
    baseline: `p50 ${median(times).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(0)} ms`,
    bar: answer === 'INTERNAL' ? 'none' : '',
  }))
  const unexpected = seen.filter(({ expected }) => !expected)
  return [
    ...figures,
    {
      what: 'answers that were not expected',
      measured: `${unexpected.length} ${[...new Set(unexpected.map(({ kind, answer }) => `${kind}: ${answer}`))].join()}`,
      baseline: '',
      bar: 'none',
    },
    {
      what: `memory of the server over ${minutes} min`,
      measured: `${memory.slope(60_000 / SAMPLE_EVERY_MS).toFixed(2)} MiB a minute`,
      baseline: `${memory.first.toFixed(0)} to ${memory.last.toFixed(0)} MiB, at most ${memory.most.toFixed(0)}`,
      bar: 'flat',
    },
    {
      what: 'open files of the server',
      measured: `${files.slope(60_000 / SAMPLE_EVERY_MS).toFixed(2)} a minute`,
      baseline: `${files.first} to ${files.last}, at most ${files.most}`,
      bar: 'flat',
    },
    { what: 'engine and guard processes started anew', measured: `${processes.size - atWork}`, baseline: '', bar: '' },
    {
      what: 'answers right at the end, and ends when told to',
      measured: `${isSound}, ${ended}`,
      baseline: '',
      bar: 'true, 0',
    },
  ]
}

function quantile(values: readonly number[], part: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN
}
