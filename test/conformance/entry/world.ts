import { randomUUID } from 'node:crypto'
import { type SocketHandler, serveWebSocket } from 'foldgate/ws'
import { WebSocketServer } from 'ws'
import type { Mount } from '../../service/mount.js'
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
  readonly #sockets: SocketHandler[] = []
  readonly #held = new AbortController()

  private constructor(services: Record<ServiceName, Service>) {
    const sites = Object.entries(services).map(([name, service]) => [name, this.#siteOf(service)])
    this.sites = Object.fromEntries(sites) as Record<ServiceName, Site>
  }

  /** Without a mount each service has a server for itself. */
  static async open(mount?: Mount): Promise<World> {
    const names = Object.keys(SERVICES) as ServiceName[]
    const services = await Promise.all(
      names.map(name => startService({ ...SERVICES[name](), ...(mount ? { mount } : {}) })),
    )
    const world = new World(Object.fromEntries(names.map((name, index) => [name, services[index]])) as never)
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
    await Promise.all(this.#sockets.map(sockets => sockets.close(0)))
    await Promise.all(Object.values(this.sites).map(({ service }) => service.close()))
  }

  /** A host without a WebSocket of its own has that of the API alone. */
  #siteOf(service: Service): Site {
    const { api, server, url } = service
    if (server.listenerCount('upgrade') === 0) {
      const sockets = serveWebSocket(api, new WebSocketServer({ noServer: true }))
      server.on('upgrade', (request, socket, head) => {
        if (!sockets.upgrade(request, socket, head)) socket.destroy()
      })
      this.#sockets.push(sockets)
    }
    return { service, socketUrl: `ws://${new URL(url).host}${api.adapter.socketPath}` }
  }

  /** Takes the only connection of `busy`; what is then asked for has to wait. */
  async hold(): Promise<void> {
    const { api } = this.sites.busy.service
    const authorization = `Bearer ${KEYS.north}`
    const { signal } = this.#held
    // Once more when it has come too late: then nobody would ever have it.
    const hold = (): Promise<unknown> =>
      api
        .call('projects/query', { projectId: PROJECT, sql: ENDLESS }, { authorization, signal })
        .catch(() => (signal.aborted ? undefined : hold()))
    void hold()
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
