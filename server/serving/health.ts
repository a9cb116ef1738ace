import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnalyticsApi } from 'foldgate'
import { type SandboxState, SingleFlight } from 'foldgate/internal'
import type { Store } from '../database/store.js'
import type { Log } from '../operation/log.js'
import type { KnownSnapshots } from '../snapshots/known-snapshots.js'
import type { Shared } from '../snapshots/shared.js'
import type { DiskSpace } from './space.js'

/** Checks by name; each is fulfilled when what it names answers. */
export type HealthChecks = Readonly<Record<string, () => Promise<unknown>>>

/** The health endpoints of a server. */
export interface Health {
  /** Answers `/live`, `/ready` and `/ready?details`; false for any other path. */
  answer(request: IncomingMessage, response: ServerResponse): boolean
  /** From now on, the server is ready when all its own checks are fulfilled. */
  serving(checks: HealthChecks, details?: Details): void
  /** From now on, the server is not ready. */
  draining(): void
}

/** What answers tell besides whether the server is ready. */
export interface Details {
  /**
   * Checks of what all servers depend on, for `/ready?details`. They do not make a server not ready: proxies
   * would take out all servers at once, and with them the answers that say what is wrong.
   */
  dependencies: HealthChecks
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
  let state: 'starting' | 'serving' | 'draining' = 'starting'
  let lacking = async (): Promise<string[]> => []
  let detailed = async (): Promise<object> => ({})
  let missingSnapshots = () => 0
  let last: string | null = null

  async function readiness(isDetailed: boolean): Promise<{ status: number; body: object }> {
    const [lacks, more] = await Promise.all([lacking(), isDetailed ? detailed() : {}])
    const notReady = state === 'serving' ? lacks : [state] // the state may have changed meanwhile
    const now = notReady.join(', ')
    if (now !== last && now === '') log.info({ type: 'ready' }, 'ready')
    if (now !== last && now !== '') log.warn({ type: 'ready', notReady }, `not ready: ${now}`)
    last = now
    const missing = missingSnapshots() === 0 ? {} : { missingSnapshots: missingSnapshots() }
    if (now === '') return { status: 200, body: { status: 'ready', ...more, ...missing } }
    return { status: 503, body: { status: 'notReady', notReady, ...more, ...missing } }
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
    serving(checks, details) {
      state = 'serving'
      lacking = failing(checks)
      if (!details) return
      const down = failing(details.dependencies)
      detailed = async () => ({ walls: details.walls, down: await down() })
      missingSnapshots = details.missingSnapshots
    },
    draining() {
      state = 'draining'
      lacking = async () => []
    },
  }
}

/** A function that runs checks and returns the names of those that fail. */
function failing(checks: HealthChecks): () => Promise<string[]> {
  // All requests share a check, so that pending checks do not pile up when a folder or database hangs.
  const running = new SingleFlight<unknown>()
  return async () => {
    const fails = Object.entries(checks).map(([name, check]) =>
      running.join(name, { ms: CHECK_MS }, check).then(
        () => [],
        () => [name],
      ),
    )
    return (await Promise.all(fails)).flat()
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
  response.end(response.req.method === 'HEAD' ? undefined : JSON.stringify(body))
}

/** The checks of what a server has for itself: its disk, engine and guard. */
export function checksOf(space: DiskSpace, api: AnalyticsApi): HealthChecks {
  const asking = new SingleFlight<Awaited<ReturnType<AnalyticsApi['health']>>>()
  /** Asked once for the checks that run together. */
  const health = () => asking.join('health', {}, () => api.health())
  return {
    disk: () => space.check(),
    async engine() {
      if ((await health()).workers === 0) throw new Error('no engine process answers')
    },
    async guard() {
      if (!(await health()).guard) throw new Error('the process that reads statements does not answer')
    },
  }
}

/** The checks of what a server depends on: the control store, and the snapshots. */
export function dependenciesOf(
  stores: readonly Store[],
  shared: Shared,
  known: KnownSnapshots,
): HealthChecks {
  return {
    store: () =>
      Promise.all(stores.map(({ db }) => db.selectFrom('organizations').select('key').limit(1).execute())),
    snapshots: () => Promise.all([shared.check(), known.checkFolder()]),
  }
}
