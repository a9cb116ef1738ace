import type { Limits } from './call/limits.js'
import type { CallTracing } from './call/tracing.js'
import type { Catalogue } from './catalogue/catalogue.js'
import type { OpenEngine } from './engine/port.js'
import type { AnalyticsEvent } from './events.js'
import type { CorsOptions } from './http/cors.js'
import type { Endpoint } from './http/endpoint.js'
import type {
  BudgetPort,
  Clock,
  ExportPort,
  KeyPort,
  ProjectPort,
  QuotaPort,
  SnapshotPort,
  UsagePort,
} from './ports.js'
import { checkOptions } from './values/known-options.js'

/** Options of `createAnalyticsApi`. */
export interface AnalyticsOptions {
  /**
   * URL at which callers reach the service, including the path where it is mounted:
   * `https://data.example/analytics`. The API answers requests below its path, and export links begin with
   * it.
   */
  baseUrl: string
  /**
   * Secrets of at least 32 characters that sign cursors and export links. The first one signs; all of them
   * verify.
   */
  secrets: readonly string[]
  /** Relations that callers may query, see {@link defineCatalogue}. */
  catalogue: Catalogue
  /** Looks up API keys. */
  keys: KeyPort
  /**
   * Issuers whose tokens `keys` accepts, such as `https://login.example`. With them, every 401 over HTTP says in
   * `WWW-Authenticate` where the metadata of the API are (RFC 9728), by which clients of agents find where to log in: at
   * `/.well-known/oauth-protected-resource` before the path of `baseUrl`. Default: none.
   */
  authorizationServers?: readonly string[]
  /** Looks up projects. */
  projects: ProjectPort
  /** Finds and opens sealed snapshots, for instance {@link directorySnapshots}. */
  snapshots: SnapshotPort
  /** Stores exported files, for instance {@link directoryExports}. */
  exports: ExportPort
  /** What runs statements: `duckdbEngine({ folder })`, which comes with the library, or another engine. */
  engine: OpenEngine
  /** Engines for the projects that name one, see {@link ProjectRecord.engine}. Default: none. */
  engines?: Readonly<Record<string, OpenEngine>>
  /** Disk space for stored rows of results, in bytes, of each engine. Default: 2 GiB. */
  resultBytes?: number
  /** Limits the calls per key. Default: 600 calls per minute per key, counted in memory. */
  quota?: QuotaPort
  /** Limits what statements of an organization take, as `memoryBudget` does. Default: no limits but those of calls. */
  budget?: BudgetPort
  /** Records usage. Default: usage is not recorded. */
  usage?: UsagePort
  /** Limits that differ from the defaults of {@link Limits}. */
  limits?: Partial<Limits>
  /** Cross-origin access for browsers. Default: pages of the service's own origin only. */
  cors?: CorsOptions
  /**
   * Serves agents at `/public/v1/mcp`: `mcpEndpoint()` of `foldgate/mcp`, or a promise of it, so that the
   * engine starts while that entry point is loaded. Default: the path is answered METHOD_NOT_FOUND.
   */
  mcp?: Endpoint | Promise<Endpoint>
  /**
   * Serves a query page at `/explore`: `explorePage()` of `foldgate-explore`, or a promise of it. Default: the host is asked
   * for that path.
   */
  explore?: Endpoint | Promise<Endpoint>
  /**
   * Whether JSON answers of 4 KiB and more are compressed when the client accepts it (`br`, `gzip`, and
   * `zstd` from Node 22.15 on). Downloads never are. Default: true. Turn it off where a proxy compresses.
   */
  compression?: boolean
  /**
   * Whom callers ask about the service: `contact` of the descriptions. Default: its operator, at `baseUrl`.
   */
  contact?: { name?: string; url?: string; email?: string }
  /** Called with each event. What it throws is ignored. Default: events are dropped. */
  onEvent?: (event: AnalyticsEvent) => void
  /**
   * Whether `call` events contain the caller's SQL, which may name what readers of the log must not see.
   * Default: false.
   */
  sqlInEvents?: boolean
  /**
   * The `call` event of a statement that takes this many milliseconds has a digest of it, which groups statements that
   * differ in literals alone. Default: 5,000.
   */
  slowMs?: number
  /** Traces calls: `openTelemetry()` of `foldgate/opentelemetry`. Default: calls are not traced. */
  tracing?: CallTracing
  /** Source of the current time. Default: the system clock. */
  clock?: Clock
}

/**
 * The host's `onEvent`, wrapped so that an exception or rejection in it neither fails a call nor ends the
 * process.
 */
export function resolveListener({
  onEvent,
}: Pick<AnalyticsOptions, 'onEvent'>): (event: AnalyticsEvent) => void {
  return event => void (async () => onEvent?.(event))().catch(() => {})
}

/** The methods that each port must have. */
const PORTS = {
  keys: ['authenticate'],
  projects: ['find', 'list'],
  snapshots: ['list', 'open'],
  exports: ['put', 'open'],
  quota: ['take'],
  budget: ['of', 'spend'],
  usage: ['record'],
} as const

const OPTIONS: Readonly<Record<keyof AnalyticsOptions, true>> = {
  baseUrl: true,
  secrets: true,
  catalogue: true,
  keys: true,
  authorizationServers: true,
  projects: true,
  snapshots: true,
  exports: true,
  engine: true,
  engines: true,
  resultBytes: true,
  quota: true,
  budget: true,
  usage: true,
  limits: true,
  cors: true,
  mcp: true,
  explore: true,
  compression: true,
  contact: true,
  onEvent: true,
  sqlInEvents: true,
  slowMs: true,
  tracing: true,
  clock: true,
}

/** What makes each entry point of another module. */
const ENDPOINTS = {
  mcp: 'mcpEndpoint() of foldgate/mcp',
  explore: 'explorePage() of foldgate-explore',
} as const

const OPTIONAL: readonly string[] = ['quota', 'budget', 'usage']

/** Throws a TypeError that names an option that does not exist. */
export function checkKnown(options: AnalyticsOptions): void {
  checkOptions('createAnalyticsApi', options, OPTIONS)
  checkOptions('contact', options.contact, { name: true, url: true, email: true })
}

/**
 * Throws a TypeError that says what to pass when a required option is missing. In plain JavaScript no compiler checks
 * this, and the first call would fail instead.
 */
export function checkRequired(options: AnalyticsOptions): void {
  if (!(options.catalogue?.relations instanceof Map))
    throw new TypeError('catalogue must be what defineCatalogue() has made')
  for (const [name, maker] of Object.entries(ENDPOINTS)) {
    const given = options[name as keyof typeof ENDPOINTS] as { open?: unknown; then?: unknown } | undefined
    if (given !== undefined && typeof (given?.open ?? given?.then) !== 'function')
      throw new TypeError(`${name} must be what ${maker} returns, or a promise of it`)
  }
  for (const [name, methods] of Object.entries(PORTS)) {
    const port: unknown = options[name as keyof typeof PORTS]
    if (port === undefined && OPTIONAL.includes(name)) continue
    const lacking = methods.filter(
      method => typeof (port as Record<string, unknown> | null)?.[method] !== 'function',
    )
    if (lacking.length > 0)
      throw new TypeError(`${name} must be a port with ${methods.map(method => `${method}()`).join(' and ')}`)
  }
}

/** If a file were removed before its link expires, a caller with a valid link would get NOT_FOUND. */
export function checkRetention({ retentionMs }: ExportPort, { linkValidityMs }: Limits): void {
  if (retentionMs === undefined || retentionMs >= linkValidityMs) return
  const bound = `limits.linkValidityMs, which is ${linkValidityMs}`
  throw new TypeError(`exports keeps files for ${retentionMs} ms: its retentionMs must be at least ${bound}`)
}
