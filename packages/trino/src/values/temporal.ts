/** Dates, times and intervals as Trino's protocol writes them, in the ISO 8601 of the contract. */

/** Without the zeros that end a fraction of a second. */
export function trimFraction(text: string): string {
  return text.replace(/(\.\d*?)0+(?=$|[+\-Z])/, '$1').replace(/\.(?=$|[+\-Z])/, '')
}

/** `2026-11-20`; years beyond four digits, and those before 0, with a sign and at least six digits. */
export function isoDate(text: string): string {
  const [, sign = '', year = '', rest = ''] = /^([+-]?)(\d+)(-\d\d-\d\d)$/.exec(text) ?? []
  if (!sign && year.length === 4) return text
  return `${sign || '+'}${year.padStart(6, '0')}${rest}`
}

/** `2026-11-20T01:02:03.456`. */
export function isoTimestamp(text: string): string {
  const at = text.indexOf(' ')
  return `${isoDate(text.slice(0, at))}T${trimFraction(text.slice(at + 1))}`
}

/** `P1Y2M`, each part with the sign. */
export function isoMonths(text: string): string {
  const [, sign = '', years = 0, months = 0] = /^(-?)(\d+)-(\d+)$/.exec(text) ?? []
  const part = (number: number, letter: string) => (number === 0 ? '' : `${sign}${number}${letter}`)
  const parts = part(Number(years), 'Y') + part(Number(months), 'M')
  return parts ? `P${parts}` : 'PT0S'
}

/** `P1DT2H3M4.5S`, each part with the sign. */
export function isoSeconds(text: string): string {
  const [, sign = '', days, hours, minutes, seconds = ''] =
    /^(-?)(\d+) (\d+):(\d+):(\d+\.\d+)$/.exec(text) ?? []
  const part = (number: number, letter: string) => (number === 0 ? '' : `${sign}${number}${letter}`)
  const times = part(Number(hours), 'H') + part(Number(minutes), 'M') + part(Number(seconds), 'S')
  const parts = `${part(Number(days), 'D')}${times && `T${times}`}`
  return parts ? `P${parts}` : 'PT0S'
}

/** A time of day that a zone's clock shows twice. */
export class AmbiguousTime extends Error {}

/**
 * `2026-11-20T01:02:03Z`, of a timestamp with its zone: `UTC`, an offset, or a name such as `Europe/Berlin`.
 */
export function isoInstant(text: string): string {
  const at = text.lastIndexOf(' ')
  const [local, zone] = [text.slice(0, at), text.slice(at + 1)]
  if (zone === 'UTC' || zone === 'Z' || zone === '+00:00') return `${isoTimestamp(local)}Z`
  const [, sign, year, rest, fraction = ''] =
    /^([+-]?)(\d+)(-\d\d-\d\d \d\d:\d\d:\d\d)(\.\d+)?$/.exec(local) ?? []
  const iso = `${sign || '+'}${year?.padStart(6, '0')}${rest?.replace(' ', 'T')}Z`
  const shown = Date.parse(iso)
  if (Number.isNaN(shown)) throw new AmbiguousTime(text)
  const utc = new Date(shown - offsetAt(shown, zone, text)).toISOString()
  return `${utc.slice(0, -'.000Z'.length)}${trimFraction(fraction)}Z`
}

/** Milliseconds that the clock of a zone is ahead of UTC when it shows this time. */
function offsetAt(shown: number, zone: string, text: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? []
  if (sign) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
  if (!(shown >= YEAR_1000 && shown < YEAR_9999)) throw new AmbiguousTime(text)
  // A zone's offset changes at most once within two days; both offsets are candidates.
  const candidates = [offsetOf(shown - DAY_MS, zone), offsetOf(shown + DAY_MS, zone)]
  const fitting = new Set(candidates.filter(offset => offsetOf(shown - offset, zone) === offset))
  const [offset, other] = fitting
  if (offset === undefined || other !== undefined) throw new AmbiguousTime(text)
  return offset
}

const DAY_MS = 86_400_000
/** Years in which JavaScript's calendar needs no eras and no special cases. */
const [YEAR_1000, YEAR_9999] = [Date.UTC(1000, 0), Date.UTC(9999, 0)]
const clocks = new Map<string, Intl.DateTimeFormat>()

/** Milliseconds that the clock of a zone is ahead of UTC at an instant. */
function offsetOf(instant: number, zone: string): number {
  const parts = new Map(
    clockOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const of = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0
  const shown = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  return shown - Math.floor(instant / 1000) * 1000
}

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-US-u-ca-iso8601', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  clocks.set(zone, made)
  return made
}
