import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnalyticsApi } from 'foldgate'
import { type SandboxState, SingleFlight } from 'foldgate/internal'
import type { Store } from '../database/store.js'
import { loggedReason } from '../operation/event-log.js'
import type { Log } from '../operation/log.js'
import type { KnownSnapshots } from '../snapshots/known-snapshots.js'
import type { Shared } from '../snapshots/shared.js'
import type { Measures } from './metrics.js'
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
  /** Whether each thing that makes it ready does so now, by its name. */
  ready(): Promise<Verdicts>
  /** Whether each thing that all servers depend on answers now; empty while the server starts. */
  dependencies(): Promise<Verdicts>
}

/** Whether checks were fulfilled, by name. */
export type Verdicts = Readonly<Record<string, boolean>>

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
/** A store that took a write this recently is not written to again: anyone may ask for details. */
const WRITTEN_MS = 5000

/** Creates the health of a server that is starting: live, but not ready. */
export function createHealth(log: Log): Health {
  let state: 'starting' | 'serving' | 'draining' = 'starting'
  let own: Checks = async () => new Map()
  let shared: Checks = async () => new Map()
  let walls: Details['walls'] | null = null
  let missingSnapshots = () => 0
  let last: string | null = null
  let lastDown: readonly string[] = []

  async function ready(): Promise<Verdicts> {
    const found = await own()
    // The state may have changed meanwhile.
    const known = { starting: state !== 'starting', draining: state !== 'draining' }
    const verdicts = state === 'serving' ? { ...known, ...verdictsOf(found) } : known
    const notReady = failedOf(verdicts)
    const now = notReady.join(', ')
    if (now !== last && now === '') log.info({ type: 'ready' }, 'ready')
    if (now !== last && now !== '') log.warn({ type: 'ready', notReady }, `not ready: ${now}`)
    last = now
    return verdicts
  }

  async function dependencies(): Promise<Verdicts> {
    const found = await shared()
    const verdicts = verdictsOf(found)
    const down = failedOf(verdicts)
    for (const name of down.filter(each => !lastDown.includes(each)))
      log.warn({ type: 'down', name }, `${name} is down: ${loggedReason(found.get(name))}`)
    for (const name of lastDown.filter(each => !down.includes(each)))
      log.info({ type: 'down', name }, `${name} is there again`)
    lastDown = down
    return verdicts
  }

  async function readiness(isDetailed: boolean): Promise<{ status: number; body: object }> {
    const [verdicts, more] = await Promise.all([ready(), isDetailed ? detailed() : {}])
    const notReady = failedOf(verdicts)
    const now = notReady.join(', ')
    const missing = missingSnapshots() === 0 ? {} : { missingSnapshots: missingSnapshots() }
    if (now === '') return { status: 200, body: { status: 'ready', ...more, ...missing } }
    return { status: 503, body: { status: 'notReady', notReady, ...more, ...missing } }
  }

  async function detailed(): Promise<object> {
    return walls === null ? {} : { walls, down: failedOf(await dependencies()) }
  }

  return {
    ready,
    dependencies,
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
      own = running(checks)
      if (!details) return
      shared = running(details.dependencies)
      walls = details.walls
      missingSnapshots = details.missingSnapshots
    },
    draining() {
      state = 'draining'
      own = async () => new Map()
    },
  }
}

/** Runs checks, and returns the failure of each by its name; null for one that was fulfilled. */
type Checks = () => Promise<ReadonlyMap<string, unknown>>

function running(checks: HealthChecks): Checks {
  // All requests share a check, so that pending checks do not pile up when a folder or database hangs.
  const flights = new SingleFlight<unknown>()
  return async () => {
    const found = Object.entries(checks).map(([name, check]) =>
      flights.join(name, { ms: CHECK_MS }, check).then(
        () => [name, null] as const,
        (cause: unknown) => [name, cause ?? new Error('it failed')] as const,
      ),
    )
    return new Map(await Promise.all(found))
  }
}

function verdictsOf(found: ReadonlyMap<string, unknown>): Verdicts {
  return Object.fromEntries([...found].map(([name, failure]) => [name, failure === null]))
}

function failedOf(verdicts: Verdicts): string[] {
  return Object.keys(verdicts).filter(name => !verdicts[name])
}

/** Adds the metrics that show a health to whoever does not ask for `/ready`. */
export function measureHealth(measures: Measures, health: Pick<Health, 'ready' | 'dependencies'>): void {
  const asNumbers = async (verdicts: Promise<Verdicts>) =>
    Object.entries(await verdicts).map(([name, isFulfilled]) => [name, isFulfilled ? 1 : 0] as const)
  measures.series(
    'ready',
    'Whether the server can answer, as far as a reason goes: 0 is why not.',
    'reason',
    () => asNumbers(health.ready()),
  )
  measures.series('dependency_up', 'Whether what all servers depend on can be used.', 'dependency', () =>
    asNumbers(health.dependencies()),
  )
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
  let writtenAt = Number.NEGATIVE_INFINITY
  const requireWritable = async () => {
    if (performance.now() - writtenAt < WRITTEN_MS) return
    await stores[0]?.requireWritable()
    writtenAt = performance.now()
  }
  return {
    store: () =>
      Promise.all([
        ...stores.map(({ db }) => db.selectFrom('organizations').select('key').limit(1).execute()),
        requireWritable(),
      ]),
    snapshots: () => Promise.all([shared.check(), known.checkFolder()]),
  }
}
