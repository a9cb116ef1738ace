import { monitorEventLoopDelay } from 'node:perf_hooks'
import { scriptArguments } from '../../test/script.js'
import { FOREIGN_PROJECT, startService } from '../../test/service/service.js'

/** Serves the API, and reports its event-loop delay and how many engine processes were replaced. */
const [connections, budgetMs] = scriptArguments(import.meta.url, 'CONNECTIONS', 'MILLISECONDS').map(Number) as [
  number,
  number,
]
const delay = monitorEventLoopDelay({ resolution: 5 })
const service = await startService({
  engine: { connections },
  limits: { queryTimeoutMs: budgetMs, exportTimeoutMs: budgetMs },
})
await service.seal(FOREIGN_PROJECT)
delay.enable()
process.on('message', async message => {
  if (message === 'close') {
    await service.close()
    process.exit(0)
  }
  process.send?.({ delayMs: delay.percentile(99.9) / 1e6, restarts: service.api.stats().restarts })
  if (message === 'reset') delay.reset()
})
process.send?.({ url: service.url })
