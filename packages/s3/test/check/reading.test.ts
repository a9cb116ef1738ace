import assert from 'node:assert/strict'
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { until } from '../../../../test/until.js'
import { faultySnapshots } from './faulty.js'
import { BUCKET } from './gateway.js'

const { signal } = new AbortController()

describe('snapshots that are read in a store of S3 that fails', () => {
  const world = faultySnapshots('faults of S3 while snapshots are read')
  const { open, seal, list, take, mustOpen, keys, copies, to, once } = world
  /** The keys of files of tables that were read. */
  const filesRead = () => world.store.readKeys().filter(key => key.startsWith(`${world.prefix}tables/`))

  it('wait for no store that hangs, and are read when it is back', async () => {
    const manifest = await seal()
    for (const part of ['', 'tables/', 'snapshots/']) {
      const fresh = open()
      world.store.fate = request => (part === '' || request.key.startsWith(world.prefix + part) ? 'hang' : 'pass')
      await assert.rejects(take(fresh, manifest), /no answer within/)
      if (part !== 'tables/') await assert.rejects(list(fresh), /no answer within/)
      world.store.heal()
    }
    assert.deepEqual(await list(), [manifest.snapshotId])
    await mustOpen(world.snapshots, manifest)
  })

  it('begin a file again whose connection breaks or stalls, and give up in the end', async () => {
    const manifest = await seal()
    for (const fate of ['cut', 'stall', 'unavailable'] as const) {
      world.store.fate = to('GET', 'tables/', fate)
      await assert.rejects(take(world.snapshots, manifest))
      assert.deepEqual(await copies(), [])
    }
    world.store.heal()
    world.store.fate = once(to('GET', 'tables/', 'cut'))
    await mustOpen(world.snapshots, manifest)
  })

  it('are copied once for all calls, also when these have left', async () => {
    const manifest = await seal(world.snapshots, 100_000)
    world.store.fate = to('GET', 'tables/', 'slow')
    const leaving = new AbortController()
    const left = Array.from({ length: 5 }, () => take(world.snapshots, manifest, leaving.signal))
    await until(() => filesRead().length > 1, 'the copying')
    leaving.abort()
    for (const { status } of await Promise.allSettled(left)) assert.equal(status, 'rejected')
    await Promise.all([1, 2, 3].map(() => mustOpen(world.snapshots, manifest)))
    assert.equal(filesRead().length, 2)
  })

  it('are copied once for several runs of a process', async () => {
    const manifest = await seal()
    await mustOpen(world.snapshots, manifest)
    world.snapshots.close()
    await until(async () => {
      world.store.heal()
      await mustOpen(open(), manifest)
      return filesRead().length === 0
    }, 'the copies of the process before')
  })

  for (const [what, change, told] of [
    [
      'damaged',
      (Key: string) => new PutObjectCommand({ Bucket: BUCKET, Key, Body: 'other' }),
      'is not as it was sealed',
    ],
    ['missing', (Key: string) => new DeleteObjectCommand({ Bucket: BUCKET, Key }), 'is missing'],
  ] as const)
    it(`are told when a file is ${what}, of which there is no copy then`, async () => {
      const manifest = await seal()
      const [key = ''] = (await keys('tables/')).filter(name => name.endsWith('.parquet'))
      await world.gateway.client().send(change(world.prefix + key) as PutObjectCommand)
      await assert.rejects(take(world.snapshots, manifest), new RegExp(`parquet ${told}$`))
      assert.deepEqual(
        (await copies()).filter(name => !name.endsWith('.ids')),
        [],
      )
      const problems = await world.snapshots.verify(world.projectId, manifest.snapshotId)
      assert.deepEqual(problems, [`${key.split('/').at(-1)} ${told}`])
    })

  it('are listed no more once they were removed, while files that are being copied stay for a day', async () => {
    const manifest = await seal()
    const newest = await seal()
    world.store.fate = to('GET', 'tables/', 'stall')
    const opening = take(world.snapshots, manifest)
    await until(() => filesRead().length > 0, 'the copying')
    assert.deepEqual(await world.snapshots.prune(world.projectId, 1), [manifest.snapshotId])
    world.store.fate = () => 'pass'
    await (await opening)?.release()
    assert.deepEqual(await world.snapshots.list(world.projectId, signal), [newest.snapshotId])
    await mustOpen(open(), manifest)
  })
})
