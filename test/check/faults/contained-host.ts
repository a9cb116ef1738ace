/** Serves in a container, asks for a statement that needs more than that has, and prints what came of it. */
import { PROJECT, startService } from '../../service/service.js'
import { until } from '../../until.js'

/** More than the container has, and less than the process may take. */
const HUGE = "SELECT length(repeat(repeat(repeat('x', 1000), 1000), 800)) AS n"
const PROCESSES = 2

const service = await startService({ engine: { connections: 1, memoryLimitBytes: 2 * 1024 ** 3 } })
const ask = (sql: string) => service.call('projects/query', { projectId: PROJECT, sql })
const replaced = () => service.events.filter(event => event.type === 'engine' && event.what === 'replaced')
const huge = await ask(HUGE)
await until(() => replaced().length >= PROCESSES, 'each process is replaced')
const small = await ask('SELECT 1 AS one')
const died = service.events.filter(event => event.type === 'engine' && event.what === 'died')
process.stdout.write(
  JSON.stringify({ huge: [huge.status, huge.body.class], small: small.status, replaced: replaced(), died }),
)
await service.close()
