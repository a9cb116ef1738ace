import { randomUUID } from 'node:crypto'
import { type SocketHandler, serveWebSocket } from 'foldgate/ws'
import { WebSocketServer } from 'ws'
import type { Mount } from '../../service/mount.js'
import { KEYS, PROJECT, type Service, startService } from '../../service/service.js'
import type { Vendor } from '../../service/vendors.js'
import { ENDLESS, FEW_CALLS, SERVICES, type ServiceName } from './services.js'

/** A project that the host's database fails to look up. */
export const BROKEN_PROJECT = '44444444-4444-4444-8444-444444444444'
/** A key that the host's database fails to look up. */
export const BROKEN_KEY = 'key-broken'
/** A key whose quota is used up. */
export const SPENT_KEY = 'key-spent'

/** A service and the URL of its WebSocket. */
export interface Site {
  service: Service
  socketUrl: string
}

/** The services that cases run on. */
export class World {
  readonly sites: Record<ServiceName, Site>
  readonly #sockets: SocketHandler[] = []
  readonly #held = new AbortController()

  private constructor(
    services: Record<ServiceName, Service>,
    readonly vendor: Vendor,
  ) {
    const sites = Object.entries(services).map(([name, service]) => [name, this.#siteOf(service)])
    this.sites = Object.fromEntries(sites) as Record<ServiceName, Site>
  }

  /** Starts services of a vendor. Without a mount, each has its own server. */
  static async open(vendor: Vendor, names: readonly ServiceName[], mount?: Mount): Promise<World> {
    const { catalogue, files } = vendor
    const services = await Promise.all(
      names.map(name => startService({ catalogue, files, ...SERVICES[name](vendor), ...(mount ? { mount } : {}) })),
    )
    const world = new World(Object.fromEntries(names.map((name, index) => [name, services[index]])) as never, vendor)
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

  /** Serves the API's WebSocket if the host does not. */
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

  /** Occupies the only connection of `busy`, so that later calls have to wait. */
  async hold(): Promise<void> {
    const { api } = this.sites.busy.service
    const authorization = `Bearer ${KEYS.north}`
    const { signal } = this.#held
    // Try again if a probe below had the connection for too long.
    const hold = (): Promise<unknown> =>
      api
        .call('projects/query', { projectId: PROJECT, sql: ENDLESS }, { authorization, signal })
        .catch(() => (signal.aborted ? undefined : hold()))
    void hold()
    let asked = 0 // makes each statement new, since repeated ones are answered from memory
    const isFree = () =>
      api.call('projects/query', { projectId: PROJECT, sql: `SELECT ${++asked}` }, { authorization }).then(
        () => true,
        () => false,
      )
    while (await isFree());
  }

  /** Releases the connection of `busy`. */
  release(): void {
    this.#held.abort()
  }
}

/** Adds an organization with one project and a key that reads it, which no other case uses. */
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

/** Adds a key and uses up its quota for this hour. */
async function spendKey({ host, api }: Service): Promise<void> {
  host.callers.set(SPENT_KEY, { keyId: FEW_CALLS, ownerId: 'ada', organizations: ['north'] })
  await api.call('projects/list', {}, { authorization: `Bearer ${SPENT_KEY}` })
}

/** Makes the host's database fail for one project and one key. */
function breakPorts({ host }: Service): void {
  const { find } = host.projectPort
  const { authenticate } = host.keyPort
  const down = () => Promise.reject(new Error('the database of the host is down'))
  host.projectPort.find = (projectId, signal) => (projectId === BROKEN_PROJECT ? down() : find(projectId, signal))
  host.keyPort.authenticate = (key, signal) => (key === BROKEN_KEY ? down() : authenticate(key, signal))
}
