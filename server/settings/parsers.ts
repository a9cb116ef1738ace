import { EXTRA_FUNCTIONS, type SandboxMode } from 'foldgate/internal'
import { isPostgresUrl } from '../database/dialect.js'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'

/** Parses a value that a user writes; `parse` returns null for an invalid string. */
export interface Parser<Value> {
  placeholder: string
  accepts: string
  /** The value may contain a password, so no message repeats it. */
  isSecret?: true
  parse(text: string): Value | null
}

/** Parses the value of a setting. Throws a Refusal that names the setting when the value is invalid. */
export function parseSetting<Value>(name: string, parser: Parser<Value>, text: string): Value {
  const value = parser.parse(text)
  if (value !== null) return value
  throw new Refusal(
    `${name} cannot be ${parser.isSecret ? 'used as it is' : quoted(text)}: give ${parser.accepts}`,
  )
}

const KIB = 1024
const SIZE_UNITS = { '': 1, KiB: KIB, MiB: KIB ** 2, GiB: KIB ** 3, TiB: KIB ** 4 }
const DURATION_UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
/** Longest timeout or wait: a Node timer takes at most 2^31 - 1 ms, about 24.8 days. */
export const LONGEST_WAIT_MS = 20 * DURATION_UNITS.d
/** Longest retention or validity. */
export const LONGEST_KEEPING_MS = 3650 * DURATION_UNITS.d

/** A number of bytes. */
export function size(least = 1): Parser<number> {
  return {
    placeholder: 'size',
    accepts: `a size such as 512KiB, 4MiB, 1GiB or plain bytes, at least ${writeSize(least)}`,
    parse: text => within(measure(text, SIZE_UNITS), least, KIB ** 5),
  }
}

/** A time in milliseconds. */
export function duration(mostMs: number, leastMs = 1): Parser<number> {
  return {
    placeholder: 'duration',
    accepts: `a duration such as 500ms, 30s, 15m, 2h or 1d, from ${writeDuration(leastMs)} to ${writeDuration(mostMs)}`,
    parse: text => within(measure(text, DURATION_UNITS), leastMs, mostMs),
  }
}

/** A whole number. */
export function whole(least: number, most: number): Parser<number> {
  return {
    placeholder: 'number',
    accepts: `a whole number from ${least} to ${most}`,
    parse: text => (/^\d{1,9}$/.test(text) ? within(Number(text), least, most) : null),
  }
}

/** A host name or an address. */
export const host: Parser<string> = {
  placeholder: 'host',
  accepts: 'a host name or an address',
  parse: given => (/^[^\s\p{Cc}]+$/u.test(given) ? given : null),
}

/** A folder, which need not exist yet. */
export const folder: Parser<string> = {
  placeholder: 'folder',
  accepts: 'the path of a folder',
  parse: given => (given === '' || given.includes('\0') ? null : given),
}

/** A file. */
export const file: Parser<string> = {
  placeholder: 'file',
  accepts: 'the path of a file',
  parse: folder.parse,
}

/** A folder, or a bucket of S3 with a prefix. */
export const folderOrBucket: Parser<string> = {
  placeholder: 'folder',
  accepts: 'the path of a folder, or a bucket such as s3://name/prefix',
  parse: given => (/^s3:/i.test(given) && parseBucket(given) === null ? null : folder.parse(given)),
}

/** Parses `s3://bucket/prefix`; the prefix is empty or ends with a slash. Null for any other text. */
export function parseBucket(text: string): { bucket: string; prefix: string } | null {
  const [, bucket, path = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w!.*'()/-]*))?$/i.exec(text) ?? []
  const parts = path.split('/').filter(part => part !== '')
  if (bucket === undefined || parts.some(part => part === '.' || part === '..')) return null
  return { bucket, prefix: parts.map(part => `${part}/`).join('') }
}

/** A switch. */
export const onOrOff: Parser<boolean> = {
  placeholder: 'on/off',
  accepts: 'either on or off',
  parse: given => (given === 'on' ? true : given === 'off' ? false : null),
}

/** Whether processes run behind the walls of a sandbox. */
export const sandboxMode: Parser<SandboxMode> = {
  placeholder: 'mode',
  accepts: 'auto, required or off',
  parse: given => (given === 'auto' || given === 'required' || given === 'off' ? given : null),
}

/** A number of calls per window. */
export const quota: Parser<{ calls: number; windowMs: number }> = {
  placeholder: 'calls/duration',
  accepts: 'a number of calls and a duration such as 600/60s',
  parse(given) {
    const [calls = '', window = '', ...more] = given.split('/')
    const count = whole(1, 999_999_999).parse(calls)
    const windowMs = duration(LONGEST_WAIT_MS).parse(window)
    return count === null || windowMs === null || more.length > 0 ? null : { calls: count, windowMs }
  },
}

/** A number of calls, or `off` for no limit, which is 0. */
export const callsOrOff: Parser<number> = {
  placeholder: 'calls',
  accepts: 'a number of calls such as 6000, or off',
  parse: given => (given === 'off' ? 0 : whole(1, 999_999_999).parse(given)),
}

/** What another parser takes, or `off` for no limit, which is 0. */
export function orOff(parser: Parser<number>): Parser<number> {
  return {
    placeholder: parser.placeholder,
    accepts: `${parser.accepts}, or off`,
    parse: given => (given === 'off' ? 0 : parser.parse(given)),
  }
}

/** An http or https origin: scheme, host and port. */
export const origin: Parser<string> = {
  placeholder: 'url',
  accepts: 'an address such as https://data.example.org, with neither path nor query',
  parse(given) {
    const url = URL.canParse(given) ? new URL(given) : null
    if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null
    return url.pathname === '/' && url.search === '' && url.hash === '' ? url.origin : null
  },
}

/** Origins separated by commas, or `*` for any. */
export const origins: Parser<string[] | '*'> = {
  placeholder: 'urls',
  accepts:
    'a list such as https://app.example.org,https://www.example.org, each with neither path nor query, or *',
  parse(given) {
    if (given === '*') return '*'
    const parsed = given.split(',').map(each => origin.parse(each.trim()))
    return parsed.some(each => each === null) ? null : (parsed as string[])
  },
}

/** Functions that the library lets a host add, separated by commas. */
export const addedFunctions: Parser<string[]> = {
  placeholder: 'names',
  accepts: `a list of names such as decode,json_pretty, out of ${[...EXTRA_FUNCTIONS].join(', ')}`,
  parse(given) {
    const names = given.split(',').map(each => each.trim().toLowerCase())
    return names.every(name => EXTRA_FUNCTIONS.has(name)) ? names : null
  },
}

/** The URL of a PostgreSQL database. */
export const database: Parser<string> = {
  placeholder: 'url',
  accepts: 'a PostgreSQL database such as postgres://user@host:5432/name',
  isSecret: true,
  parse: given => (isPostgresUrl(given) && URL.canParse(given) ? given : null),
}

/** The address of a Trino, and the user that the service connects as. */
export interface TrinoPlace {
  /** Without credentials and catalog. */
  url: string
  user: string | null
  auth: { password: string } | null
  catalog: string
}

/** The coordinator of a Trino, with the user and the catalog that the service has for itself. */
export const trino: Parser<TrinoPlace> = {
  placeholder: 'url',
  accepts: 'the URL of a Trino with a catalog, such as https://user:password@trino.example:8443/catalog',
  isSecret: true,
  parse(given) {
    const url = URL.canParse(given) ? new URL(given) : null
    const catalog = /^\/([a-z][a-z0-9_]*)$/.exec(url?.pathname ?? '')?.[1]
    if (!url || !catalog || !/^https?:$/.test(url.protocol) || url.search || url.hash) return null
    if (url.password && url.protocol !== 'https:') return null
    if (/%(?![0-7][0-9a-f])/i.test(url.username + url.password)) return null
    const [user, password] = [url.username, url.password].map(decodeURIComponent)
    return { url: url.origin, user: user || null, auth: password ? { password } : null, catalog }
  },
}

/** The URL of a folder as a cluster names it. */
export const location: Parser<string> = {
  placeholder: 'url',
  accepts: 'the URL of a folder as the cluster names it, such as local:///mnt/foldgate',
  parse: given => (/^[a-z][a-z0-9]*:\/\/[^\s?#]*$/.test(given) ? given.replace(/\/$/, '') : null),
}

/** Formats a size as a user would type it. */
export function writeSize(bytes: number): string {
  return write(bytes, SIZE_UNITS)
}

/** Formats a duration as a user would type it. */
export function writeDuration(milliseconds: number): string {
  return write(milliseconds, DURATION_UNITS)
}

/** Parses `4MiB`, `30s` and the like into the smallest unit; null for anything else. */
function measure(text: string, units: Readonly<Record<string, number>>): number | null {
  const [, digits, unit] = /^(\d{1,15})([A-Za-z]*)$/.exec(text) ?? []
  const factor = unit === undefined ? undefined : units[unit]
  return factor === undefined ? null : Number(digits) * factor
}

/** Formats an amount in the largest unit that divides it. */
function write(amount: number, units: Readonly<Record<string, number>>): string {
  const [unit, factor] = Object.entries(units).findLast(([, factor]) => amount % factor === 0) ?? ['', 1]
  return `${amount / factor}${unit}`
}

function within(value: number | null, least: number, most: number): number | null {
  return value !== null && value >= least && value <= most ? value : null
}
