import { digestOf } from '../store/digest.js'
import type { CreatedKey } from '../store/keys.js'

const KEPT_MS = 60_000

/** New keys on their way to the page that shows them: in memory, for a minute, for the session that made them. */
export interface UnseenKeys {
  /** Makes a key and gives its id; a form that is sent twice makes one. */
  make(sent: { token: string; once: string }, create: () => Promise<CreatedKey>): Promise<string>
  /** The key, the first time that its session asks within the minute. */
  take(token: string, id: string): CreatedKey | null
}

/** Keeps nothing yet. */
export function unseenKeys(): UnseenKeys {
  const made = new Map<string, Promise<string>>()
  const unseen = new Map<string, CreatedKey>()
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
      // What was not made may be tried again.
      id.catch(() => made.delete(form))
      return id
    },
    take(token, id) {
      const place = placeOf(token, id)
      const key = unseen.get(place)
      unseen.delete(place)
      return key ?? null
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
