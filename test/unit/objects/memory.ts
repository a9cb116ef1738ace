import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { ObjectStore, StorableFile, StoredObject } from '#lib/objects/store.js'

/** An object store in memory, whose clock stands still unless a test moves it. */
export class MemoryObjects implements ObjectStore {
  now = Date.UTC(2026, 0, 1)
  readonly objects = new Map<string, { bytes: Buffer; modifiedAt: number }>()

  async get(key: string): Promise<AsyncGenerator<Buffer, void> | null> {
    const found = this.objects.get(key)
    if (!found) return null
    return (async function* () {
      yield found.bytes
    })()
  }

  async put(key: string, what: string | StorableFile): Promise<boolean> {
    if (typeof what !== 'string') {
      this.objects.set(key, { bytes: await readFile(what.path), modifiedAt: this.now })
      return true
    }
    if (this.objects.has(key)) return false
    this.objects.set(key, { bytes: Buffer.from(what), modifiedAt: this.now })
    return true
  }

  async *list(prefix: string, _: AbortSignal, after = ''): AsyncGenerator<StoredObject[], void> {
    const found = [...this.objects].filter(([key]) => key.startsWith(prefix) && key > after)
    const sorted = found.sort(([one], [other]) => (one < other ? -1 : 1))
    yield sorted.map(([key, { bytes, modifiedAt }]) => ({ key, bytes: bytes.length, modifiedAt }))
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.objects.delete(key)
  }

  async stat(key: string): Promise<Omit<StoredObject, 'key'> | null> {
    const found = this.objects.get(key)
    return found ? { bytes: found.bytes.length, modifiedAt: found.modifiedAt } : null
  }
}

/** Called before a request is made, and once it was made. */
export type Gate = (moment: 'before' | 'after', request: string) => Promise<void>

/** The same store, whose requests pass a gate. */
export function gated(store: ObjectStore, gate: Gate): ObjectStore {
  async function pass<Result>(request: string, work: () => Promise<Result>): Promise<Result> {
    await gate('before', request)
    const result = await work()
    await gate('after', request)
    return result
  }
  return {
    ...(store.folder === undefined ? {} : { folder: store.folder }),
    get: (key, signal) => pass(`get ${key}`, () => store.get(key, signal)),
    put: (key, what, signal) => pass(`put ${key}`, () => store.put(key, what, signal)),
    async *list(prefix, signal, after) {
      await gate('before', `list ${prefix}`)
      yield* store.list(prefix, signal, after)
      await gate('after', `list ${prefix}`)
    },
    async delete(keys, signal) {
      for (const key of keys) await pass(`delete ${key}`, () => store.delete([key], signal))
    },
    stat: (key, signal) => pass(`stat ${key}`, () => store.stat(key, signal)),
  }
}

/** SHA-256 of a text, hex. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
