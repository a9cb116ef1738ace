import { LIMITS, type LimitName, type Limits } from '../call/limits.js'

const UNITS = {
  Bytes: [
    [1024 ** 3, 'GiB'],
    [1024 ** 2, 'MiB'],
    [1024, 'KiB'],
    [1, 'bytes'],
  ],
  Ms: [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1000, 's'],
    [1, 'ms'],
  ],
} as const

/** Formats a limit for readers, in the largest unit that expresses it exactly. */
export function amountOf(name: LimitName, value: number): string {
  const units = UNITS[name.includes('Bytes') ? 'Bytes' : 'Ms']
  const [size, unit] = units.find(([size]) => value % size === 0) ?? [1, '']
  return `${value / size} ${unit}`
}

/** A description, followed by a Markdown list of the limits in force that apply. */
export function withLimits(description: string, names: readonly LimitName[], limits: Limits): string {
  const list = names
    .map(name => `- ${amountOf(name, limits[name])} (\`${name}\`): ${LIMITS[name].effect}`)
    .join('\n')
  return list === '' ? description : `${description}\n\n${list}`
}

/** The limits in force as numbers, for programs. */
export function limitValues(names: readonly LimitName[], limits: Limits): Record<string, number> {
  return Object.fromEntries(names.map(name => [name, limits[name]]))
}
