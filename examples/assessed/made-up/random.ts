import { createHash } from 'node:crypto'

/** Random draws that depend only on a label: the same label gives the same draws on every machine. */
export interface Draw {
  /** At least 0, below 1. */
  unit(): number
  /** Uniform between the two. */
  between(low: number, high: number): number
  /** Log-uniform between the two: many small values, few large ones. */
  skewed(low: number, high: number): number
  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number
  /** True with probability `share`. */
  chance(share: number): boolean
  /** One item of a list, which must not be empty. */
  pick<T>(list: readonly T[]): T
  /** One key, with a probability proportional to its weight; the sum of the weights must be above 0. */
  weigh<T>(weights: ReadonlyMap<T, number>): T
}

/**
 * Creates draws by mulberry32 (Tommy Ettinger, public domain), seeded by the 32-bit FNV-1a hash of the label.
 */
export function drawFrom(label: string): Draw {
  let state = fnv1a(label)
  const unit = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const whole = (low: number, high: number) => low + Math.floor(unit() * (high - low + 1))
  return {
    unit,
    whole,
    between: (low, high) => low + unit() * (high - low),
    skewed: (low, high) => low * Math.exp(unit() * Math.log(high / low)),
    chance: share => unit() < share,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new RangeError('nothing to pick from')
      return list[whole(0, list.length - 1)] as T
    },
    weigh<T>(weights: ReadonlyMap<T, number>): T {
      let left = unit() * [...weights.values()].reduce((sum, weight) => sum + weight, 0)
      for (const [key, weight] of weights) {
        left -= weight
        if (left < 0) return key
      }
      throw new RangeError('nothing to weigh')
    },
  }
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash
}

/** Namespace of the ids of this package, random. */
const NAMESPACE = Buffer.from('7d0c6a5e42f94b1b9a3ed1c05f8e2b76', 'hex')

/** The name-based UUID (version 5) of a name within this package, lower case. */
export function madeUpId(name: string): string {
  const bytes = createHash('sha1').update(NAMESPACE).update(name).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
