import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderObjects } from '#lib/objects/folder.js'
import type { ObjectStore } from '#lib/objects/store.js'
import { gated, MemoryObjects } from './memory.js'
import { filesOf, mustBeClean, openSnapshots, PROJECT, publishing, signal } from './world.js'

/** Calls `then` once, when a request that begins so was made. */
function once(store: ObjectStore, begins: string, then: () => Promise<unknown>): ObjectStore {
  let isOver = false
  return gated(store, async (moment, request) => {
    if (isOver || moment !== 'after' || !request.startsWith(begins)) return
    isOver = true
    await then()
  })
}

describe('a snapshot that has what the newest one has', () => {
  let folder: string
  let store: MemoryObjects

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-unchanged-'))
    store = new MemoryObjects()
  })
  afterEach(() => rm(folder, { recursive: true }))

  const seal = (texts: readonly string[], more?: Parameters<typeof publishing>[3], by: ObjectStore = store) =>
    publishing(openSnapshots(by), folder, texts, more)
  const idsOf = (by: ObjectStore = store) => openSnapshots(by).list(PROJECT, signal)

  it('is not published, and no file is stored', async () => {
    const first = await seal(['a', 'b'])
    assert.equal(first.unchanged, false)
    const before = [...store.objects.keys()]
    const sealedAt = '2026-02-02T00:00:00Z'
    const { snapshotId } = first.manifest
    for (const more of [{ sealedAt }, { sourceDigest: 'another' }, { after: snapshotId }])
      assert.deepEqual(await seal(['a', 'b'], more), { manifest: first.manifest, unchanged: true })
    assert.deepEqual([...store.objects.keys()], before)
  })

  it('is published when anything else differs: rows, warnings, entities or the assessment', async () => {
    const entities = { file: 't0.parquet', sha256: '0'.repeat(64), bytes: 1, count: 1 }
    const warnings = [{ table: 't0', message: 'odd', rows: 1 }]
    const tables = [{ name: 't0', rows: 2, columns: [], file: 't0.parquet', sha256: '1'.repeat(64), bytes: 1 }]
    const different = [
      {},
      { warnings },
      { warnings: [{ ...warnings[0], rows: 2 }] as typeof warnings },
      { assessmentId: 'one' },
      { assessmentId: 'two' },
      { rootId: PROJECT, entities, tables: [] },
      { rootId: PROJECT, entities: { ...entities, sha256: '2'.repeat(64) }, tables: [] },
      { tables },
      { tables: tables.map(table => ({ ...table, columns: [{ name: 'x', type: 'INTEGER' }] })) },
      { tables: tables.map(table => ({ ...table, guessed: ['x'] })) },
      {},
    ]
    for (const [at, more] of different.entries()) {
      assert.equal((await seal(['a'], more)).unchanged, false, JSON.stringify(more))
      assert.equal((await seal(['a'], more)).unchanged, true, JSON.stringify(more))
      assert.equal((await idsOf()).length, at + 1)
    }
    assert.equal((await seal(['b', 'a'])).unchanged, false, 'tables in another order')
  })

  it('is published when that is older than another one, or cannot be read', async () => {
    const first = await seal(['a'])
    await seal(['b'])
    const again = await seal(['a'])
    assert.equal(again.unchanged, false)
    assert.deepEqual(filesOf(again.manifest).length, filesOf(first.manifest).length)
    const manifest = `snapshots/${PROJECT}/000003.json`
    for (const text of ['{', JSON.stringify({ ...again.manifest, formatVersion: 2 })]) {
      store.objects.set(manifest, { bytes: Buffer.from(text), modifiedAt: store.now })
      assert.equal((await seal(['a'])).unchanged, false)
      store.objects.delete(`snapshots/${PROJECT}/000004.json`)
    }
  })

  it('is published when a file of that is missing, or damaged, and is unchanged from then on', async () => {
    const root = join(folder, 'store')
    const inFolder = folderObjects(root)
    for (const [by, damage] of [
      [store, (key: string) => void store.objects.delete(key)],
      [inFolder, (key: string) => rm(join(root, key))],
      [inFolder, (key: string) => writeFile(join(root, key), 'evil')],
    ] as const) {
      const sealed = await seal(['good', 'fine'], {}, by)
      await damage(`tables/${PROJECT}/${filesOf(sealed.manifest)[1]}`)
      const healed = await seal(['good', 'fine'], {}, by)
      assert.equal(healed.unchanged, false)
      assert.equal((await seal(['good', 'fine'], {}, by)).unchanged, true)
      assert.deepEqual(await openSnapshots(by).verify(PROJECT, healed.manifest.snapshotId), [])
    }
    const [file = ''] = (await readdir(join(root, 'tables', PROJECT))).filter(name => name.startsWith('t0'))
    assert.equal(await readFile(join(root, 'tables', PROJECT, file), 'utf8'), 'good')
  })

  it('is published once by several that publish it at once, and the others leave no file', async () => {
    await seal(['old'])
    const ended = await Promise.all(Array.from({ length: 6 }, () => seal(['a', 'b'])))
    assert.equal(ended.filter(({ unchanged }) => !unchanged).length, 1)
    assert.equal(new Set(ended.map(({ manifest }) => manifest.snapshotId)).size, 1)
    await openSnapshots(store).remove(PROJECT)
    assert.equal((await seal(['a', 'b'])).unchanged, false, 'those of a removed snapshot do not count')
    store.now += 3 * 86_400_000
    await openSnapshots(store, () => store.now).sweep()
    await mustBeClean(store, openSnapshots(store))
  })

  it('is compared with the one that is the newest then: another may be published, or that be removed', async () => {
    const { manifest } = await seal(['a'])
    const list = `list tables/${PROJECT}/`
    const removed = once(store, list, () => openSnapshots(store).remove(PROJECT))
    assert.equal((await seal(['a'], {}, removed)).unchanged, false, 'it was removed while its files were looked at')
    const superseded = once(store, list, () => seal(['b']))
    const after = await seal(['a'], {}, superseded)
    assert.equal(after.unchanged, false, 'another one was published while its files were looked at')
    assert.deepEqual((await idsOf())[0], after.manifest.snapshotId)
    const put = `put tables/${PROJECT}/`
    const overtaken = once(store, put, () => seal(['c']))
    const { snapshotId } = after.manifest
    assert.equal((await seal(['c'], {}, overtaken)).unchanged, true, 'another process was quicker')
    assert.equal((await idsOf()).filter(id => id > snapshotId).length, 1)
    const outdated = once(store, `list snapshots/${PROJECT}/`, () => seal(['d']))
    const newest = (await idsOf())[0]
    await assert.rejects(seal(['c'], { after: newest ?? null }, outdated), { name: 'OutdatedBase' })
    assert.notEqual(newest, manifest.snapshotId)
  })

  it('is published all the same as a copy, which has an id of its own', async () => {
    const { manifest } = await seal(['a'])
    const snapshotId = `000007-${PROJECT}`
    const copy = await seal(['a'], { snapshotId })
    assert.deepEqual([copy.manifest.snapshotId, copy.unchanged], [snapshotId, false])
    assert.deepEqual(await idsOf(), [snapshotId, manifest.snapshotId])
  })
})
