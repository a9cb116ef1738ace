import { digestOf } from '../store/digest.js'
import type { CreatedKey } from '../store/keys.js'

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
      keepAMinute(kept, digestOf(token), value)
    },
    take(token) {
      return takeOut(kept, digestOf(token))
    },
  }
}

/**
 * New keys, or others with a secret, that have not been shown yet, kept in memory for a minute for the
 * session that created them.
 */
export interface UnseenKeys<Created> {
  /** Creates a key and returns its id. A form that is sent twice within a minute creates one key. */
  make(sent: { token: string; once: string }, create: () => Promise<Created>): Promise<string>
  /** The key, for its session, the first time within the minute; otherwise null. */
  take(token: string, id: string): Created | null
}

/** An empty {@link UnseenKeys}. */
export function unseenKeys<Created extends { id: string } = CreatedKey>(): UnseenKeys<Created> {
  const made = new Map<string, Promise<string>>()
  const unseen = new Map<string, Created>()
  return {
    make({ token, once }, create) {
      const form = digestOf(`${token} ${once}`)
      const known = made.get(form)
      if (known) return known
      const id = create().then(key => {
        keepAMinute(unseen, placeOf(token, key.id), key)
        return key.id
      })
      keepAMinute(made, form, id)
      // A form whose key could not be created may be sent again.
      id.catch(() => made.delete(form))
      return id
    },
    take(token, id) {
      return takeOut(unseen, placeOf(token, id))
    },
  }
}

function placeOf(token: string, id: string): string {
  return `${digestOf(token)} ${id}`
}

function keepAMinute<Value>(map: Map<string, Value>, place: string, value: Value): void {
  map.set(place, value)
  setTimeout(() => map.delete(place), KEPT_MS).unref()
}

function takeOut<Value>(map: Map<string, Value>, place: string): Value | null {
  const value = map.get(place) ?? null
  map.delete(place)
  return value
}
