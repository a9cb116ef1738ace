import { randomUUID } from 'node:crypto'
import { inParallel } from '../flow/in-parallel.js'
import type { stopwatch } from '../flow/work.js'
import { listAll, nameIn, type ObjectStore, type StoredObject } from '../objects/store.js'
import { numberOf } from './ids.js'
import {
  entriesOf,
  type Manifests,
  manifestKey,
  markKey,
  type Project,
  projectIn,
  projectsIn,
} from './manifests.js'

/**
 * What no manifest names is removed once it is as old as this; a snapshot that was removed names its files for as long.
 */
export const KEPT_MS = 86_400_000

const CLOCK = 'clock/'
/** The clock of the store is read again after this long. With an earlier time, less is old enough to be deleted. */
const CLOCK_MS = 60_000
/** A file of a snapshot, or what a killed process has left of one; whatever else is in a folder is of others. */
const OWN = /^\w[\w.-]*-[0-9a-f]{64}-[0-9a-f]{8}\.\w+(~[0-9a-f-]{36})?$/
const LEFT = /^\d{6}\.(json|gone)~[0-9a-f-]{36}$/

/** Removes snapshots from an object store, and what nobody names, see {@link objectSnapshots}. */
export class Removal {
  readonly #store: ObjectStore
  readonly #manifests: Manifests
  readonly #watch: typeof stopwatch
  #clock: { now: number; elapsed(): number } | null = null

  constructor(store: ObjectStore, manifests: Manifests, watch: typeof stopwatch) {
    this.#store = store
    this.#manifests = manifests
    this.#watch = watch
  }

  /** Deletes the objects of all projects that nobody needs and that are a day old. */
  async sweep(signal: AbortSignal): Promise<void> {
    const now = await this.now(signal)
    await this.#delete(await listAll(this.#store, CLOCK, signal), now, signal)
    for await (const each of projectsIn(this.#store, signal)) await this.#clear(each, now, signal)
  }

  /** Marks snapshots as removed, the oldest first, and deletes what was removed a day ago. Returns their ids. */
  async remove(projectId: string, ids: readonly string[], signal: AbortSignal): Promise<string[]> {
    await inParallel(ids.toReversed(), id => this.#store.put(markKey(projectId, numberOf(id)), '', signal))
    const now = await this.now(signal)
    await this.#clear(await projectIn(this.#store, projectId, signal), now, signal)
    return [...ids]
  }

  /** The time by the clock of the store, as it was at most a minute ago. */
  async now(signal: AbortSignal): Promise<number> {
    if (this.#clock && this.#clock.elapsed() < CLOCK_MS) return this.#clock.now
    const elapsed = this.#watch()
    const key = `${CLOCK}${randomUUID()}`
    await this.#store.put(key, '', signal)
    const found = await this.#store.stat(key, signal)
    await this.#store.delete([key], signal)
    if (!found) throw new Error('the store does not have an object that it has just stored')
    this.#clock = { now: found.modifiedAt, elapsed }
    return found.modifiedAt
  }

  /** Deletes the files of a project that no manifest names. With a manifest that cannot be read, it deletes nothing. */
  async #clear({ projectId, snapshots, tables }: Project, now: number, signal: AbortSignal): Promise<void> {
    const isOld = ({ modifiedAt }: StoredObject) => now - modifiedAt > KEPT_MS
    const { numbers, removed } = entriesOf(snapshots)
    const over = [...removed].filter(([, at]) => now - at > KEPT_MS).map(([number]) => number)
    const old = tables.filter(object => isOld(object) && OWN.test(nameIn(object.key)))
    const unnamed = new Map(old.map(object => [nameIn(object.key), object]))
    for (const number of [...numbers, ...removed.keys()]) {
      if (unnamed.size === 0) break
      if (over.includes(number)) continue
      const files = await this.#manifests.files(projectId, number, signal)
      if (files === undefined && removed.has(number)) continue // a mark alone
      if (!files) return
      for (const { file } of files) unnamed.delete(file)
    }
    await this.#delete([...unnamed.values()], now, signal)
    for (const number of over) {
      // Another sweep may have cleared all of the project, which may have new snapshots.
      const mark = markKey(projectId, number)
      if (!(await this.#store.stat(mark, signal))) continue
      await this.#store.delete([manifestKey(projectId, number)], signal)
      await this.#store.delete([mark], signal)
    }
    await this.#delete(
      snapshots.filter(({ key }) => LEFT.test(nameIn(key))),
      now,
      signal,
    )
  }

  /** Deletes objects that are old. */
  async #delete(objects: readonly StoredObject[], now: number, signal: AbortSignal): Promise<void> {
    const old = objects.filter(({ modifiedAt }) => now - modifiedAt > KEPT_MS)
    await this.#store.delete(
      old.map(({ key }) => key),
      signal,
    )
  }
}
