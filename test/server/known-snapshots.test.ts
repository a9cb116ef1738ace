import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { SnapshotStore } from 'foldgate/sealing'
import { openLog } from '#server/operation/log.js'
import { KnownSnapshots } from '#server/snapshots/known-snapshots.js'
import { pruneSnapshots } from '#server/snapshots/pruning.js'
import { Rounds } from '#server/snapshots/rounds.js'
import type { Shared } from '#server/snapshots/shared.js'
import { recordSealed } from '#server/store/newest-snapshots.js'
import { addProject } from '#server/store/projects.js'
import { until } from '../until.js'
import { ControlStore } from './control.js'
import { unexpected } from './stores.js'

const { signal } = new AbortController()
const MARKER = 'the marker'

/** Snapshots in memory, as a bucket has them, which counts its listings. */
class FakeBucket {
  readonly found = new Map<string, string[]>()
  lists = 0
  ranges: [string, string | null][] = []
  readonly snapshots = {
    list: async (projectId: string) => {
      this.lists += 1
      return [...(this.found.get(projectId) ?? [])].sort().reverse()
    },
    listBetween: async (after: string, last: string | null) => {
      this.ranges.push([after, last])
      const between = [...this.found].filter(([id]) => id > after && (last === null || id <= last))
      return new Map(between.map(([id, ids]) => [id, [...ids].sort().reverse()]))
    },
    open: async () => null,
    manifestOf: async () => null,
    prune: async (projectId: string, keep: number) => {
      const ids = [...(this.found.get(projectId) ?? [])].sort().reverse()
      this.found.set(projectId, ids.slice(0, keep))
      return ids.slice(keep)
    },
  } as unknown as SnapshotStore
  readonly shared = { what: 'shared bucket', snapshots: this.snapshots, readMarker: async () => MARKER } as Shared

  add(projectId: string): string {
    const ids = this.found.get(projectId) ?? []
    const id = `${String(ids.length + 1).padStart(6, '0')}-${randomUUID()}`
    this.found.set(projectId, [...ids, id])
    return id
  }
}

describe('the snapshots in a bucket', () => {
  const control = new ControlStore()
  let bucket: FakeBucket
  let known: KnownSnapshots
  let projectId: string

  beforeEach(async () => {
    bucket = new FakeBucket()
    await control.addOrganizations('north')
    projectId = await addSealed()
    known = new KnownSnapshots({ store: control.store, shared: bucket.shared, sharedId: MARKER }, openLog(), unexpected)
  })
  afterEach(() => known.stop())

  async function addSealed(): Promise<string> {
    const { projectId: id } = await addProject(control.store, { organization: 'north', name: 'One' })
    await seal(id)
    return id
  }

  async function seal(id: string): Promise<string> {
    const snapshotId = bucket.add(id)
    await recordSealed(control.store, { projectId: id, snapshotId, sealedAt: null })
    return snapshotId
  }

  const list = () => known.port.list(projectId, signal)

  it('are listed once until the store knows of a change', async () => {
    const first = await list()
    for (let time = 0; time < 20; time++) assert.deepEqual(await list(), first)
    assert.equal(bucket.lists, 1)
    const newer = await seal(projectId)
    await until(async () => (await list())[0] === newer, 'the newer snapshot')
    assert.equal((await list()).length, 2)
  })

  it('are listed with one that was sealed before the newest and recorded after it', async () => {
    const [older, newest] = [bucket.add(projectId), bucket.add(projectId)]
    bucket.found.set(projectId, [newest])
    await recordSealed(control.store, { projectId, snapshotId: newest, sealedAt: null })
    await until(async () => (await list())[0] === newest, 'the newest')
    bucket.found.set(projectId, [older, newest])
    await recordSealed(control.store, { projectId, snapshotId: older, sealedAt: null })
    await until(async () => (await list()).includes(older), 'the older')
    assert.deepEqual(await list(), [newest, older])
  })

  it('are no longer listed once they are pruned', async () => {
    const newest = await seal(projectId)
    await until(async () => (await list()).length === 2, 'both')
    await pruneSnapshots(control.store, bucket.snapshots, projectId, 1)
    await until(async () => (await list()).length === 1, 'the newest alone')
    assert.deepEqual(await list(), [newest])
  })

  it('are listed again once one cannot be opened', async () => {
    const [newest = ''] = await list()
    bucket.found.delete(projectId)
    assert.equal(await known.port.open(projectId, newest, [], signal), null)
    await assert.rejects(list(), /the newest snapshot of the project \S+ is missing/)
    assert.equal(known.missing, 1)
  })

  it('are missed by a look if calls read a copy, and found again by the next', async () => {
    const ids = bucket.found.get(projectId) ?? []
    await list()
    bucket.found.delete(projectId)
    assert.equal((await list()).length, 1)
    await known.look()
    assert.equal(known.missing, 1)
    await assert.rejects(list(), /is missing/)
    bucket.found.set(projectId, ids)
    await known.look()
    assert.equal(known.missing, 0)
    assert.deepEqual(await list(), ids)
  })

  it('are visited in turns, a page of projects per look', async () => {
    for (let at = 1; at < 7; at++) await addSealed()
    const rounds = new Rounds(control.store, bucket.snapshots, 3)
    const look = async () => {
      const visited: string[] = []
      for await (const { projectId: id, ids, known: newest } of rounds.look(signal)) {
        assert.deepEqual(ids, [newest])
        visited.push(id)
      }
      return visited
    }
    const ids = [...bucket.found.keys()].sort()
    assert.deepEqual(await look(), ids.slice(0, 3))
    assert.deepEqual(await look(), ids.slice(3, 6))
    assert.deepEqual(await look(), ids.slice(6))
    assert.deepEqual(await look(), ids.slice(0, 3))
    assert.deepEqual(bucket.ranges, [
      ['', ids[2]],
      [ids[2], ids[5]],
      [ids[5], null],
      ['', ids[2]],
    ])
  })

  it('are visited again by the next look if one is cut short', async () => {
    for (let at = 1; at < 4; at++) await addSealed()
    const rounds = new Rounds(control.store, bucket.snapshots, 2)
    const [first] = [...bucket.found.keys()].sort()
    for (let time = 0; time < 2; time++)
      for await (const visited of rounds.look(signal)) {
        assert.equal(visited.projectId, first)
        break
      }
  })
})
