import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SnapshotManifest, SnapshotStore } from 'foldgate/sealing'
import { listAll, type ObjectStore, textOf } from '#lib/objects/store.js'
import { FORMAT_VERSION } from '#lib/snapshots/manifest.js'
import { objectSnapshots } from '#lib/snapshots/objects.js'
import type { PublishedSnapshot, UnpublishedManifest } from '#lib/snapshots/store.js'
import { digestOf } from './memory.js'

export const PROJECT = '11111111-1111-4111-8111-111111111111'
export const { signal } = new AbortController()
const DAY_MS = 86_400_000

/** Opens the snapshots in a store as a process of its own does; no test here reads their files as an engine does. */
export function openSnapshots(store: ObjectStore, now: () => number = Date.now): SnapshotStore {
  const local = { lease: async () => assert.fail('nothing is opened') }
  const watch = () => {
    const at = now()
    return () => now() - at
  }
  return objectSnapshots(store, { local, watch })
}

/** Publishes a snapshot with a table for each of these texts, the bytes of its file. Returns the manifest. */
export async function publish(...given: Parameters<typeof publishing>): Promise<SnapshotManifest> {
  return (await publishing(...given)).manifest
}

/** Publishes a snapshot as {@link publish} does, and returns whether it is the one that was there. */
export async function publishing(
  snapshots: SnapshotStore,
  folder: string,
  texts: readonly string[],
  { after, ...more }: { after?: string | null | undefined } & Partial<UnpublishedManifest> = {},
): Promise<PublishedSnapshot> {
  const draft = join(folder, randomUUID())
  await mkdir(draft)
  const tables = []
  for (const [at, text] of texts.entries()) {
    const file = `t${at}.parquet`
    await writeFile(join(draft, file), text)
    tables.push({ name: `t${at}`, rows: 1, columns: [], file, sha256: digestOf(text), bytes: Buffer.byteLength(text) })
  }
  const contents = {
    formatVersion: FORMAT_VERSION,
    projectId: PROJECT,
    sealedAt: '2026-01-01T00:00:00Z',
    tables,
    ...more,
  }
  return snapshots.publish(draft, contents, signal, { after })
}

/** The names of the files of a snapshot. */
export const filesOf = ({ tables }: SnapshotManifest) =>
  tables.map(table => ('file' in table ? table.file : assert.fail('one file each')))

/**
 * Fails unless every file is there that a manifest names which was not removed, or was removed in the last half day. Reads
 * the store itself.
 */
export async function mustBeWhole(store: ObjectStore, now: number, when: string): Promise<void> {
  const entries = await listAll(store, 'snapshots/', signal)
  const removedAt = new Map(entries.map(({ key, modifiedAt }) => [key, modifiedAt]))
  for (const { key } of entries.filter(each => each.key.endsWith('.json'))) {
    const mark = removedAt.get(key.replace(/json$/, 'gone'))
    if (mark !== undefined && now - mark > DAY_MS / 2) continue
    const text = await textOf(store, key, signal)
    if (text === null) assert.fail(`${key} is listed and cannot be read ${when}`)
    const manifest = JSON.parse(text) as SnapshotManifest
    for (const file of filesOf(manifest))
      assert.ok(await store.stat(`tables/${PROJECT}/${file}`, signal), `${file} of ${key} is missing ${when}`)
  }
}

/** Fails unless a store has nothing but snapshots that are listed, and their files. */
export async function mustBeClean(store: ObjectStore, snapshots: SnapshotStore): Promise<void> {
  const manifests = await snapshots.manifests(PROJECT)
  const named = new Set(manifests.flatMap(filesOf).map(file => `tables/${PROJECT}/${file}`))
  const numbers = manifests.map(({ snapshotId }) => `snapshots/${PROJECT}/${snapshotId.slice(0, 6)}.json`)
  const found = (await listAll(store, '', signal)).map(({ key }) => key)
  assert.deepEqual(found.sort(), [...named, ...numbers].sort())
}
