import fc from 'fast-check'

/** What becomes of a text in a column: its exact value, a part of it, or nothing. */
export type Fate = { is: 'kept'; value: string } | { is: 'cut' } | { is: 'none' }

/** How texts are drawn for a type, and what must become of each, computed without the engine. */
export interface Drawn {
  type: string
  texts: readonly string[]
  fate(text: string): Fate
  /** Writes what is stored in the form of `value`. */
  normal(stored: string): string
}

const TEN = 10n

/** A decimal number: `digits` times a power of ten. */
interface Exact {
  digits: bigint
  power: number
}

function exact(text: string): Exact {
  const [, sign = '', whole = '', part = '', power = '0'] =
    /^([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/.exec(text.trim()) ?? []
  const digits = BigInt(`${whole}${part}`)
  return { digits: sign === '-' ? -digits : digits, power: Number(power) - part.length }
}

/** The same text for numbers that are the same. */
export function normalNumber(text: string): string {
  let { digits, power } = exact(text)
  if (digits === 0n) return '0'
  for (; digits % TEN === 0n; power++) digits /= TEN
  return `${digits}e${power}`
}

/** How many digits a number has, without zeros at its ends. */
const significant = (text: string) => normalNumber(text).replace(/^-|e.*$/g, '').length

/** A column of numbers with so many decimals, from `least` to `most` in units of the last one. */
function fixed(scale: number, least: bigint, most: bigint) {
  return (text: string): Fate => {
    const { digits, power } = exact(text)
    const shift = power + scale
    const divisor = shift < 0 ? TEN ** BigInt(-shift) : 1n
    const scaled = shift < 0 ? digits : digits * TEN ** BigInt(shift)
    const whole = scaled / divisor
    const rest = scaled % divisor
    const isUp = (rest < 0n ? -rest : rest) * 2n >= divisor
    const rounded = isUp ? whole + (scaled < 0n ? -1n : 1n) : whole
    const isIn = (number: bigint) => number >= least && number <= most
    if (rest === 0n) return isIn(whole) ? { is: 'kept', value: normalNumber(`${whole}e${-scale}`) } : { is: 'none' }
    return isIn(rounded) ? { is: 'cut' } : { is: 'none' }
  }
}

function double(text: string): Fate {
  const number = Number(text)
  if (!Number.isFinite(number)) return { is: 'none' }
  const isZero = normalNumber(text) === '0'
  if (number === 0) return isZero ? { is: 'kept', value: '0' } : { is: 'cut' }
  const { digits, power } = exact(text)
  const isWhole = /^-?\d+e\d/.test(normalNumber(text))
  const isSame = isWhole && power >= 0 && BigInt(number) === digits * TEN ** BigInt(power)
  const isKept = normalNumber(`${number}`) === normalNumber(text) || isSame || (significant(text) <= 17 && !isWhole)
  return isKept ? { is: 'kept', value: `${number}` } : { is: 'cut' }
}

const digitsOf = (most: number) =>
  fc.oneof(fc.stringMatching(new RegExp(`^[0-9]{0,${most}}$`)), fc.stringMatching(/^[0-9]{1,3}0{0,9}$/))
const numberText = (digits: number, power: number) =>
  fc
    .tuple(
      fc.constantFrom('', '', '-', '+'),
      digitsOf(digits),
      fc.option(digitsOf(digits)),
      fc.option(fc.integer({ min: -power, max: power }), { freq: 3 }),
      fc.constantFrom('e', 'E', 'e+'),
    )
    .filter(([, whole, part]) => whole !== '' || (part ?? '') !== '')
    .map(([sign, whole, part, exponent, e]) => {
      const mantissa = `${sign}${whole}${part === null ? '' : `.${part}`}`
      return exponent === null ? mantissa : `${mantissa}${exponent < 0 ? e.charAt(0) : e}${exponent}`
    })

/** The engine refuses a text whose digits before the point are too many, though its exponent makes them fewer. */
const isShorter = (most: number) => (text: string) =>
  !/e-/i.test(text) || (/^[-+]?0*(\d*)/.exec(text)?.[1] ?? '').length <= most

const seed = Number(process.env.FOLDGATE_SEED ?? 1)
const draw = <Value>(arbitrary: fc.Arbitrary<Value>, numRuns = 400) => fc.sample(arbitrary, { numRuns, seed })

const ends = (bits: bigint): [bigint, bigint] => [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n]
const digits = (width: number): [bigint, bigint] => [1n - TEN ** BigInt(width), TEN ** BigInt(width) - 1n]

export const NUMBERS: readonly Drawn[] = [
  { type: 'INTEGER', fate: fixed(0, ...ends(32n)), texts: draw(numberText(10, 12)) },
  { type: 'BIGINT', fate: fixed(0, ...ends(64n)), texts: draw(numberText(19, 20)) },
  { type: 'UTINYINT', fate: fixed(0, 0n, 255n), texts: draw(numberText(3, 4).filter(text => !text.startsWith('-'))) },
  { type: 'DECIMAL(10,2)', fate: fixed(2, ...digits(10)), texts: draw(numberText(8, 10).filter(isShorter(8))) },
  { type: 'DECIMAL(38,10)', fate: fixed(10, ...digits(38)), texts: draw(numberText(28, 20).filter(isShorter(28))) },
  { type: 'DOUBLE', fate: double, texts: draw(numberText(20, 330)) },
].map(each => ({
  ...each,
  normal: each.type === 'DOUBLE' ? stored => `${Number(stored)}`.replace(/^-0$/, '0') : normalNumber,
}))

/** A day and a time, with nanoseconds. */
interface Instant {
  day: string
  clock: string
  decimals: string
  /** Minutes east of UTC; null for a text without an offset. */
  offset: number | null
  separator: string
}

const two = (number: number) => String(number).padStart(2, '0')
const instant: fc.Arbitrary<Instant> = fc.record({
  day: fc
    .tuple(fc.integer({ min: 1700, max: 2200 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
    .map(([year, month, day]) => `${year}-${two(month)}-${two(day)}`),
  clock: fc.oneof(
    fc.constant('00:00:00'),
    fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 59 }))
      .map(parts => parts.map(two).join(':')),
  ),
  decimals: fc.oneof(fc.constant(''), fc.stringMatching(/^[0-9]{1,9}$/), fc.stringMatching(/^[0-9]{3}0{0,6}$/)),
  offset: fc.option(fc.integer({ min: -56, max: 56 }).map(quarters => quarters * 15)),
  separator: fc.constantFrom(' ', 'T'),
})

function written({ day, clock, decimals, offset, separator }: Instant): string {
  const zone =
    offset === null
      ? ''
      : offset === 0
        ? 'Z'
        : `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`
  return `${day}${separator}${clock}${decimals === '' ? '' : `.${decimals}`}${zone}`
}

/** Nanoseconds since 1970 of what {@link written} writes, and of what the engine does. */
function nanoseconds(text: string): bigint {
  const [, day, clock, decimals = '', zone = ''] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[-+]\d\d(?::\d\d)?)?$/.exec(text) ?? []
  const [, sign, hours = '0', minutes = '0'] = /^([-+])(\d\d)(?::(\d\d))?$/.exec(zone) ?? []
  const east = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  const ms = Date.parse(`${day}T${clock}Z`) - east * 60_000
  return BigInt(ms) * 1_000_000n + BigInt(decimals.padEnd(9, '0'))
}

/** A type of days and times that has so many decimals of seconds. */
function timestamp(type: string, decimals: number): Drawn {
  return {
    type,
    texts: draw(instant).map(written),
    fate(text) {
      const value = nanoseconds(text)
      // With an offset, the engine reads no more than microseconds.
      const unit = TEN ** BigInt(9 - (/Z$|[-+]\d\d:\d\d$/.test(text) ? Math.min(decimals, 6) : decimals))
      return value % unit === 0n ? { is: 'kept', value: `${value}` } : { is: 'cut' }
    },
    normal: stored => `${nanoseconds(stored)}`,
  }
}

export const TIMES: readonly Drawn[] = [
  timestamp('TIMESTAMP', 6),
  timestamp('TIMESTAMP_S', 0),
  timestamp('TIMESTAMP_MS', 3),
  timestamp('TIMESTAMP_NS', 9),
  timestamp('TIMESTAMPTZ', 6),
  {
    type: 'DATE',
    texts: draw(instant).map((each, at) => (at % 3 === 0 ? each.day : written(each))),
    fate(text) {
      const [day = '', rest = ''] = text.split(/[ T]/)
      return /^(00:00:00(\.0+)?Z?)?$/.test(rest) ? { is: 'kept', value: day } : { is: 'cut' }
    },
    normal: stored => stored,
  },
  {
    type: 'TIME',
    texts: draw(instant).map((each, at) => (at % 5 === 0 ? written(each) : written(each).slice(11))),
    fate(text) {
      const [, clock, decimals = ''] = /^(\d\d:\d\d:\d\d)(?:\.(\d+))?$/.exec(text) ?? []
      if (clock === undefined || /[1-9]/.test(decimals.slice(6))) return { is: 'cut' }
      return { is: 'kept', value: `${clock}.${decimals.slice(0, 6).padEnd(6, '0')}` }
    },
    normal(stored) {
      const [clock, decimals = ''] = stored.split('.')
      return `${clock}.${decimals.padEnd(6, '0')}`
    },
  },
]

/** Texts from which the engine would read a day, and that are none. */
export const NO_DAYS: readonly string[] = draw(instant, 200).flatMap(({ day, clock }) => {
  const [year = '', month = '', date = ''] = day.split('-')
  const short = year.slice(2)
  return [
    `${short}-${month}-${date}`,
    `${month}/${date}/${short}`,
    `${day} ${clock} Europe/Berlin`,
    `${day} ${clock} CET`,
  ]
})
