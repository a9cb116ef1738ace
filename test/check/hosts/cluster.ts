import cluster from 'node:cluster'
import { createServer } from 'node:http'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import {
  createAnalyticsApi,
  directoryExports,
  directorySnapshots,
  duckdbEngine,
  memoryQuota,
  type ProjectRecord,
} from 'foldgate'
import { toNodeHandler } from 'foldgate/node'
import { serveWebSocket } from 'foldgate/ws'
import { WebSocketServer } from 'ws'
import { catalogue } from '../../../examples/catalogue.js'

/** A host of two processes on one port. Its data is in FOLDER, and callers have the key `a-key`. */
const PROCESSES = 2
const { FOLDER: folder = 'data', PORT: port = '8090', PLACE: place = '' } = process.env
const SECRET = 'a secret of the examples, long enough'

function start(place: number): void {
  const worker = cluster.fork({ PLACE: String(place) })
  worker.once('exit', () => start(place)) // the next process has the same folder, and so its cache
}

function createApi() {
  const project: ProjectRecord = {
    ...{ projectId: 'd2b0ab4e-0f43-4c47-9a3a-3d6e0a1c5b10', name: 'Ours', organization: 'us', sequence: 1 },
    ...{ completed: true, running: false },
  }
  const caller = { keyId: '1', ownerId: 'ada', organizations: ['us'] }
  const ports = {
    keys: { authenticate: async (key: string) => (key === 'a-key' ? caller : null) },
    projects: { find: async () => project, list: async () => [project] },
    quota: memoryQuota({ calls: 40, windowMs: 3_600_000 }),
  }
  const engine = duckdbEngine({
    folder: join(folder, 'engine', place),
    connections: Math.max(2, Math.floor(availableParallelism() / PROCESSES)),
    residents: 4,
    spares: 1,
  })
  return createAnalyticsApi({
    ...ports,
    baseUrl: `http://localhost:${port}`,
    secrets: [SECRET],
    catalogue,
    snapshots: directorySnapshots(join(folder, 'snapshots')),
    exports: directoryExports(join(folder, 'exports'), { retentionMs: 86_400_000 }),
    engine,
  })
}

if (cluster.isPrimary) for (let each = 0; each < PROCESSES; each++) start(each)
else {
  const api = createApi()
  const handler = toNodeHandler(api)
  const server = createServer((request, response) => {
    response.setHeader('x-place', place) // for the test
    handler(request, response, () => response.writeHead(404).end())
  })
  const sockets = new WebSocketServer({ noServer: true })
  sockets.on('headers', headers => headers.push(`x-place: ${place}`))
  const analytics = serveWebSocket(api, sockets)
  server.on('upgrade', (request, socket, head) => {
    if (!analytics.upgrade(request, socket, head)) socket.destroy()
  })
  await api.ready()
  server.listen(Number(port), '127.0.0.1', () => console.log(`${place} answers`))
  process.once('disconnect', () => process.exit())
}
