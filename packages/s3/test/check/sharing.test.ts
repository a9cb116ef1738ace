import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { directorySnapshots } from 'foldgate'
import { type SnapshotManifest, verifySnapshot } from 'foldgate/sealing'
import type { S3Snapshots } from '#s3/snapshots.js'
import { MemoryStore } from './memory-store.js'
import { places, publishTables } from './shared-tables.js'

const { signal } = new AbortController()
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

describe('the files of the snapshots of a project in S3', () => {
  let folder: string
  let store: MemoryStore
  let snapshots: S3Snapshots
  let projectId: string

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-copies-'))
    store = new MemoryStore()
    snapshots = store.open(folder, 1e6)
    projectId = randomUUID()
  })
  afterEach(async () => {
    snapshots.close()
    await rm(folder, { recursive: true, force: true })
  })

  const tables = { a: 'rows of a', b: 'rows of b', c: 'rows of c' }
  const publish = (rows: Readonly<Record<string, string>> = tables) => publishTables(snapshots, projectId, rows)
  const uuid = ({ snapshotId }: SnapshotManifest) => snapshotId.slice(7)
  const objects = () => store.keys('tables/').map(key => key.split('/').slice(2).join('/'))
  async function mustBeWhole(...given: SnapshotManifest[]): Promise<void> {
    for (const { snapshotId } of given) {
      assert.deepEqual(await snapshots.verify(projectId, snapshotId), [])
      const lease = await snapshots.open(projectId, snapshotId, signal)
      assert.deepEqual(await verifySnapshot(lease?.folder ?? '', { projectId, snapshotId }), [])
      await lease?.release()
    }
  }
  const puts = () => store.requests.filter(request => request.startsWith('PUT tables/')).length

  it('are uploaded once, and named by later snapshots', async () => {
    const first = await publish()
    assert.equal(first.formatVersion, 4, 'which earlier versions ignore')
    store.requests = []
    const second = await publish({ ...tables, b: 'other rows' })
    assert.equal(puts(), 1)
    const [one, two] = [uuid(first), uuid(second)]
    const held = { 'entities.ids': one, 'a.parquet': one, 'b.parquet': two, 'c.parquet': one }
    assert.deepEqual(places(second), held)
    const third = await publish({ ...tables, b: 'other rows', d: 'rows of d' })
    assert.deepEqual(places(third), { ...held, 'd.parquet': uuid(third) })
    await mustBeWhole(first, second, third)
    assert.deepEqual(await snapshots.prune(projectId, 1), [second.snapshotId, first.snapshotId])
    const left = ['entities.ids', 'a.parquet', 'c.parquet'].map(name => `${one}/${name}`)
    assert.deepEqual(objects(), [...left, `${two}/b.parquet`, `${uuid(third)}/d.parquet`].sort())
    await mustBeWhole(third)
    await snapshots.remove(projectId)
    assert.deepEqual(store.keys(''), [])
  })

  it('are asked for in a number of requests that does not depend on how many there are', async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`t${at}`, `rows of ${at}`]))
    await publish(many)
    store.requests = []
    await publish(many)
    const asked = store.requests.map(request => request.replace(/\/.*/, ''))
    const before = ['LIST manifests', 'GET manifests', 'PUT linking', 'LIST removing', 'LIST tables']
    assert.deepEqual(asked, [...before, 'PUT numbers', 'LIST manifests', 'PUT manifests', 'DELETE linking'])
    const whole = store.requests.filter(request => request.startsWith('LIST') && !request.includes(projectId))
    assert.deepEqual(whole, [], 'no listing has another project')
  })

  it('are uploaded again when they are missing or of another size, and while a removal is under way', async () => {
    const first = await publish()
    const keyOf = (name: string) => `tables/${projectId}/${uuid(first)}/${name}.parquet`
    store.objects.delete(keyOf('a'))
    store.objects.set(keyOf('b'), Buffer.from('rows'))
    const second = await publish()
    const [one, two] = [uuid(first), uuid(second)]
    const placesOf = { 'entities.ids': one, 'a.parquet': two, 'b.parquet': two, 'c.parquet': one }
    assert.deepEqual(places(second), placesOf)
    await mustBeWhole(second)
    const mark = `removing/${projectId}/${randomUUID()}`
    store.objects.set(mark, Buffer.from('\n'))
    const placesWhen = async (removing: number) => {
      store.writtenAt.set(mark, Date.now() - removing)
      const published = await publish()
      return { own: uuid(published), found: [...new Set(Object.values(places(published)))] }
    }
    const { own, found } = await placesWhen(2 * HOUR_MS - 60_000)
    assert.deepEqual(found, [own])
    assert.deepEqual((await placesWhen(2 * HOUR_MS + 60_000)).found, [own], 'which has ended long ago')
  })

  it('stay while the project has a manifest of a format that this version does not read', async () => {
    const first = await publish()
    const second = await publish({ a: 'other rows' })
    const newer = `manifests/${projectId}/000009-${randomUUID()}.json`
    store.objects.set(newer, Buffer.from(JSON.stringify({ formatVersion: 99 })))
    const before = objects()
    assert.deepEqual(await snapshots.prune(projectId, 1), [first.snapshotId])
    assert.deepEqual([objects(), store.keys('removing/')], [before, []])
    const third = await publish({ a: 'rows' })
    assert.equal(places(third)['entities.ids'], uuid(first), 'of the one before that it reads')
    store.objects.delete(newer)
    assert.deepEqual(await snapshots.prune(projectId, 1), [second.snapshotId])
    assert.deepEqual(objects(), [`${uuid(first)}/entities.ids`, `${uuid(third)}/a.parquet`].sort())
    await mustBeWhole(third)
  })

  it('are beside those of snapshots of earlier versions, which have their own', async () => {
    const old = store.put({ a: 100 }, { projectId, snapshotId: `000001-${randomUUID()}` })
    const [manifest] = await snapshots.manifests(projectId)
    const next = await publish()
    assert.deepEqual([...new Set(Object.values(places(next)))], [uuid(next)])
    await mustBeWhole(manifest as SnapshotManifest, next)
    assert.deepEqual(await snapshots.prune(projectId, 1), [old.snapshotId])
    assert.deepEqual(store.keys('files/'), [])
    await mustBeWhole(next)
  })

  it('keep the place of none that a copy with the same id may overwrite', async () => {
    const first = await publish()
    const second = await publish({ ...tables, b: 'other rows' })
    assert.deepEqual(await snapshots.prune(projectId, 1), [first.snapshotId])
    // A snapshot with the id of the first one, and other rows: the second one has files in the place of that name.
    const draft = await snapshots.draft()
    const source = directorySnapshots(join(folder, 'source'))
    const other = await publishTables(source, projectId, { a: 'false' })
    await cp(join(folder, 'source', projectId, other.snapshotId), draft, { recursive: true })
    const copy = await snapshots.publish(draft, { ...other, snapshotId: first.snapshotId })
    assert.equal(copy.snapshotId, first.snapshotId)
    await mustBeWhole(second, copy)
  })

  it('leave no trace in a folder that a snapshot comes to', async () => {
    const sealed = await publish()
    const lease = await snapshots.open(projectId, sealed.snapshotId, signal)
    const home = directorySnapshots(join(folder, 'home'))
    const draft = await home.draft()
    await cp(lease?.folder ?? '', draft, { recursive: true })
    await lease?.release()
    const manifest = await home.publish(draft, sealed)
    assert.equal(manifest.formatVersion, 1)
    assert.ok(!JSON.stringify(manifest).includes('holder'))
    assert.deepEqual(await home.manifests(projectId), [manifest])
    assert.deepEqual(await home.verify(projectId, manifest.snapshotId), [])
  })

  it('are gone when a snapshot is not published', async () => {
    const first = await publish()
    const before = store.keys('')
    const leaving = new AbortController()
    store.before = request => void (request.startsWith('PUT numbers/') && leaving.abort(new Error('enough')))
    const given = { ...tables, b: 'other rows' }
    await assert.rejects(publishTables(snapshots, projectId, given, { signal: leaving.signal }), /enough/)
    store.before = () => {}
    const bare = (keys: string[]) => keys.filter(key => !key.startsWith('numbers/'))
    assert.deepEqual(bare(store.keys('')), bare(before))
    await mustBeWhole(first)
  })

  describe('when a machine is suspended', () => {
    const { now } = Date
    afterEach(() => {
      Date.now = now
    })
    /** Passes time before the first request of this kind. */
    const suspendAt = (what: string, ms: number) => {
      store.before = request => {
        if (request.startsWith(what)) Date.now = () => now() + ms
      }
    }

    it('are not named by a publisher that goes on after half a day', async () => {
      const first = await publish()
      const before = objects()
      suspendAt('PUT numbers/', 13 * HOUR_MS)
      await assert.rejects(publish({ ...tables, b: 'other rows' }), /took more than half a day: seal again/)
      assert.deepEqual([objects(), store.keys('linking/')], [before, []])
      assert.deepEqual(await snapshots.list(projectId, signal), [first.snapshotId])
    })

    it('are not removed by a removal that goes on after an hour, which is to be seen', async () => {
      await publish()
      const second = await publish({ a: 'other rows' })
      const before = objects()
      suspendAt('LIST linking/', 2 * HOUR_MS)
      await assert.rejects(snapshots.prune(projectId, 1), /took more than an hour/)
      assert.deepEqual([objects(), store.keys('removing/').length], [before, 1])
      await mustBeWhole(second)
    })
  })

  describe('that were left by processes that have ended', () => {
    /** Publishes, and ends when a request of this kind would be sent. */
    async function killedAt(what: string, rows: Readonly<Record<string, string>>): Promise<void> {
      let isOver = false
      store.before = request => {
        isOver ||= request.startsWith(what)
        if (isOver) throw new Error('killed')
      }
      await assert.rejects(publish(rows), /killed/)
      store.before = () => {}
    }
    /** All that is there was written this long ago. */
    function age(ms: number): void {
      for (const key of store.objects.keys()) store.writtenAt.set(key, Date.now() - ms)
    }

    it('are removed after a day, and not before', async () => {
      const first = await publish()
      const second = await publish({ ...tables, b: 'other rows' })
      await snapshots.prune(projectId, 1)
      const kept = objects()
      await killedAt('PUT numbers/', { ...tables, b: 'lost rows' })
      store.objects.set(`removing/${projectId}/${randomUUID()}`, Buffer.from('\n'))
      age(DAY_MS - 60_000)
      const all = store.keys('')
      await snapshots.sweep('bucket')
      assert.deepEqual(store.keys(''), all)
      assert.equal(objects().length, kept.length + 1)
      age(DAY_MS + 60_000)
      await snapshots.sweep('bucket')
      assert.deepEqual([objects(), store.keys('linking/'), store.keys('removing/')], [kept, [], []])
      assert.ok(
        kept.some(key => key.startsWith(uuid(first))),
        'though its snapshot is gone',
      )
      await mustBeWhole(second)
    })

    it('cost the sweep one manifest for a project that has none of them', async () => {
      await publish()
      await publish({ ...tables, b: 'other rows' })
      await snapshots.prune(projectId, 1)
      age(2 * DAY_MS)
      store.requests = []
      await snapshots.sweep('bucket')
      assert.equal(store.requests.filter(request => request.startsWith('GET')).length, 1)
      assert.ok(!store.requests.some(request => request.startsWith('PUT')))
    })
  })
})
