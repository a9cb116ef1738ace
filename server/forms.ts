import { isPostgresUrl } from './store/dialect.js'

/** How a configuration value is written. `parse` returns null for an invalid string. */
export interface Form<Value> {
  placeholder: string
  accepts: string
  /** The value may contain a password, so no message repeats it. */
  isSecret?: true
  parse(text: string): Value | null
}

const KIB = 1024
const SIZE_UNITS = { '': 1, KiB: KIB, MiB: KIB ** 2, GiB: KIB ** 3, TiB: KIB ** 4 }
const DURATION_UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
/** Longest timeout or wait: a Node timer takes at most 2^31 - 1 ms, about 24.8 days. */
export const LONGEST_WAIT_MS = 20 * DURATION_UNITS.d
/** Longest retention or validity. */
export const LONGEST_KEEPING_MS = 3650 * DURATION_UNITS.d

/** A number of bytes. */
export function size(least = 1): Form<number> {
  return {
    placeholder: 'size',
    accepts: `a size such as 512KiB, 4MiB, 1GiB or plain bytes, at least ${writeSize(least)}`,
    parse: text => within(measure(text, SIZE_UNITS), least, KIB ** 5),
  }
}

/** A time in milliseconds. */
export function duration(mostMs: number, leastMs = 1): Form<number> {
  return {
    placeholder: 'duration',
    accepts: `a duration such as 500ms, 30s, 15m, 2h or 1d, from ${writeDuration(leastMs)} to ${writeDuration(mostMs)}`,
    parse: text => within(measure(text, DURATION_UNITS), leastMs, mostMs),
  }
}

/** A whole number. */
export function whole(least: number, most: number): Form<number> {
  return {
    placeholder: 'number',
    accepts: `a whole number from ${least} to ${most}`,
    parse: text => (/^\d{1,9}$/.test(text) ? within(Number(text), least, most) : null),
  }
}

/** A host name or an address. */
export const host: Form<string> = {
  placeholder: 'host',
  accepts: 'a host name or an address',
  parse: given => (/^[^\s\p{Cc}]+$/u.test(given) ? given : null),
}

/** A folder, which need not exist yet. */
export const folder: Form<string> = {
  placeholder: 'folder',
  accepts: 'the path of a folder',
  parse: given => (given === '' || given.includes('\0') ? null : given),
}

/** A switch. */
export const onOrOff: Form<boolean> = {
  placeholder: 'on/off',
  accepts: 'either on or off',
  parse: given => (given === 'on' ? true : given === 'off' ? false : null),
}

/** A number of calls per window. */
export const quota: Form<{ calls: number; windowMs: number }> = {
  placeholder: 'calls/duration',
  accepts: 'a number of calls and a duration such as 600/60s',
  parse(given) {
    const [calls = '', window = '', ...more] = given.split('/')
    const count = whole(1, 999_999_999).parse(calls)
    const windowMs = duration(LONGEST_WAIT_MS).parse(window)
    return count === null || windowMs === null || more.length > 0 ? null : { calls: count, windowMs }
  },
}

/** An http or https origin: scheme, host and port. */
export const origin: Form<string> = {
  placeholder: 'url',
  accepts: 'an address such as https://data.example.org, with neither path nor query',
  parse(given) {
    const url = URL.canParse(given) ? new URL(given) : null
    if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null
    return url.pathname === '/' && url.search === '' && url.hash === '' ? url.origin : null
  },
}

/** Origins separated by commas, or `*` for any. */
export const origins: Form<string[] | '*'> = {
  placeholder: 'urls',
  accepts: 'a list such as https://app.example.org,https://www.example.org, each with neither path nor query, or *',
  parse(given) {
    if (given === '*') return '*'
    const parsed = given.split(',').map(each => origin.parse(each.trim()))
    return parsed.some(each => each === null) ? null : (parsed as string[])
  },
}

/** The URL of a PostgreSQL database. */
export const database: Form<string> = {
  placeholder: 'url',
  accepts: 'a PostgreSQL database such as postgres://user@host:5432/name',
  isSecret: true,
  parse: given => (isPostgresUrl(given) && URL.canParse(given) ? given : null),
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
