import type { RowColumn } from '../values.js'

/** Units that end a column's name, as they are written on an axis. */
const UNITS: Readonly<Record<string, string>> = {
  t: 't',
  kg: 'kg',
  tco2e: 'tCO₂e',
  kwh: 'kWh',
  mwh: 'MWh',
  gwh: 'GWh',
  kw: 'kW',
  mw: 'MW',
  gw: 'GW',
  m2: 'm²',
  m3: 'm³',
  km: 'km',
  km2: 'km²',
  ha: 'ha',
  eur: 'EUR',
  usd: 'USD',
  gbp: 'GBP',
  chf: 'CHF',
  pct: '%',
  percent: '%',
  days: 'days',
  hours: 'hours',
}

const COUNT =
  /(^|_)(count|n|sites|entities|rows|activities|findings|risks|points|projects|countries|companies|services)$/i
const SCORE = /(^|_)(score|rating|severity|exposure|rating_value)$/i
const RATIO = /(^|_)(share|ratio|fraction|correlation)$/i

/** The unit that a name ends in (`output_mwh`, `gwh`, `grid_tco2e_per_mwh`); null if none is evident. */
export function unitInName(name: string): string | null {
  const lower = name.toLowerCase()
  const per = /(?:^|_)([a-z0-9]+)_per_([a-z0-9]+)$/.exec(lower)
  if (per) {
    const [above, below] = [UNITS[per[1] ?? ''], UNITS[per[2] ?? '']]
    return above && below ? `${above}/${below}` : null
  }
  if (/(^|_)species_yr$/.test(lower)) return 'species.yr'
  const last = lower.split('_').at(-1) ?? ''
  // A column that is only called `t` is hardly in tonnes.
  if (last === lower && last.length < 2) return null
  return Object.hasOwn(UNITS, last) ? (UNITS[last] ?? null) : null
}

/** What a name says is measured where it names no unit: amounts of one sort may share an axis. */
export function sortInName({ name, type }: RowColumn): 'count' | 'score' | 'ratio' | 'rate' | null {
  if (COUNT.test(name) || (/s$/i.test(name) && /INT(EGER)?$/.test(type))) return 'count'
  if (SCORE.test(name)) return 'score'
  if (RATIO.test(name)) return 'ratio'
  return /_per_/i.test(name) ? 'rate' : null
}

/** Whether adding such values up means anything: the sum of means, scores or percentages does not. */
export function addsUp(name: string): boolean {
  if (SCORE.test(name) || RATIO.test(name) || /_per_/i.test(name)) return false
  return !/(^|_)(mean|avg|average|median|max|min)(_|$)/i.test(name)
}

/** `net (t)`; only the name where there is no unit. */
export function titled(name: string, unit: string | null): string {
  return unit ? `${name} (${unit})` : name
}

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 })

/** A number that is short enough for an axis: `1.2M`, `0.25`, `3e-8`. */
export function tick(number: number): string {
  const size = Math.abs(number)
  if (size >= 1e15 || (size > 0 && size < 1e-3)) {
    return Number(number.toPrecision(4))
      .toExponential()
      .replace('e+', 'e')
      .replace('-', '−')
      .replace('e-', 'e−')
  }
  return COMPACT.format(number).replace('-', '−')
}

/** A date or time in milliseconds since 1970. Without an offset it is read as UTC. NaN unless it is one. */
export function timeOf(value: unknown): number {
  if (typeof value !== 'string') return Number.NaN
  const parts = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?(Z|[+-]\d\d(?::?\d\d)?)?$/.exec(
    value,
  )
  if (!parts) return Number.NaN
  const [, day, time = '00:00', zone = 'Z'] = parts
  const offset =
    zone === 'Z'
      ? 'Z'
      : zone.replace(/^([+-]\d\d):?(\d\d)?$/, (_, hours, minutes) => `${hours}:${minutes ?? '00'}`)
  return Date.parse(`${day}T${time}${offset}`)
}
