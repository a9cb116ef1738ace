import { fork } from 'node:child_process'
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import type { Load, Loaded } from './client.js'

const CLIENT = fileURLToPath(new URL('./client.ts', import.meta.url))

/** Result of a load. */
export interface Outcome {
  perSecond: number
  p50Ms: number
  p99Ms: number
  /** p99 of this process's event-loop delay under the load. */
  delayMs: number
  /** Answers other than 200, as a part of all. */
  failed: number
}

/** Loads a server in this process from a client in its own process. */
export async function underLoad(load: Load): Promise<Outcome> {
  const client = fork(CLIENT, { execArgv: ['--import', 'tsx'], serialization: 'advanced' })
  const exited = once(client, 'exit')
  const failed = exited.then(([code]) => {
    throw new Error(`the client ended with ${code}`)
  })
  failed.catch(() => {})
  const delay = monitorEventLoopDelay({ resolution: 5 })
  try {
    await Promise.race([once(client, 'message'), failed])
    client.send(load)
    delay.enable()
    const [{ ms, statuses }] = (await Promise.race([once(client, 'message'), failed])) as [Loaded]
    delay.disable()
    ms.sort((a, b) => a - b)
    const at = (part: number) => ms[Math.floor(ms.length * part)] ?? Number.NaN
    return {
      perSecond: ms.length / (load.forMs / 1000),
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      delayMs: delay.percentile(99) / 1e6,
      failed: 1 - (statuses[200] ?? 0) / ms.length,
    }
  } finally {
    client.kill()
    await exited
  }
}
