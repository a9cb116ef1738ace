import { checkOptions } from '../values/known-options.js'

const MIB = 1024 * 1024

/** Maximum length of a statement, in UTF-8 bytes. No option changes it. */
export const MAX_SQL_BYTES = 64 * 1024

/** Every limit of the service. {@link LIMITS} has their defaults, and what happens when one is exceeded. */
export interface Limits {
  /** Maximum running time of a query, in milliseconds. Default: 30,000 (30 s). */
  queryTimeoutMs: number
  /**
   * Maximum time to run an export's query, and to store its file, in milliseconds. Default: 120,000 (2 min).
   */
  exportTimeoutMs: number
  /** How long a call waits for its relations to be built, in milliseconds. Default: 60,000 (1 min). */
  buildTimeoutMs: number
  /**
   * How long a call waits for a free connection or for the statement check, in milliseconds. Default: 5,000
   * (5 s).
   */
  connectionWaitMs: number
  /** Maximum size of the rows of a page as JSON, in bytes. Default: 4 MiB. */
  pageBytes: number
  /** Maximum size of a row as JSON, in bytes. Default: 4 MiB. */
  rowBytes: number
  /** Maximum size of an exported file, in bytes. Default: 1 GiB. */
  exportBytes: number
  /**
   * Maximum size of an owner's kept exports, in bytes; running ones count as `exportBytes`. Counted per
   * process, until a restart. Default: 20 GiB, or `exportBytes` if that is larger.
   */
  exportBytesPerOwner: number
  /**
   * The same for the exports of an organization's projects, in bytes. Default: 50 GiB, or `exportBytes` if
   * larger.
   */
  exportBytesPerOrganization: number
  /** Maximum size of a request body, in bytes. Default: 1 MiB. */
  bodyBytes: number
  /**
   * Maximum size of an owner's unsent answers and of its incoming bodies together, in bytes. Default: 64 MiB.
   */
  ownerUnsentBytes: number
  /** The same for all owners together, in bytes. Default: 256 MiB. */
  unsentBytes: number
  /** How long a client may read nothing of its answer, in milliseconds. Default: 30,000 (30 s). */
  stallTimeoutMs: number
  /** How long an export link is valid, in milliseconds. Default: 900,000 (15 min). */
  linkValidityMs: number
  /**
   * How long an expired link is LINK_EXPIRED rather than NOT_FOUND, in milliseconds. Default: 86,400,000 (1
   * day).
   */
  linkMemoryMs: number
  /**
   * How long a port may take to respond, except to store an export, in milliseconds. Default: 10,000 (10 s).
   */
  dependencyTimeoutMs: number
}

/** Name of a limit. */
export type LimitName = keyof Limits

/** Limits that a host sets. Limits that are left out have the defaults of {@link Limits}. */
export type LimitOptions = Partial<Limits>

/** Default and effect of each limit. The defaults are the values of the published contract. */
export const LIMITS = {
  queryTimeoutMs: { default: 30_000, effect: 'A query that runs longer fails with QUERY_TIMEOUT.' },
  exportTimeoutMs: {
    default: 120_000,
    effect:
      'An export fails with QUERY_TIMEOUT if its query takes longer, with UNAVAILABLE if storing its file does.',
  },
  buildTimeoutMs: {
    default: 60_000,
    effect: 'A call that waits longer for its relations to be built fails with UNAVAILABLE.',
  },
  connectionWaitMs: {
    default: 5_000,
    effect:
      'A call that waits longer for a free connection, or for the statement check, fails with UNAVAILABLE.',
  },
  pageBytes: {
    default: 4 * MIB,
    effect: 'A page whose rows would be larger as JSON ends early, with a nextCursor.',
  },
  rowBytes: {
    default: 4 * MIB,
    effect: 'A query with a row that is larger as JSON fails with INVALID_QUERY.',
  },
  exportBytes: {
    default: 1024 * MIB,
    effect: 'An export whose file would be larger is stopped with QUERY_TOO_LARGE.',
  },
  exportBytesPerOwner: {
    default: 20 * 1024 * MIB,
    effect:
      'An export fails with UNAVAILABLE while kept and running exports of its owner leave less than a file of room.',
  },
  exportBytesPerOrganization: {
    default: 50 * 1024 * MIB,
    effect:
      'An export fails with UNAVAILABLE while kept and running exports of its organization leave less than a file of room.',
  },
  bodyBytes: { default: MIB, effect: 'A request with a larger body fails with INVALID_REQUEST.' },
  ownerUnsentBytes: {
    default: 64 * MIB,
    effect:
      'A call whose answer would raise the unsent bytes of its owner above this fails with UNAVAILABLE.',
  },
  unsentBytes: {
    default: 256 * MIB,
    effect:
      'A call whose answer would raise the unsent bytes of all owners above this fails with UNAVAILABLE.',
  },
  stallTimeoutMs: {
    default: 30_000,
    effect: 'An answer is cut off when its client reads nothing for longer.',
  },
  linkValidityMs: {
    default: 15 * 60_000,
    effect: 'An export link that is older fails with LINK_EXPIRED (410).',
  },
  linkMemoryMs: {
    default: 86_400_000,
    effect: 'An export link that expired longer ago fails with NOT_FOUND (404).',
  },
  dependencyTimeoutMs: {
    default: 10_000,
    effect: 'A call whose port takes longer to respond fails with UNAVAILABLE.',
  },
} as const satisfies Record<LimitName, { default: number; effect: string }>

/**
 * Fills in the defaults. Throws a TypeError that names the limit when one is unknown or not a positive
 * integer, or when it leaves no room for an export.
 */
export function resolveLimits(options: LimitOptions = {}): Limits {
  checkOptions('limits', options, LIMITS)
  const limits = {} as Limits
  for (const name of Object.keys(LIMITS) as LimitName[]) limits[name] = options[name] ?? LIMITS[name].default
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      throw new TypeError(`limits.${name} must be a whole number above 0, not ${value}`)
  }
  for (const name of ['exportBytesPerOwner', 'exportBytesPerOrganization'] as const) {
    if (options[name] === undefined) limits[name] = Math.max(limits[name], limits.exportBytes)
    if (limits[name] < limits.exportBytes)
      throw new TypeError(
        `limits.${name} must be at least limits.exportBytes, which is ${limits.exportBytes}`,
      )
  }
  return limits
}
