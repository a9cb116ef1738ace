import type { Catalogue } from './catalogue/catalogue.js'
import type { Clock, ExportPort, KeyPort, ProjectPort, QuotaPort, SnapshotPort, UsagePort } from './ports.js'
import type { Phase } from './work.js'

const MIB = 1024 * 1024

/**
 * Every limit of the service with its default, unit and effect. Sizes are bytes, durations milliseconds. The defaults
 * are the values of the published contract.
 */
export const LIMITS = {
  queryTimeoutMs: { default: 30_000, effect: 'A query that runs longer is answered QUERY_TIMEOUT.' },
  exportTimeoutMs: {
    default: 120_000,
    effect:
      'The query of an export that runs longer is answered QUERY_TIMEOUT; a storage that takes longer for its file, UNAVAILABLE.',
  },
  buildTimeoutMs: { default: 60_000, effect: 'A call that waits longer for its relations is answered UNAVAILABLE.' },
  connectionWaitMs: {
    default: 5_000,
    effect: 'A call that waits longer for a free connection, or for its statement to be read, is answered UNAVAILABLE.',
  },
  pageBytes: { default: 4 * MIB, effect: 'A page whose rows would pass it as JSON ends early, with a nextCursor.' },
  rowBytes: { default: 4 * MIB, effect: 'A single row that passes it as JSON is answered INVALID_QUERY.' },
  exportBytes: { default: 1024 * MIB, effect: 'An export whose file would pass it is stopped: QUERY_TOO_LARGE.' },
  bodyBytes: { default: MIB, effect: 'A request body that passes it is answered INVALID_REQUEST.' },
  ownerUnsentBytes: {
    default: 64 * MIB,
    effect: 'What may wait to be read of the answers to one owner; a call beyond it is answered UNAVAILABLE.',
  },
  unsentBytes: { default: 256 * MIB, effect: 'The same for the answers to all callers together.' },
  stallTimeoutMs: { default: 30_000, effect: 'An answer of which nothing has been taken for longer is cut off.' },
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
  /**
   * Folder for caches and scratch files, created when missing, also later. Each service that runs at a time has a place of
   * its own in it, with a cache of its own: services that always run beside each other better have folders of their own.
   */
  folder: string
  /**
   * Queries that run at once, each in an engine process; one more while a single organization or project holds them all
   * and another waits. Default: the cores, at least 2.
   */
  connections?: number
  /**
   * Engine processes that are kept, each with the data of one organization, so that an organization finds its own warm; a
   * change of organization costs a process. Default: as many as a quarter of the machine's memory has room for at 128 MiB
   * each, at most 64; always at least one more than `connections`.
   */
  residents?: number
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
      /** A call or a download has ended. */
      type: 'call'
      /** A method name, `download` for a file that was fetched by its link, `unknown` for anything else. */
      method: string
      /** `OK` or the class of the failure. */
      outcome: string
      /** Null where no key held. */
      keyId: string | null
      /** Null where no project was named. */
      projectId: string | null
      /** From the request to its answer. */
      durationMs: number
      /** Where the time went; not yet what the answer takes to write. */
      phasesMs: Partial<Record<Phase, number>>
      /** Rows of the answer or of the exported file. */
      rows: number
      /** Bytes of the answer's rows, of the exported file, or of the file downloaded. */
      bytes: number
      /** The caller's SQL as sent; only with `sqlInEvents`, and only where it could be read. */
      sql?: string
    }
  | {
      /** A port has rejected or took too long, or what the engine works with is not there. */
      type: 'dependency'
      /** Which one, for instance `keys`; `engine` its disk or a built relation, `guard` the process that reads texts. */
      port: string
      /** What it rejected with. */
      cause: unknown
    }
  | {
      /** A bug, of Foldgate or of how it is mounted: its caller was answered INTERNAL. */
      type: 'fault'
      /** What the caller was told to quote. */
      reference: string
      /** What went wrong. */
      cause: unknown
    }
  | {
      /** An engine process has started or ended. */
      type: 'engine'
      /** `replaced`: started in place of one that had died. */
      what: 'started' | 'died' | 'replaced'
      /** Its id, or how it ended. */
      detail: string
    }
  | {
      /** A relation was built, or could not be. */
      type: 'build'
      /** Its name in the catalogue. */
      relation: string
      /** The snapshot that it was built from. */
      snapshotId: string
      /** What the build took. */
      durationMs: number
      /** Why it could not be built; absent when it was. */
      cause?: unknown
    }

/** What `createAnalyticsApi` takes. */
export interface AnalyticsOptions {
  /**
   * Where callers reach the service, the prefix of its mount included: `https://data.example/analytics`. Links of exports
   * begin with it, and its path is what is answered.
   */
  baseUrl: string
  /** Secrets that seal cursors and links; the first seals, all open. At least 32 characters each. */
  secrets: readonly string[]
  /** What callers may query, see {@link defineCatalogue}. */
  catalogue: Catalogue
  /** Who is behind a key. */
  keys: KeyPort
  /** The projects of the host. */
  projects: ProjectPort
  /** Their sealed snapshots, for instance {@link directorySnapshots}. */
  snapshots: SnapshotPort
  /** Where exported files are kept, for instance {@link directoryExports}. */
  exports: ExportPort
  /** How the engine processes run. */
  engine: EngineOptions
  /** Default: 600 calls a minute a key, counted in memory. */
  quota?: QuotaPort
  /** Default: nothing is counted. */
  usage?: UsagePort
  /** Default: those of the contract, see {@link LIMITS}. */
  limits?: LimitOptions
  /** Default: browsers let pages of the service's own origin alone call. */
  cors?: CorsOptions
  /** Called for everything worth a log line; what it throws is ignored. Default: nothing. */
  onEvent?: (event: AnalyticsEvent) => void
  /** Whether the event of a call carries the caller's SQL: it may name what its reader has no right to. Default: false. */
  sqlInEvents?: boolean
  /** Default: the system's clock. */
  clock?: Clock
}

/** The host's `onEvent` as the library calls it: one that throws or rejects changes no call and ends no process. */
export function resolveListener({ onEvent }: Pick<AnalyticsOptions, 'onEvent'>): (event: AnalyticsEvent) => void {
  return event => void (async () => onEvent?.(event))().catch(() => {})
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
