import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type SocketHandler, serveWebSocket } from 'foldgate'
import { WebSocketServer } from 'ws'
import { KEYS, PROJECT, type Service, startService } from '../../service/service.js'
import { ENDLESS, FEW_CALLS, SERVICES, type ServiceName } from './services.js'

/** A project that the host's database cannot find at the moment. */
export const BROKEN_PROJECT = '44444444-4444-4444-8444-444444444444'
/** A key that the host's database cannot look up at the moment. */
export const BROKEN_KEY = 'key-broken'
/** A key that has made all the calls that it may. */
export const SPENT_KEY = 'key-spent'

/** A service with its sockets. */
export interface Site {
  service: Service
  socketUrl: string
}

/** Everything that cases are run against. */
export class World {
  readonly sites: Record<ServiceName, Site>
  readonly #servers: { server: Server; sockets: SocketHandler }[] = []
  readonly #held = new AbortController()

  private constructor(services: Record<ServiceName, Service>) {
    const sites = Object.entries(services).map(([name, service]) => [name, { service, socketUrl: '' }])
    this.sites = Object.fromEntries(sites) as Record<ServiceName, Site>
  }

  static async open(): Promise<World> {
    const names = Object.keys(SERVICES) as ServiceName[]
    const services = await Promise.all(names.map(name => startService(SERVICES[name])))
    const world = new World(Object.fromEntries(names.map((name, index) => [name, services[index]])) as never)
    await Promise.all(names.map(name => world.#listen(world.sites[name])))
    breakPorts(world.plain)
    await spendKey(world.plain)
    return world
  }

  /** The service that most cases run on. */
  get plain(): Service {
    return this.sites.plain.service
  }

  async close(): Promise<void> {
    this.release()
    for (const { server, sockets } of this.#servers) {
      await sockets.close(0)
      server.closeAllConnections()
      server.close()
    }
    await Promise.all(Object.values(this.sites).map(({ service }) => service.close()))
  }

  async #listen(site: Site): Promise<void> {
    const server = createServer()
    const sockets = serveWebSocket(site.service.api, new WebSocketServer({ noServer: true }))
    server.on('upgrade', (request, socket, head) => {
      if (!sockets.upgrade(request, socket, head)) socket.destroy()
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    site.socketUrl = `ws://127.0.0.1:${(server.address() as AddressInfo).port}${site.service.api.socketPath}`
    this.#servers.push({ server, sockets })
  }

  /** Takes the only connection of `busy`; what is then asked for has to wait. */
  async hold(): Promise<void> {
    const { api } = this.sites.busy.service
    const authorization = `Bearer ${KEYS.north}`
    const held = { authorization, signal: this.#held.signal }
    api.call('projects/query', { projectId: PROJECT, sql: ENDLESS }, held).catch(() => {})
    let asked = 0 // each time another statement: what was answered once is answered from memory
    const isFree = () =>
      api.call('projects/query', { projectId: PROJECT, sql: `SELECT ${++asked}` }, { authorization }).then(
        () => true,
        () => false,
      )
    while (await isFree());
  }

  /** Gives it back. */
  release(): void {
    this.#held.abort()
  }
}

/** An organization of its own with one project and a key that reads it, so that no other case sees it. */
export function ownProject(
  { host }: Service,
  project: { completed?: boolean; running?: boolean } = { completed: true },
): { projectId: string; organization: string; key: string } {
  const organization = `org-${randomUUID()}`
  const key = `key-${randomUUID()}`
  host.callers.set(key, { keyId: key, ownerId: 'ada', organizations: [organization] })
  const { projectId } = host.addProject({ projectId: randomUUID(), organization, ...project })
  return { projectId, organization, key }
}

/** A key that has made all of its calls for this hour. */
async function spendKey({ host, api }: Service): Promise<void> {
  host.callers.set(SPENT_KEY, { keyId: FEW_CALLS, ownerId: 'ada', organizations: ['north'] })
  await api.call('projects/list', {}, { authorization: `Bearer ${SPENT_KEY}` })
}

/** A database of the host that fails for one project and one key, and answers for all others. */
function breakPorts({ host }: Service): void {
  const { find } = host.projectPort
  const { authenticate } = host.keyPort
  const down = () => Promise.reject(new Error('the database of the host is down'))
  host.projectPort.find = (projectId, signal) => (projectId === BROKEN_PROJECT ? down() : find(projectId, signal))
  host.keyPort.authenticate = (key, signal) => (key === BROKEN_KEY ? down() : authenticate(key, signal))
}
