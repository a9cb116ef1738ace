import { hostname } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { type AnalyticsApi, createAnalyticsApi, type KeyPort } from 'foldgate'
import {
  knowSound,
  openSandbox,
  removeLeft,
  SandboxMissing,
  type SandboxMode,
  type SandboxState,
  stateOf,
  WALLS,
} from 'foldgate/internal'
import { checkCatalogue } from 'foldgate/sealing'
import { namingControl, openControl, type Store } from '../database/store.js'
import { additions } from '../input/installed.js'
import { namesOf } from '../input/key-limits.js'
import { Refusal } from '../input/refusal.js'
import { processActor } from '../operation/actor.js'
import { logEvent, loggedReason, watchRecycling } from '../operation/event-log.js'
import { type Log, openLog, type Report } from '../operation/log.js'
import { version } from '../operation/version.js'
import type { PageAddition } from '../pages/routing.js'
import type { ServerConfig } from '../settings/config.js'
import { isReference, loadCatalogue } from '../settings/load-catalogue.js'
import type { SettingAddition } from '../settings/setting.js'
import { wordsOf } from '../settings/words.js'
import { type DataFolder, lockDataFolder, openDataFolder } from '../snapshots/data-folder.js'
import { KnownSnapshots } from '../snapshots/known-snapshots.js'
import { tellingLackingTables } from '../snapshots/lacking-tables.js'
import { requireSharedFolder } from '../snapshots/marker.js'
import { problemLines } from '../snapshots/problems.js'
import { keepPruning } from '../snapshots/pruning.js'
import { budgetLimits, budgetPort } from '../store/budget.js'
import { type Chore, keepDoing } from '../store/chores.js'
import { type FailedLogin, FailedLogins } from '../store/failed-logins.js'
import { FirstUses } from '../store/first-uses.js'
import { longestUnchecked } from '../store/newest-snapshots.js'
import { keyPort, projectPort, signingSecrets } from '../store/ports.js'
import { existingProjects } from '../store/projects.js'
import { quotaLimits, quotaPort } from '../store/quota.js'
import { recordedExports } from '../store/recorded-exports.js'
import { runningCalls, TOLD_EVERY_MS } from '../store/running.js'
import { usagePort } from '../store/usage.js'
import { keepAuditLog } from './audit-log.js'
import { choresOf } from './chores.js'
import { type Closer, closeAll } from './closing.js'
import { enginesOf } from './configured-engines.js'
import { watchDescriptors } from './descriptors.js'
import { InHand } from './drain.js'
import { createFront } from './front.js'
import { checksOf, createHealth, dependenciesOf, measureHealth } from './health.js'
import { listen, originsOf } from './listen.js'
import { compareWith, readMachine, refuseImpossible, tellFindings } from './machine.js'
import type { Measures } from './metrics.js'
import { type ServedSockets, serveSockets } from './sockets.js'
import { DiskSpace } from './space.js'
import { acceptedTokens, usageOfOrganizations } from './token-port.js'

/** A check takes about a second; a server must not wait for a catalogue that never ends to run. */
const CHECK_MS = 60_000

/** A running server. */
export interface RunningServer {
  /** Its address, with the port that it listens on. */
  url: string
  /** The URL of its metrics; null when they are not served. */
  metricsUrl: string | null
  /**
   * Answers `/ready` with 503, lets calls in flight finish for at most `drainMs`, stops everything, writes
   * the counters and releases the data folder. Resolves with the number of calls that were cut off.
   */
  close(): Promise<number>
}

/** What a package needs of a running server. */
export interface Running {
  store: Store
  log: Log
  report: Report
  /** Null when no metrics are served. */
  metrics: Measures | null
  /** Reads a setting of the package. */
  read: ServerConfig['read']
}

/** What a package does while a server runs. */
export interface ServingAddition {
  /** Begins once calls are answered. What it resolves with is stopped before the server. */
  serve(running: Running): Promise<{ stop(): Promise<void> }>
  /** What a server does every hour. */
  chores(store: Store): readonly Chore[]
}

/**
 * Starts the reference server and resolves once it answers calls. Throws a Refusal when the port is taken, when
 * the data folder cannot be used or another server is using it, and when the catalogue cannot be loaded.
 */
export async function startServer(config: ServerConfig, log: Log = openLog()): Promise<RunningServer> {
  const closers: Closer[] = []
  try {
    const { urls, drain } = await namingControl({ name: config.data }, () =>
      start(config, log, close => closers.push(close)),
    )
    log.info({ type: 'started' }, 'server started')
    let closing: Promise<number> | undefined
    const close = async () => {
      log.info({ type: 'stopping' }, 'server is stopping')
      const cut = await drain()
      await closeAll(closers)
      log.info({ type: 'stopped', cut }, 'server stopped')
      return cut
    }
    return {
      ...urls,
      close() {
        closing ??= close()
        return closing
      },
    }
  } catch (error) {
    await closeAll(closers).catch(() => {}) // the error says more
    throw error
  }
}

async function start(
  config: ServerConfig,
  log: Log,
  onClose: (close: Closer) => void,
): Promise<{ urls: { url: string; metricsUrl: string | null }; drain(): Promise<number> }> {
  const catalogue = await loadCatalogue(config.catalogue)
  const tokens = config.tokens === null ? null : await acceptedTokens(config.tokens, config.baseUrl)
  const folder = await openDataFolder(config.data, { ...config, catalogue })
  const { shared } = folder
  onClose(() => shared.close())
  const lock = lockDataFolder(folder)
  onClose(() => lock.release())
  const machine = await readMachine()
  const findings = await compareWith(machine, config, folder)
  refuseImpossible(findings)
  const finding = findWalls(config.sandbox)
  const checking = refuseMistakes(config, folder, log)
  for (const each of [finding, checking]) each.catch(() => {}) // awaited below, once the server listens
  const { metricsHost, metricsPort } = config
  const metrics = metricsPort === null ? null : await openMetrics({ host: metricsHost, port: metricsPort })
  onClose(() => metrics?.close())
  const report = (what: string, cause: unknown) =>
    log.warn({ type: 'background' }, `${what} failed: ${loggedReason(cause)}`)
  const actor = processActor('server')
  const store = await openControl(folder, { report, actor })
  onClose(() => store.close())
  let auditLog: { stop(): Promise<void> } | undefined
  onClose(() => auditLog?.stop()) // after all that records what has happened
  const sharedId = await requireSharedFolder(store, folder)
  // Counters have separate connections: they wait for other writers without
  // blocking calls, and not for the disk.
  const counters = await openControl(folder, { blockingWaitMs: 0, isDurable: false })
  onClose(() => counters.close())
  const usage = usagePort(counters, report)
  onClose(() => usage.close())
  const quota = await quotaPort(counters, quotaLimits(config), report)
  onClose(() => quota.close())
  const budget = budgetLimits(config)
  const onFailure = (cause: unknown) => report('removing scratch files of a process that ended', cause)
  // Not awaited: it may have millions of files to remove.
  removeLeft(folder.scratch, { ofUnknown: true, onFailure }).catch(onFailure)
  const known = new KnownSnapshots({ store, shared, sharedId }, log, report)
  onClose(() => known.stop())
  await known.look()
  const secrets = await signingSecrets(store)
  const exports = shared.openExports(config.exportRetentionMs)
  onClose(() => exports.close())

  const { proxies } = config
  const health = createHealth(log)
  if (metrics) measureHealth(metrics, health)
  const space = new DiskSpace(folder, log)
  let api: AnalyticsApi | undefined
  const { server, open } = createFront(config, health, path => api?.handles(path) ?? false)
  const inHand = new InHand(server)
  const url = await listen(server, { ...config, settings: { host: '--host', port: '--port' } })
  const descriptors = watchDescriptors(server, { log, metrics, limit: machine.descriptors })
  onClose(() => descriptors.stop())
  let sockets: ServedSockets | undefined
  onClose(async () => {
    await inHand.drain(sockets, 0)
    await api?.close()
  })
  const baseUrl = config.baseUrl ?? url
  const firstUses = new FirstUses(store, report)
  onClose(() => firstUses.close())
  const apiKeys = keyPort(store, keyId => firstUses.note(keyId))
  const keys: KeyPort = {
    authenticate: async (key, signal) =>
      (await tokens?.keys.authenticate(key, signal)) ?? apiKeys.authenticate(key, signal),
  }
  // Calls that arrive before the engine is ready are UNAVAILABLE at once, so that
  // another server can answer them.
  const starting = new Error('the server is starting')
  let isStarting = true
  const warnOfRecycling = watchRecycling(log, () => service.stats().connections)
  const origins = originsOf(config, url)
  const engines = await enginesOf(config, folder)
  // Loaded while the engine processes start, since loading takes about as long.
  const mcp = import('foldgate/mcp').then(({ mcpEndpoint }) => mcpEndpoint(origins ? { origins } : {}))
  const service = createAnalyticsApi({
    baseUrl,
    secrets,
    catalogue,
    keys: {
      authenticate: async (...asked) => (isStarting ? Promise.reject(starting) : keys.authenticate(...asked)),
    },
    ...(tokens?.authorizationServers.length ? { authorizationServers: tokens.authorizationServers } : {}),
    projects: projectPort(store),
    snapshots: tellingLackingTables(known.port, catalogue, log),
    exports: known.guard(recordedExports(store, exports)),
    ...engines,
    quota,
    ...(budget === null ? {} : { budget: budgetPort(counters, budget) }),
    slowMs: config.slowMs,
    usage: usageOfOrganizations(usage),
    limits: config.limits,
    sqlInEvents: config.logSql,
    compression: config.compression,
    mcp,
    ...(config.corsOrigin === null ? {} : { cors: { origins: config.corsOrigin } }),
    onEvent(event) {
      if (event.type === 'dependency' && event.cause === starting) return
      if (event.type === 'sandbox') return // told with the walls that were found
      metrics?.count(event)
      space.see(event)
      logEvent(log, event)
      warnOfRecycling(event)
    },
  })
  // Loaded now for the same reason.
  const [{ createApp }] = await Promise.all([import('./app.js'), mcp])
  api = service
  const added = await additions<ServingAddition & PageAddition & SettingAddition>()
  if (metrics) {
    const disk = shared.watch()
    onClose(() => void disk.stop()) // not awaited: a share that hangs must not keep the server from ending
    metrics.watch({
      stats: api.stats,
      sockets: () => sockets?.size ?? 0,
      missingSnapshots: () => known.missing,
      disk: disk.latest,
      projectsOf: ids => existingProjects(store, ids),
      longestUnchecked: limit => longestUnchecked(store, limit),
    })
  }
  const doing = keepDoing(
    [...choresOf(store, shared, config), ...added.flatMap(each => each.chores?.(store) ?? [])],
    report,
  )
  onClose(() => doing.stop())
  const running = runningCalls(counters, service)
  const telling = keepDoing([running], report, TOLD_EVERY_MS)
  onClose(() =>
    telling
      .stop()
      .then(running.stop)
      .catch(cause => report(running.what, cause)),
  )
  const { keepSnapshots: keep, exportRetentionMs } = config
  const pruning = keepPruning(
    store,
    { snapshots: shared.snapshots, exports },
    { keep, exportRetentionMs },
    report,
  )
  onClose(() => pruning.stop())
  sockets = serveSockets(server, api, { inHand, proxies })
  const failedLogins = new FailedLogins(store, report)
  onClose(() => failedLogins.stop())
  const onFailedLogin = (failed: FailedLogin) => {
    metrics?.countFailedLogin()
    failedLogins.note(failed)
  }
  const limits = { stallTimeoutMs: config.limits.stallTimeoutMs }
  const words = wordsOf(catalogue)
  const { read } = config
  const options = { store, baseUrl, proxies, read, limits, onFailedLogin, added }
  const pages = { ...options, words, known: namesOf(catalogue) }
  open(createApp(api, pages, log))
  const { walls } = logWalls(log, config.sandbox, await finding)
  tellFindings(log, findings)
  await checking
  await api.ready()
  isStarting = false
  if (config.auditLog !== null) auditLog = await keepAuditLog(store, config.auditLog, report)
  // Calls are answered also while the store takes no writes.
  await recordStart(store, config, added).catch(cause => report('recording the start', cause))
  for (const { serve } of added) {
    const serving = await serve?.({ store, log, report, metrics, read })
    onClose(() => serving?.stop())
  }
  const dependencies = dependenciesOf([store, counters], shared, known)
  health.serving(checksOf(space, api), { dependencies, missingSnapshots: () => known.missing, walls })
  return {
    urls: { url, metricsUrl: metrics?.url ?? null },
    async drain() {
      health.draining()
      await setTimeout(config.drainDelayMs)
      return inHand.drain(sockets, config.drainMs)
    },
  }
}

/** Records in the audit with which settings a server has started. */
async function recordStart(
  store: Store,
  { written }: ServerConfig,
  added: readonly Partial<SettingAddition>[],
): Promise<void> {
  const data = { version: version(), settings: written(added.flatMap(({ settings = [] }) => settings)) }
  const at = store.clock.now()
  await store.transaction(within =>
    within.tell({ type: 'server.started', subject: hostname(), at, concerns: { operator: true }, data }),
  )
}

/** Loads the metrics only when they are configured, since startup waits for it. */
async function openMetrics(place: { host: string; port: number }) {
  const { serveMetrics } = await import('./metrics.js')
  return serveMetrics(place)
}

/**
 * Throws a Refusal that lists the mistakes in the catalogue of a server. Tests hold that the reference catalogue
 * has none. A check that does not end in time is logged.
 */
async function refuseMistakes(
  { functions, sandbox }: Pick<ServerConfig, 'functions' | 'sandbox'>,
  folder: DataFolder,
  log: Log,
): Promise<void> {
  const { catalogue } = folder
  if (isReference(catalogue)) return knowSound(catalogue)
  const signal = AbortSignal.timeout(CHECK_MS)
  const guard = { functions: functions ?? [] }
  const options = { folder: folder.scratch, guard, sandbox, signal }
  const problems = await checkCatalogue(catalogue, options).catch(cause => {
    if (!signal.aborted) throw cause
    log.warn(
      { type: 'catalogue' },
      `the catalogue was not checked within ${CHECK_MS / 1000} s: run "foldgate check"`,
    )
    return []
  })
  if (problems.length > 0)
    throw new Refusal(
      `The catalogue has mistakes: correct it, and check it with "foldgate check":\n${problemLines(problems).join('\n')}`,
    )
  if (!signal.aborted) knowSound(catalogue) // the engine need not check it again
}

/** Finds the walls that engine processes will run behind. Throws a Refusal when one that is required is missing. */
async function findWalls(mode: SandboxMode): Promise<SandboxState> {
  const sandbox = await openSandbox(mode).catch(cause => {
    throw cause instanceof SandboxMissing ? new Refusal(cause.message, { cause }) : cause
  })
  return stateOf(sandbox)
}

/** Logs the walls, warns of those that are missing, and returns what it was given. */
function logWalls(log: Log, mode: SandboxMode, state: SandboxState): SandboxState {
  const { launcher, walls, missing } = state
  const about = { type: 'sandbox', launcher, walls, ...(missing === null ? {} : { missing }) }
  if (missing === null) log.info(about, `engine processes run behind ${launcher}`)
  else if (mode === 'off') log.warn(about, 'engine processes run without a sandbox: it is off')
  else log.warn(about, `engine processes run without these walls: ${lackingOf(state)}. ${missing}`)
  return state
}

function lackingOf({ walls }: SandboxState): string {
  return WALLS.filter(wall => !walls.includes(wall)).join(', ')
}
