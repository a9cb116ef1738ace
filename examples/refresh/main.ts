import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { lineOf } from './events.js'
import { createHost } from './host.js'

/** npx tsx examples/refresh/main.ts: refreshes and serves the tenants of DATABASE_URL. */
const { DATABASE_URL, FOLDER = 'foldgate-refresh', PORT = '8091', METRICS_PORT = '9091' } = process.env
const { SNAPSHOTS = join(FOLDER, 'snapshots'), INTERVAL_MS = '300000', KEY = 'refresh-key' } = process.env
const { SECRET = randomBytes(32).toString('hex') } = process.env // set it to keep cursors and links over a restart
if (!DATABASE_URL) throw new Error('Set DATABASE_URL to the URL of the database: postgres://…')

const host = await createHost({
  database: DATABASE_URL,
  folder: FOLDER,
  snapshots: SNAPSHOTS,
  baseUrl: `http://localhost:${PORT}`,
  secret: SECRET,
  key: KEY,
  intervalMs: Number(INTERVAL_MS),
  onRefresh: event => console.log(lineOf(event, new Date())),
  onError: cause => console.error(cause instanceof Error ? cause.message : cause),
})
for (const [server, port] of [
  [host.server, PORT],
  [host.metricsServer, METRICS_PORT],
] as const)
  await once(server.listen(Number(port), 'localhost'), 'listening')
host.schedule.start()

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    host.server.close()
    host.metricsServer.close()
    void host.close()
  })
