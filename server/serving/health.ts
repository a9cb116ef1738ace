import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnalyticsApi, SandboxState } from 'foldgate'
import { SingleFlight } from 'foldgate/internal'
import type { Store } from '../database/store.js'
import type { Log } from '../operation/log.js'
import type { KnownSnapshots } from '../snapshots/known-snapshots.js'
import type { Shared } from '../snapshots/shared.js'
import type { DiskSpace } from './space.js'

/** The dependencies of a server by name; each check is fulfilled when the dependency answers. */
export type Checks = Readonly<Record<string, () => Promise<unknown>>>

/** The health endpoints of a server. */
export interface Health {
  /** Answers `/live`, `/ready` and `/ready?details`; false for any other path. */
  answer(request: IncomingMessage, response: ServerResponse): boolean
  /** From now on, the server is ready when all these dependencies answer. */
  serving(checks: Checks, details?: Details): void
  /** From now on, the server is not ready. */
  draining(): void
}

/** What answers tell besides whether the server is ready. */
export interface Details {
  /**
   * The number of projects that are UNAVAILABLE because their newest snapshot is missing; the others can be
   * queried all the same.
   */
  missingSnapshots(): number
  /** The walls that engine processes run behind, for `/ready?details`. */
  walls: SandboxState['walls']
}

/** A check that takes longer counts as failed. */
const CHECK_MS = 2000

/** Creates the health of a server that is starting: live, but not ready. */
export function createHealth(log: Log): Health {
  let lacking: () => Promise<string[]> = async () => ['starting']
  let details: Details | null = null
  let last: string | null = null

  async function readiness(isDetailed: boolean): Promise<{ status: number; body: object }> {
    const notReady = await lacking()
    const now = notReady.join(', ')
    if (now !== last && now === '') log.info({ type: 'ready' }, 'ready')
    if (now !== last && now !== '') log.warn({ type: 'ready', notReady }, `not ready: ${now}`)
    last = now
    const missing = details?.missingSnapshots() ?? 0
    const more = {
      ...(isDetailed && details ? { walls: details.walls } : {}),
      ...(missing === 0 ? {} : { missingSnapshots: missing }),
    }
    if (now === '') return { status: 200, body: { status: 'ready', ...more } }
    return { status: 503, body: { status: 'notReady', notReady, ...more } }
  }

  return {
    answer(request, response) {
      const [path, search] = (request.url ?? '').split('?')
      if (path !== '/live' && path !== '/ready') return false
      if (request.method !== 'GET' && request.method !== 'HEAD')
        response.writeHead(405, { Allow: 'GET, HEAD' }).end()
      else if (path === '/live') send(response, 200, { status: 'live' })
      else void readiness(search === 'details').then(({ status, body }) => send(response, status, body))
      return true
    },
    serving(checks, given) {
      details = given ?? null
      // All requests share a check, so that pending checks do not pile up when a folder or database hangs.
      const running = new SingleFlight<unknown>()
      lacking = async () => {
        const lacks = Object.entries(checks).map(([name, check]) =>
          running.join(name, { ms: CHECK_MS }, check).then(
            () => [],
            () => [name],
          ),
        )
        return (await Promise.all(lacks)).flat()
      }
    },
    draining() {
      lacking = async () => ['draining']
    },
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
  response.end(response.req.method === 'HEAD' ? undefined : JSON.stringify(body))
}

/** What the checks look at. */
type Checked = { shared: Shared; known: KnownSnapshots; space: DiskSpace }

/** The checks of a server: its stores, snapshots, disks, engine and guard. */
export function checksOf(
  stores: readonly Store[],
  { shared, known, space }: Checked,
  api: AnalyticsApi,
): Checks {
  const asking = new SingleFlight<Awaited<ReturnType<AnalyticsApi['health']>>>()
  /** Asked once for the checks that run together. */
  const health = () => asking.join('health', {}, () => api.health())
  return {
    store: () =>
      Promise.all(stores.map(({ db }) => db.selectFrom('organizations').select('key').limit(1).execute())),
    snapshots: () => Promise.all([shared.check(), known.check()]),
    disk: () => space.check(),
    async engine() {
      if ((await health()).workers === 0) throw new Error('no engine process answers')
    },
    async guard() {
      if (!(await health()).guard) throw new Error('the process that reads statements does not answer')
    },
  }
}
