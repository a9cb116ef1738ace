import type { Catalogue } from './catalogue/catalogue.js'
import type { Clock, ExportPort, KeyPort, ProjectPort, QuotaPort, SnapshotPort, UsagePort } from './ports.js'
import type { Phase } from './work.js'

/** Bytes in a MiB. */
const MIB = 1024 * 1024

/**
 * Every limit of the service with its default, unit and effect. Sizes are bytes, durations milliseconds. The defaults
 * are the values of the published contract.
 */
export const LIMITS = {
  queryTimeoutMs: { default: 30_000, effect: 'A query that runs longer is answered QUERY_TIMEOUT.' },
  exportTimeoutMs: { default: 120_000, effect: 'The query of an export that runs longer is answered QUERY_TIMEOUT.' },
  buildTimeoutMs: { default: 60_000, effect: 'A call that waits longer for its relations is answered UNAVAILABLE.' },
  connectionWaitMs: {
    default: 5_000,
    effect: 'A call that waits longer for a free connection is answered UNAVAILABLE.',
  },
  pageBytes: { default: 4 * MIB, effect: 'A page whose rows would pass it as JSON ends early, with a nextCursor.' },
  rowBytes: { default: 4 * MIB, effect: 'A single row that passes it as JSON is answered INVALID_QUERY.' },
  exportBytes: { default: 1024 * MIB, effect: 'An export whose file would pass it is stopped: QUERY_TOO_LARGE.' },
  bodyBytes: { default: MIB, effect: 'A request body that passes it is answered INVALID_REQUEST.' },
  linkValidityMs: { default: 15 * 60_000, effect: 'A link that is older is answered LINK_EXPIRED (410).' },
  linkMemoryMs: { default: 86_400_000, effect: 'A link expired for longer than this is answered NOT_FOUND (404).' },
  dependencyTimeoutMs: { default: 10_000, effect: 'A port that takes longer counts as down: UNAVAILABLE.' },
} as const

/** Name of a limit. */
export type LimitName = keyof typeof LIMITS

/** Limits as a host sets them: each one optional, see {@link LIMITS}. */
export type LimitOptions = Partial<Record<LimitName, number>>

/** Every limit, set. */
export type Limits = Record<LimitName, number>

/** How the engine processes run. */
export interface EngineOptions {
  /** Folder for caches and scratch files, created when missing. One running service owns it. */
  folder: string
  /** Engine processes, each running one query at a time. Default: the cores, at least 2. */
  connections?: number
  /** What one engine process may take, bytes. Default 1 GiB, at least 512 MiB. */
  memoryLimitBytes?: number
  /** DuckDB threads in each engine process. Default 1. */
  threads?: number
  /** What one query may spill to disk, bytes. Default: four times the memory limit. */
  spillBytes?: number
  /** What the built relations may take on disk, bytes. Default 10 GiB. */
  cacheBytes?: number
  /** What stored rows of results may take on disk, bytes. Default 2 GiB. */
  resultBytes?: number
}

/** Which pages of other origins may call. */
export interface CorsOptions {
  /** Their origins, for instance `https://app.example`; `*` for any. */
  origins: readonly string[] | '*'
  /** How long a browser may keep that it is allowed, seconds. Default 7200, beyond which none keeps it. */
  maxAgeSeconds?: number
}

/** Something the host may want to log. No event carries a key or rows, nor SQL text unless the host asks for it. */
export type AnalyticsEvent =
  | {
      type: 'call'
      /** A method name, `download` for a file that was fetched by its link, `unknown` for anything else. */
      method: string
      /** `OK` or the class of the failure. */
      outcome: string
      keyId: string | null
      projectId: string | null
      durationMs: number
      /** Where the time went; not yet what the answer takes to write. */
      phasesMs: Partial<Record<Phase, number>>
      /** Rows and bytes of the answer, before it is wrapped. */
      rows: number
      bytes: number
      /** The caller's SQL as sent; only with `sqlInEvents`, and only where it could be read. */
      sql?: string
    }
  | { type: 'dependency'; port: string; cause: unknown }
  | { type: 'fault'; reference: string; cause: unknown }
  | { type: 'engine'; what: 'started' | 'died' | 'replaced'; detail: string }
  | { type: 'build'; relation: string; snapshotId: string; durationMs: number; cause?: unknown }

/** What `createAnalyticsApi` takes. */
export interface AnalyticsOptions {
  /** Origin under which callers reach the service, for the links of exports, for instance `https://data.example`. */
  baseUrl: string
  /** Secrets that seal cursors and links; the first seals, all open. At least 32 characters each. */
  secrets: readonly string[]
  catalogue: Catalogue
  keys: KeyPort
  projects: ProjectPort
  snapshots: SnapshotPort
  exports: ExportPort
  engine: EngineOptions
  /** Default: 600 calls a minute a key, counted in memory. */
  quota?: QuotaPort
  /** Default: nothing is counted. */
  usage?: UsagePort
  limits?: LimitOptions
  /** Default: browsers let pages of the service's own origin alone call. */
  cors?: CorsOptions
  /** Called for everything worth a log line. Default: nothing. */
  onEvent?: (event: AnalyticsEvent) => void
  /** Whether the event of a call carries the caller's SQL: it may name what its reader has no right to. Default: false. */
  sqlInEvents?: boolean
  /** Default: the system's clock. */
  clock?: Clock
}

/** The limits with their defaults filled in; a value that is no positive integer throws, naming the limit. */
export function resolveLimits(options: LimitOptions = {}): Limits {
  const limits = {} as Limits
  for (const name of Object.keys(LIMITS) as LimitName[]) limits[name] = options[name] ?? LIMITS[name].default
  for (const [name, value] of Object.entries(options)) {
    if (!(name in LIMITS)) throw new TypeError(`limits.${name} is not a limit`)
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      throw new TypeError(`limits.${name} must be a whole number above 0, not ${value}`)
  }
  return limits
}
