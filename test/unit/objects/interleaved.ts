import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SnapshotManifest, SnapshotStore } from 'foldgate/sealing'
import { digestOf, gated, MemoryObjects } from './memory.js'
import { mustBeWhole, openSnapshots, PROJECT, publish, publishing, signal } from './world.js'

const HOUR_MS = 3_600_000

/** Numbers that follow from a seed, at least 0 and below 1. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** Requests of several processes that wait to be made, one at a time. */
class Schedule {
  readonly waiting: (() => void)[] = []
  readonly gate = (): Promise<void> => new Promise(resolve => this.waiting.push(resolve))

  /** Makes requests in an order that follows from chance, and calls `between` after each. */
  async run(work: readonly Promise<unknown>[], random: () => number, between: () => Promise<void>): Promise<void> {
    let isOver = false
    const all = Promise.allSettled(work).then(() => {
      isOver = true
    })
    for (;;) {
      // All that is under way comes to its next request: files are read, too.
      for (let turns = 0; turns < 3 || (this.waiting.length === 0 && !isOver); turns++)
        await new Promise(resolve => setImmediate(resolve))
      if (isOver) return all
      const [next] = this.waiting.splice(Math.floor(random() * this.waiting.length), 1)
      next?.()
      await between()
    }
  }
}

/** What a process did. */
type Outcome =
  | { kind: 'published' | 'unchanged'; manifest: SnapshotManifest; after: string | null | undefined }
  | { kind: string }

/**
 * Runs publishers, one that prunes and one that sweeps at once, over a store in memory, in an order that follows from the
 * seed, while days may pass. Fails when a file is missing that a manifest names, at any moment, and when snapshots do not
 * follow each other as they should. Returns what became of each process.
 */
export async function interleave(seed: number): Promise<string[]> {
  const random = randomFrom(seed)
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-interleaved-'))
  try {
    const store = new MemoryObjects()
    const now = () => store.now
    const sound = openSnapshots(store, now)
    await publish(sound, folder, ['shared', 'old'])
    const base = await publish(sound, folder, ['shared', 'kept'])
    const schedule = new Schedule()
    const start = () => openSnapshots(gated(store, schedule.gate), now)
    const publisher = async (texts: readonly string[], after?: string | null): Promise<Outcome> => {
      const { manifest, unchanged } = await publishing(start(), folder, texts, { after })
      assert.deepEqual(
        manifest.tables.map(table => 'sha256' in table && table.sha256),
        texts.map(digestOf),
        `with the seed ${seed}, what was published is something else`,
      )
      return { kind: unchanged ? 'unchanged' : 'published', manifest, after }
    }
    const named = async (kind: string, work: (snapshots: SnapshotStore) => Promise<unknown>): Promise<Outcome> => {
      await work(start())
      return { kind }
    }
    const work = [
      publisher(['shared', 'one'], base.snapshotId),
      publisher(['shared', 'kept', 'two'], base.snapshotId),
      publisher(['old', 'three']),
      publisher(['old', 'three']),
      publisher(['shared', 'kept']),
      named('pruned', snapshots => snapshots.prune(PROJECT, 1)),
      named('swept', snapshots => snapshots.sweep()),
      named('swept', snapshots => snapshots.sweep()),
    ]
    let steps = 0
    await schedule.run(work, random, async () => {
      if (random() < (seed % 3 === 0 ? 0.2 : 0.03)) store.now += Math.floor(random() * 26) * HOUR_MS
      await mustBeWhole(store, store.now, `with the seed ${seed} after ${++steps} requests`)
    })
    const ended = await Promise.allSettled(work)
    const published: { id: string; after: string | null | undefined }[] = []
    const told = ended.map(end => {
      if (end.status === 'rejected') return (end.reason as Error).name
      if ('manifest' in end.value && end.value.kind === 'published')
        published.push({ id: end.value.manifest.snapshotId, after: end.value.after })
      return end.value.kind
    })
    const wrong = ended.flatMap(end =>
      end.status === 'rejected' && end.reason.name !== 'OutdatedBase' && !/half a day/.test(end.reason.message)
        ? [end.reason]
        : [],
    )
    assert.deepEqual(wrong, [], `with the seed ${seed}`)
    const numbers = published.map(({ id }) => id.slice(0, 6))
    assert.equal(new Set(numbers).size, numbers.length, `with the seed ${seed}, two have one number`)
    for (const { id, after } of published)
      if (after) assert.equal(Number(id.slice(0, 6)), Number(after.slice(0, 6)) + 1, `with the seed ${seed}`)
    const listed = await openSnapshots(store, now).list(PROJECT, signal)
    const newest = [base.snapshotId, ...published.map(({ id }) => id)].sort().at(-1)
    assert.equal(listed[0], newest, `with the seed ${seed}`)
    return told
  } finally {
    await rm(folder, { recursive: true })
  }
}
