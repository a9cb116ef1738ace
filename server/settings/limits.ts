import { LIMITS, type Limits } from 'foldgate'
import { nearest } from 'foldgate/internal'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { membersOf } from './json-file.js'
import {
  callsOrOff,
  duration,
  LONGEST_KEEPING_MS,
  LONGEST_WAIT_MS,
  orOff,
  type Parser,
  parseSetting,
  quota,
  size,
  whole,
  writeDuration,
  writeSize,
} from './parsers.js'
import { type Limit, limit } from './setting.js'

/** What local copies of snapshots in a bucket may take by default: 20 GiB. */
export const COPIES_BYTES = 20 * 1024 ** 3

/** The engine needs at least this much (see `EngineOptions`). */
const LEAST_MEMORY_BYTES = 512 * 1024 * 1024
/** The page of keys shows the usage of 30 days, day by day. */
const LEAST_USAGE_DAYS = 30

/** Windows are forgotten a day after their end. */
const LONGEST_WINDOW_MS = 86_400_000

/** The limits of the server. */
const OWN_LIMITS = {
  connections: limit(
    'connections',
    whole(1, 1024),
    'Queries that run at once. Default: CPU cores, at least 2, or fewer where memory is short.',
  ),
  residents: limit(
    'residents',
    whole(1, 1024),
    'Engine processes kept, each for one organization. Default: a quarter of memory at 128 MiB each, at most 64.',
  ),
  spares: limit(
    'spares',
    whole(1, 64),
    'Engine processes started in advance for organizations that have none.',
    '4',
  ),
  memoryLimitBytes: limit(
    'memoryLimit',
    size(LEAST_MEMORY_BYTES),
    'Memory one engine process may use. Default: 1GiB, or less where memory is short.',
  ),
  quota: limit(
    'quota',
    quota,
    'Calls per key in each window; further calls are answered RATE_LIMITED.',
    '600/60s',
  ),
  quotaOwner: limit(
    'quotaOwner',
    callsOrOff,
    'Calls of all keys of a user together in the window of quota. Default: ten times those of a key.',
  ),
  quotaOrganization: limit(
    'quotaOrganization',
    callsOrOff,
    'Calls of all keys that read an organization together in the window of quota.',
    'off',
  ),
  callsAtOnce: limit(
    'callsAtOnce',
    callsOrOff,
    'Statements over the projects of an organization that run or wait at once, in each server; further ones are answered UNAVAILABLE.',
    'off',
  ),
  budgetWindowMs: limit(
    'budgetWindow',
    duration(LONGEST_WINDOW_MS, 1000),
    'Window of the budgets of organizations.',
    '1h',
  ),
  budgetEngineMs: limit(
    'budgetEngineTime',
    orOff(duration(LONGEST_KEEPING_MS, 1000)),
    "Time of the engine's processors for statements of an organization in the window; then they are answered RATE_LIMITED.",
    'off',
  ),
  budgetExportRows: limit(
    'budgetExportRows',
    orOff(whole(1, 999_999_999)),
    'Rows that calls export from the projects of an organization in the window; then exports are answered RATE_LIMITED.',
    'off',
  ),
  budgetExportBytes: limit(
    'budgetExportBytes',
    orOff(size()),
    'Bytes that calls export from the projects of an organization in the window; then exports are answered RATE_LIMITED.',
    'off',
  ),
  slowMs: limit(
    'slow',
    duration(LONGEST_WAIT_MS),
    'Calls that take this long are logged as slow, with a digest of their statement but for its literals.',
    '5s',
  ),
  usageDays: limit(
    'usageDays',
    whole(LEAST_USAGE_DAYS, 3650),
    'Days of usage kept day by day, today included; older usage is kept by month.',
    '92',
  ),
  usageMonths: limit(
    'usageMonths',
    whole(1, 1200),
    'Months of usage kept before the current one; older usage is removed.',
    '24',
  ),
  auditDays: limit(
    'auditDays',
    whole(1, 3650),
    'Days for which the audit keeps its records; older ones are removed.',
    '365',
  ),
  exportRetentionMs: limit(
    'exportRetention',
    duration(LONGEST_KEEPING_MS),
    'How long an exported file is kept.',
    '1d',
  ),
  keepSnapshots: limit(
    'keepSnapshots',
    whole(1, 999_999_999),
    'Sealed snapshots kept per project; older ones are removed. Default: all.',
  ),
  copiesBytes: limit(
    'snapshotCopies',
    size(),
    'Disk space for local copies of the snapshots that are read, when they are in S3.',
    writeSize(COPIES_BYTES),
  ),
  keepAliveMs: limit(
    'keepAlive',
    duration(3_600_000, 1000),
    'How long an idle connection stays open; longer than proxies in front keep theirs.',
    '65s',
  ),
  drainMs: limit(
    'drain',
    duration(LONGEST_WAIT_MS),
    'How long calls in flight may continue after SIGTERM or Ctrl-C; then they are cut off.',
    '30s',
  ),
  drainDelayMs: limit(
    'drainDelay',
    duration(LONGEST_WAIT_MS, 0),
    'How long /ready answers 503 before the server stops taking calls, for a proxy to notice. ' +
      'Default: 5s with --proxies, else 0s.',
  ),
}

/** The limits of the library: `queryTimeoutMs` is `queryTimeout` in the file. */
const LIBRARY_LIMITS = Object.fromEntries(
  Object.entries(LIMITS).map(([name, { default: byDefault, effect }]) => [
    name,
    limit(name.replace(/Ms$/, ''), parserOf(name), effect, written(name, byDefault)),
  ]),
) as Record<keyof Limits, Limit<number>>

function parserOf(limit: string): Parser<number> {
  if (limit.includes('Bytes')) return size()
  return duration(/(Timeout|Wait)Ms$/.test(limit) ? LONGEST_WAIT_MS : LONGEST_KEEPING_MS)
}

function written(limit: string, value: number): string {
  return limit.includes('Bytes') ? writeSize(value) : writeDuration(value)
}

/** All limits, in the order of the documents. */
export const ALL_LIMITS: readonly Limit[] = [...Object.values(OWN_LIMITS), ...Object.values(LIBRARY_LIMITS)]

type LimitValue<L> = L extends Limit<infer Value> ? Value : never

/** The limits in force: sizes in bytes, durations in milliseconds, null for one that is not given. */
export type ServerLimits = { [Name in keyof typeof OWN_LIMITS]: LimitValue<(typeof OWN_LIMITS)[Name]> } & {
  limits: Limits
}

/** Limits as the file has them: each a string such as `30s` or `4MiB`, or a number. */
export type GivenLimits = Readonly<Record<string, unknown>>

/** Returns the limits of a file as they are written there. Without a file, there are none. */
export function writtenLimits(file: string | null): GivenLimits {
  return file === null ? {} : membersOf('The limits', file, '{ "queryTimeout": "30s" }')
}

/**
 * Reads the limits of a file, with the defaults of those that it does not have. Throws a Refusal that names what is
 * unknown or invalid, when links would outlive their files, and when exports would have no room.
 */
export function readLimits(file: string | null, given: GivenLimits = writtenLimits(file)): ServerLimits {
  const names = ALL_LIMITS.map(({ name }) => name)
  const where = file === null ? '' : ` in ${file}`
  for (const name of Object.keys(given).filter(each => !names.includes(each))) {
    const meant = nearest(name, names)
    throw new Refusal(`${quoted(name)}${where} is not a limit${meant ? `: did you mean ${meant}?` : ''}`)
  }
  const readAll = (limits: Readonly<Record<string, Limit>>) =>
    Object.fromEntries(
      Object.entries(limits).map(([key, { name, parser, default: byDefault }]) => {
        const value = given[name]
        const own = typeof value === 'string' ? value : JSON.stringify(value)
        const text = Object.hasOwn(given, name) ? own : byDefault
        return [key, text === null ? null : parseSetting(`${name}${where}`, parser, text)]
      }),
    )
  const read = { ...readAll(OWN_LIMITS), limits: readAll(LIBRARY_LIMITS) } as unknown as ServerLimits
  const { exportRetentionMs, limits } = read
  if (exportRetentionMs < limits.linkValidityMs)
    throw new Refusal(
      `exportRetention${where} (${writeDuration(exportRetentionMs)}) must be at least linkValidity ` +
        `(${writeDuration(limits.linkValidityMs)}): a link must not outlive its file`,
    )
  for (const name of ['exportBytesPerOwner', 'exportBytesPerOrganization'] as const)
    if (limits[name] < limits.exportBytes)
      throw new Refusal(
        `${name}${where} (${writeSize(limits[name])}) must be at least exportBytes (${writeSize(limits.exportBytes)}): ` +
          'it would leave no room for an export',
      )
  return read
}
