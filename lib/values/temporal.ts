import type { Integer, Interval, TimeWithZone } from './vector.js'

/**
 * How dates, times and intervals are spelled in ISO 8601. Years outside 0 to 9999 have a sign and at least
 * six digits, as in ECMAScript. Fractions of a second have no trailing zeros.
 */

/** The number that stands for an infinite date; `-INFINITE_DAY` for the other one. */
export const INFINITE_DAY = 2 ** 31 - 1
export const INFINITE_TIMESTAMP = 2n ** 63n - 1n
const DAY_MINUTES = 1440
/** Days from 0000-03-01 to 1970-01-01, and the days of 400 years. */
const [DAYS_BEFORE_1970, ERA_DAYS] = [719_468, 146_097]

/** `2026-11-20`, `+012026-11-20`, `infinity`. */
export function spellDate(days: number): string {
  if (days === INFINITE_DAY) return 'infinity'
  if (days === -INFINITE_DAY) return '-infinity'
  return dayText(days)
}

/**
 * Days whose texts are kept, since a column often has few days. A day stands at the index of its lowest bits: a map of
 * recent days would take three times as long.
 */
const keptDays = new Int32Array(4096)
const keptTexts = ['1970-01-01']
function dayText(days: number): string {
  const place = days & (keptDays.length - 1)
  if (keptDays[place] !== days) {
    keptTexts[place] = spelledDay(days)
    keptDays[place] = days
  }
  return keptTexts[place] as string
}

function spelledDay(days: number): string {
  // The calendar repeats after 400 years; a year that begins in March has its leap day last.
  const shifted = days + DAYS_BEFORE_1970
  const era = Math.floor(shifted / ERA_DAYS)
  const dayOfEra = shifted - era * ERA_DAYS
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const month = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * month + 2) / 5) + 1
  const year = era * 400 + yearOfEra + (month >= 10 ? 1 : 0)
  return `${yearText(year)}-${two(month < 10 ? month + 3 : month - 9)}-${two(day)}`
}

function yearText(year: number): string {
  if (year >= 0 && year <= 9999) return `${year}`.padStart(4, '0')
  return `${year < 0 ? '-' : '+'}${`${Math.abs(year)}`.padStart(6, '0')}`
}

const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => `${number}`.padStart(2, '0'))

function two(number: number): string {
  return TWO_DIGITS[number] as string
}

/** `.456`, or nothing; `units` of a second of which there are 10 to the power of `digits`. */
function fraction(units: number, digits: number): string {
  return units === 0 ? '' : `.${`${units}`.padStart(digits, '0')}`.replace(/0+$/, '')
}

function clock(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}`
}

/** `01:02:03.456`, of microseconds since midnight. */
export function spellTime(micros: number): string {
  return clock(Math.floor(micros / 1e6)) + fraction(micros % 1e6, 6)
}

/** The same of nanoseconds. */
export function spellTimeNs(nanos: number): string {
  return clock(Math.floor(nanos / 1e9)) + fraction(nanos % 1e9, 9)
}

/** `01:02:03+02:00`, with the seconds of the offset if it has any. */
export function spellTimeWithZone({ micros, offset }: TimeWithZone): string {
  const size = Math.abs(offset)
  const seconds = size % 60 === 0 ? '' : `:${two(size % 60)}`
  const zone = `${two(Math.floor(size / 3600))}:${two(Math.floor(size / 60) % 60)}${seconds}`
  return `${spellTime(micros)}${offset < 0 ? '-' : '+'}${zone}`
}

/**
 * `2026-11-20T01:02:03.456` with `suffix`, or `infinity` without it; 10 to the power of `digits` units are a
 * second.
 */
function timestampText(value: Integer, digits: 0 | 3 | 6 | 9, suffix = ''): string {
  if (value === INFINITE_TIMESTAMP) return 'infinity'
  if (value === -INFINITE_TIMESTAMP) return '-infinity'
  const [seconds, units] = divided(value, 10 ** digits)
  const minute = Math.floor(seconds / 60)
  const text = minuteText(minute) + two(seconds - minute * 60)
  return units === 0 && suffix === '' ? text : text + fraction(units, digits) + suffix
}

/** `2026-11-20T01:02:`; the last one is kept. */
let [lastMinute, lastMinuteText] = [0, '1970-01-01T00:00:']
function minuteText(minute: number): string {
  if (minute === lastMinute) return lastMinuteText
  const day = Math.floor(minute / DAY_MINUTES)
  const ofDay = minute - day * DAY_MINUTES
  lastMinute = minute
  lastMinuteText = `${dayText(day)}T${two(Math.floor(ofDay / 60))}:${two(ofDay % 60)}:`
  return lastMinuteText
}

/** The quotient, rounded down, and the rest. */
function divided(value: Integer, by: number): [quotient: number, rest: number] {
  let rest = Number(typeof value === 'bigint' ? value % BigInt(by) : value % by)
  if (rest < 0) rest += by
  if (typeof value === 'bigint') return [Number((value - BigInt(rest)) / BigInt(by)), rest]
  return [(value - rest) / by, rest]
}

export function spellTimestamp(value: Integer): string {
  return timestampText(value, 6)
}

export function spellTimestampS(value: Integer): string {
  return timestampText(value, 0)
}

export function spellTimestampMs(value: Integer): string {
  return timestampText(value, 3)
}

export function spellTimestampNs(value: Integer): string {
  return timestampText(value, 9)
}

/** A TIMESTAMP WITH TIME ZONE, in UTC. */
export function spellInstant(value: Integer): string {
  return timestampText(value, 6, 'Z')
}

/** `P1Y2M3DT4H5M6.5S`, each part with its own sign; `PT0S` for an empty interval. */
export function spellInterval({ months, days, micros }: Interval): string {
  const isLarge = typeof micros === 'bigint'
  const wholeMinutes = isLarge ? Number(micros / 60_000_000n) : Math.trunc(micros / 6e7)
  const rest = isLarge ? Number(micros % 60_000_000n) : micros % 6e7
  const size = Math.abs(rest)
  const seconds =
    rest === 0 ? '' : `${rest < 0 ? '-' : ''}${Math.floor(size / 1e6)}${fraction(size % 1e6, 6)}S`
  const part = (number: number, letter: string) => (number === 0 ? '' : `${number}${letter}`)
  const date = part(Math.trunc(months / 12), 'Y') + part(months % 12, 'M') + part(days, 'D')
  const time = part(Math.trunc(wholeMinutes / 60), 'H') + part(wholeMinutes % 60, 'M') + seconds
  if (time === '') return date === '' ? 'PT0S' : `P${date}`
  return `P${date}T${time}`
}
