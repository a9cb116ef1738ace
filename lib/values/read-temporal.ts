import { INFINITE_DAY, INFINITE_TIMESTAMP } from './temporal.js'
import { Unfit } from './unfit.js'
import type { Interval, TimeWithZone } from './vector.js'

/** Reads dates, times and intervals as `temporal.ts` spells them. Throws {@link Unfit}. */

const DATE = /^(\d{4}|[+-]\d{6,7})-(\d\d)-(\d\d)$/
const CLOCK = /^(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?$/
const ZONE = /^(.*?)(?:Z|([+-])(\d\d):(\d\d)(?::(\d\d))?)$/
const INTERVAL =
  /^P(?=.)(?:(-?\d{1,10})Y)?(?:(-?\d{1,10})M)?(?:(-?\d{1,10})D)?(?:T(?=.)(?:(-?\d{1,12})H)?(?:(-?\d{1,14})M)?(?:(-?)(\d{1,16})(?:\.(\d{1,9}))?S)?)?$/

const DAY_SECONDS = 86_400
/** The largest offset of a TIMETZ from UTC, in seconds. */
const MOST_OFFSET = 16 * 3600 - 1
const DAYS_BEFORE_1970 = 719_468
const ERA_DAYS = 146_097
const INT32 = 2 ** 31
const INT64 = 2n ** 63n

/** What DuckDB converts; it has timestamps from the beginning of a day on. */
const RANGES = {
  0: [-9_223_372_022_400n, 9_223_372_036_854n],
  3: [-9_223_372_022_400_000n, 9_223_372_036_854_775n],
  6: [-9_223_372_022_400_000_000n, INT64 - 2n],
  9: [-9_223_286_400_000_000_000n, INT64 - 2n],
} as const

/** Days since 1970. */
export function readDate(text: string): number {
  if (text === 'infinity') return INFINITE_DAY
  if (text === '-infinity') return -INFINITE_DAY
  const days = daysOf(text)
  if (Math.abs(days) >= INFINITE_DAY)
    throw new Unfit('a DATE from -5877641-06-25 to +5881580-07-10, or "infinity" or "-infinity"')
  return days
}

function daysOf(text: string): number {
  const [, yearText = '', monthText, dayText] = DATE.exec(text) ?? misfit()
  const [year, month, day] = [Number(yearText), Number(monthText), Number(dayText)]
  if (/^-0+$/.test(yearText)) misfit()
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const length = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
  if (month < 1 || month > 12 || day < 1 || day > length)
    throw new Unfit('a date that exists in the calendar')
  // A year that begins in March has its leap day last.
  const shifted = month > 2 ? year : year - 1
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  const leaps = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100)
  return era * ERA_DAYS + yearOfEra * 365 + leaps + dayOfYear - DAYS_BEFORE_1970
}

/** Units since midnight, of which 10 to the power of `digits` are a second; 24:00:00 is the end of a day. */
export function readTime(text: string, digits: 0 | 3 | 6 | 9): bigint {
  const [, hours, minutes, seconds, fraction = ''] = CLOCK.exec(text) ?? misfit()
  if (Number(minutes) > 59 || Number(seconds) > 59) misfit()
  const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  const units = BigInt(whole) * 10n ** BigInt(digits) + fractionOf(fraction, digits)
  return units <= BigInt(DAY_SECONDS) * 10n ** BigInt(digits) ? units : misfit()
}

/** Digits of a fraction as units; further digits may only be zeros. */
function fractionOf(fraction: string, digits: number): bigint {
  if (/[1-9]/.test(fraction.slice(digits)))
    throw new Unfit(
      digits === 0
        ? 'a time of whole seconds'
        : `a time with at most ${digits} digits of a fraction of a second`,
    )
  return BigInt(fraction.slice(0, digits).padEnd(digits, '0') || '0')
}

/** A time of day in microseconds with its offset from UTC. */
export function readTimeWithZone(text: string): TimeWithZone {
  const { before, offset } = zoneOf(text)
  if (Math.abs(offset) > MOST_OFFSET)
    throw new Unfit('a TIME WITH TIME ZONE with an offset of at most 15:59:59')
  return { micros: Number(readTime(before, 6)), offset }
}

/** Seconds that the zone of a time is ahead of UTC, and what precedes the zone. */
function zoneOf(text: string): { before: string; offset: number } {
  const [, before = '', sign, hours = '0', minutes = '0', seconds = '0'] = ZONE.exec(text) ?? misfit()
  if (Number(minutes) > 59 || Number(seconds) > 59) misfit()
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return { before, offset: sign === '-' && size > 0 ? -size : size }
}

/** Units since 1970, of which 10 to the power of `digits` are a second. */
export function readTimestamp(text: string, digits: 0 | 3 | 6 | 9): bigint {
  return infiniteOf(text) ?? within(unitsOf(text, digits), digits)
}

/** Microseconds since 1970 of a timestamp with its zone. */
export function readInstant(text: string): bigint {
  const infinite = infiniteOf(text)
  if (infinite !== null) return infinite
  const { before, offset } = zoneOf(text)
  if (Math.abs(offset) >= DAY_SECONDS) misfit()
  return within(unitsOf(before, 6) - BigInt(offset) * 1_000_000n, 6)
}

function infiniteOf(text: string): bigint | null {
  if (text === 'infinity') return INFINITE_TIMESTAMP
  return text === '-infinity' ? -INFINITE_TIMESTAMP : null
}

function unitsOf(text: string, digits: 0 | 3 | 6 | 9): bigint {
  const at = text.indexOf('T')
  const [day, time] = [BigInt(DAY_SECONDS) * 10n ** BigInt(digits), text.slice(at + 1)]
  const units = readTime(time, digits)
  if (at < 0 || units === day) misfit()
  return BigInt(daysOf(text.slice(0, at))) * day + units
}

function within(units: bigint, digits: 0 | 3 | 6 | 9): bigint {
  const [least, most] = RANGES[digits]
  if (units >= least && units <= most) return units
  throw new Unfit(
    digits === 9
      ? 'a TIMESTAMP_NS from 1677-09-22T00:00:00 to 2262-04-11T23:47:16.854775806'
      : 'a timestamp from -290308-12-22T00:00:00 to +294247-01-10T04:00:54.775806',
  )
}

/** Months, days and microseconds, each of which fits its part of an interval. */
export function readInterval(text: string): Interval {
  const found = INTERVAL.exec(text) ?? misfit()
  const part = (at: number) => BigInt(found[at] ?? 0)
  const seconds = part(7) * 1_000_000n + fractionOf(found[8] ?? '', 6)
  const micros = (part(4) * 60n + part(5)) * 60_000_000n + (found[6] === '-' ? -seconds : seconds)
  const [months, days] = [Number(part(1)) * 12 + Number(part(2)), Number(part(3))]
  const fits = [months, days].every(number => number >= -INT32 && number < INT32)
  if (!fits || micros < -INT64 || micros >= INT64)
    throw new Unfit('an INTERVAL whose months and days fit 32 bits, and whose microseconds fit 64')
  return { months, days, micros }
}

function misfit(): never {
  throw new Unfit()
}
