import { digestOf } from '../store/digest.js'

const KEPT_MS = 60_000

/** Values that a session is shown once. They are kept in memory for a minute. */
export interface Once<Value> {
  keep(token: string, value: Value): void
  take(token: string): Value | null
}

/** An empty {@link Once}. */
export function once<Value>(): Once<Value> {
  const kept = new Map<string, Value>()
  return {
    keep(token, value) {
      const place = digestOf(token)
      kept.set(place, value)
      setTimeout(() => kept.delete(place), KEPT_MS).unref()
    },
    take(token) {
      const place = digestOf(token)
      const value = kept.get(place)
      kept.delete(place)
      return value ?? null
    },
  }
}
