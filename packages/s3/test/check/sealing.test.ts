import assert from 'node:assert/strict'
import { until } from '../../../../test/until.js'
import { faultySnapshots } from './faulty.js'
import type { Fate, Seen } from './proxy.js'
import { publishTables } from './shared-tables.js'

/** Of every ten requests that write a key for the first time, loses the answer to one: its repetition passes. */
function everyTenthPutLost() {
  const written = new Set<string>()
  return ({ method, key }: Seen): Fate => {
    if (method !== 'PUT' || written.has(key)) return 'pass'
    return written.add(key).size % 10 === 0 ? 'lost' : 'pass'
  }
}

describe('snapshots that are sealed in a store of S3 that fails', () => {
  const world = faultySnapshots('faults of S3 while snapshots are sealed')
  const { open, seal, list, mustOpen, keys, to, once } = world

  describe('while it seals', () => {
    it('repeats what is answered 503 or not at all', async () => {
      const failed = new Set<string>()
      world.store.fate = ({ method, key }) => {
        const request = `${method} ${key}`
        if (failed.has(request)) return 'pass'
        failed.add(request)
        return failed.size % 2 === 0 ? 'lost' : 'unavailable'
      }
      const manifest = await seal()
      assert.deepEqual(await list(), [manifest.snapshotId])
      assert.ok(failed.size >= 5)
      world.store.heal()
      await mustOpen(world.snapshots, manifest)
    })

    for (const part of ['tables/', 'snapshots/'])
      it(`publishes nothing when the store does not answer for ${part}`, async () => {
        const before = await seal()
        world.store.fate = to('PUT', part, 'hang')
        await assert.rejects(seal(), /no answer within/)
        world.store.heal()
        assert.deepEqual(await list(), [before.snapshotId])
        const after = await seal()
        assert.deepEqual(await list(), [after.snapshotId, before.snapshotId])
      })

    it('ends at once when it is aborted, and leaves nothing', async () => {
      world.store.fate = to('PUT', 'tables/', 'hang')
      const leaving = new AbortController()
      const sealing = seal(world.snapshots, 0, leaving.signal)
      await until(
        () => world.store.seen.some(({ method, key }) => method === 'PUT' && key.includes('tables/')),
        'an upload',
      )
      const reason = new Error('enough')
      leaving.abort(reason)
      await assert.rejects(sealing, reason)
      assert.deepEqual(await list(), [])
      assert.deepEqual(await keys(''), [])
    })

    it('publishes a snapshot whose manifest was written though the answer was lost', async () => {
      world.store.fate = once(to('PUT', 'snapshots/', 'lost'))
      const { snapshotId } = await seal()
      assert.deepEqual(await list(), [snapshotId])
    })

    it('refuses a store that ignores conditions', async () => {
      await seal()
      const other = open()
      world.store.fate = to('PUT', 'clock/', 'accept')
      await assert.rejects(seal(other), /the store ignores If-None-Match/)
    })

    it('publishes one of two snapshots that follow the same one, and tells the other', async () => {
      const base = await publishTables(world.snapshots, world.projectId, { a: '1' })
      const others = [world.snapshots, open()]
      const ends = await Promise.allSettled(
        others.map((other, at) =>
          publishTables(other, world.projectId, { a: '1', b: `${at}` }, { after: base.snapshotId }),
        ),
      )
      const published = ends.flatMap(end => (end.status === 'fulfilled' ? [end.value] : []))
      const failures = ends.flatMap(end => (end.status === 'rejected' ? [end.reason.name] : []))
      assert.deepEqual([published.length, failures], [1, ['OutdatedBase']])
      assert.deepEqual(await world.snapshots.manifests(world.projectId), [published[0], base])
      assert.equal((await keys('tables/')).length, 3, 'the loser leaves nothing')
    })

    it('gives snapshots that are sealed at once places of their own, in order', async () => {
      const others = [world.snapshots, open(), open()]
      world.store.fate = everyTenthPutLost()
      const sealed: string[] = []
      const rounds = others.map(async other => {
        for (let round = 0; round < 5; round++) {
          const before = [...sealed]
          const { snapshotId } = await seal(other)
          // It is newer than all that were published before it was begun, by whomever.
          const ids = await list(other)
          assert.ok(before.every(id => ids.indexOf(id) > ids.indexOf(snapshotId)))
          assert.ok(ids.includes(snapshotId))
          sealed.push(snapshotId)
        }
      })
      await Promise.all(rounds)
      const ids = await list()
      assert.deepEqual([...ids].sort(), [...sealed].sort())
      assert.equal(new Set(ids.map(id => id.slice(0, 6))).size, 15)
      for (const id of ids) assert.deepEqual(await world.snapshots.verify(world.projectId, id), [])
    })
  })
})
