import assert from 'node:assert/strict'
import { readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { until } from '../../../../test/until.js'
import { faultySnapshots } from './faulty.js'
import { BUCKET } from './gateway.js'

const { signal } = new AbortController()

describe('snapshots that are read in a store of S3 that fails', () => {
  const world = faultySnapshots('faults of S3 while snapshots are read')
  const { open, seal, list, mustBeWhole, keys, onDisk, to, once } = world

  describe('while it reads', () => {
    it('waits for no store that hangs, and reads when it is back', async () => {
      const { snapshotId } = await seal()
      for (const part of ['', 'tables/', 'manifests/']) {
        world.store.fate = request => (part === '' || request.key.startsWith(world.prefix + part) ? 'hang' : 'pass')
        await assert.rejects(world.snapshots.open(world.projectId, snapshotId, signal), /no answer within/)
        if (part === '') await assert.rejects(list(), /no answer within/)
        world.store.heal()
      }
      assert.deepEqual(await list(), [snapshotId])
      await mustBeWhole(await world.snapshots.open(world.projectId, snapshotId, signal))
      assert.equal((await onDisk()).drafts, 0)
    })

    it('begins a file again whose connection breaks or stalls, and gives up in the end', async () => {
      const { snapshotId } = await seal()
      for (const fate of ['cut', 'stall', 'unavailable'] as const) {
        world.store.fate = to('GET', 'tables/', fate)
        await assert.rejects(world.snapshots.open(world.projectId, snapshotId, signal))
        assert.deepEqual(await onDisk(), { copies: [], drafts: 0 })
      }
      world.store.heal()
      world.store.fate = once(to('GET', 'tables/', 'cut'))
      await mustBeWhole(await world.snapshots.open(world.projectId, snapshotId, signal))
    })

    it('copies once for all calls, and goes on when they have left', async () => {
      const { snapshotId, tables } = await seal(world.snapshots, 100_000)
      world.store.fate = to('GET', 'tables/', 'slow')
      world.store.seen = []
      const leaving = new AbortController()
      const left = Array.from({ length: 5 }, () => world.snapshots.open(world.projectId, snapshotId, leaving.signal))
      await until(() => world.store.readKeys().length > 5, 'the copying')
      leaving.abort()
      for (const { status } of await Promise.allSettled(left)) assert.equal(status, 'rejected')
      const leases = await Promise.all(
        Array.from({ length: 5 }, () => world.snapshots.open(world.projectId, snapshotId, signal)),
      )
      for (const lease of leases) await mustBeWhole(lease)
      const files = world.store.readKeys().filter(key => key.startsWith(`${world.prefix}tables/`))
      assert.equal(files.length, tables.length + 1)
    })

    for (const [what, change, told] of [
      [
        'damaged',
        (key: string) => new PutObjectCommand({ Bucket: BUCKET, Key: key, Body: 'other' }),
        'is not as it was',
      ],
      ['missing', (key: string) => new DeleteObjectCommand({ Bucket: BUCKET, Key: key }), 'is missing'],
    ] as const)
      it(`reads no snapshot of which a file is ${what}, and keeps no copy`, async () => {
        const { snapshotId } = await seal()
        const [key = ''] = (await keys('tables/')).filter(name => name.endsWith('.parquet'))
        await world.gateway.client().send(change(world.prefix + key) as PutObjectCommand)
        await assert.rejects(
          world.snapshots.open(world.projectId, snapshotId, signal),
          new RegExp(`^Error: entities.parquet ${told}`),
        )
        assert.deepEqual(await onDisk(), { copies: [], drafts: 0 })
        world.store.seen = []
        await assert.rejects(world.snapshots.open(world.projectId, snapshotId, signal), new RegExp(told))
        const again = world.store.readKeys().filter(name => name.endsWith('.parquet'))
        assert.deepEqual(again, [], 'the files were read again')
        assert.match(
          (await world.snapshots.verify(world.projectId, snapshotId)).join(),
          new RegExp(`^entities.parquet ${told}`),
        )
      })

    it('reads a damaged snapshot as soon as it has been restored', async () => {
      const { snapshotId } = await seal()
      const [name = ''] = (await keys('tables/')).filter(key => key.endsWith('.parquet'))
      const client = world.gateway.client()
      const at = { Bucket: BUCKET, Key: world.prefix + name }
      const whole = (await (await client.send(new GetObjectCommand(at))).Body?.transformToByteArray()) ?? ''
      await client.send(new PutObjectCommand({ ...at, Body: 'other' }))
      await assert.rejects(world.snapshots.open(world.projectId, snapshotId, signal), /is not as it was/)
      await client.send(new PutObjectCommand({ ...at, Body: whole }))
      await mustBeWhole(await world.snapshots.open(world.projectId, snapshotId, signal))
    })

    it('has forgotten a snapshot that is removed while it is copied', async () => {
      const { snapshotId } = await seal()
      await seal()
      world.store.fate = to('GET', 'tables/', 'hang')
      const opening = world.snapshots.open(world.projectId, snapshotId, signal)
      await until(() => world.store.readKeys().some(key => key.startsWith(`${world.prefix}tables/`)), 'the copying')
      assert.deepEqual(await world.snapshots.prune(world.projectId, 1), [snapshotId])
      world.store.heal()
      assert.equal(await opening, null)
      assert.deepEqual(await keys(`tables/${world.projectId}/${snapshotId.slice(7)}`), [])
    })
  })

  describe('the copies on this machine', () => {
    const bytesOf = async (of = world.folder) => {
      const found = await readdir(of, { recursive: true, withFileTypes: true })
      return found.filter(entry => entry.isFile() && !entry.parentPath.includes('/.')).length
    }

    it('stay within their bound, those used last longest, and those in use always', async () => {
      const [one, two, three] = [
        await seal(world.snapshots, 300_000),
        await seal(world.snapshots, 300_000),
        await seal(world.snapshots, 300_000),
      ]
      const small = open({ bytes: 700_000 })
      const first = await small.open(world.projectId, one.snapshotId, signal)
      await mustBeWhole(await small.open(world.projectId, two.snapshotId, signal))
      await mustBeWhole(await small.open(world.projectId, three.snapshotId, signal))
      assert.deepEqual((await onDisk()).copies, [one.snapshotId, three.snapshotId])
      const third = await small.open(world.projectId, three.snapshotId, signal)
      await assert.rejects(small.open(world.projectId, two.snapshotId, signal), /there is no room for a copy/)
      await mustBeWhole(first)
      await mustBeWhole(third)
      await mustBeWhole(await small.open(world.projectId, two.snapshotId, signal))
      assert.deepEqual((await onDisk()).copies, [two.snapshotId, three.snapshotId])
      const large = await seal(world.snapshots, 800_000)
      await assert.rejects(small.open(world.projectId, large.snapshotId, signal), {
        name: 'LastingFailure',
        message: /has 8\d+ bytes, and all copies may take 700000: give them more room/,
      })
      assert.deepEqual(await onDisk(), { copies: [two.snapshotId, three.snapshotId], drafts: 0 })
    })

    it('are read again after a restart, unless they are not what is stored', async () => {
      const { snapshotId } = await seal(world.snapshots, 1000)
      await mustBeWhole(await world.snapshots.open(world.projectId, snapshotId, signal))
      const filesRead = () => world.store.readKeys().filter(key => key.startsWith(`${world.prefix}tables/`)).length
      world.store.heal()
      await mustBeWhole(await open().open(world.projectId, snapshotId, signal))
      assert.equal(filesRead(), 0)
      const copy = join(world.folder, world.projectId, snapshotId)
      const damages = [
        () => truncate(join(copy, 'entities.parquet'), 10),
        () => rm(join(copy, 'entities.bin')),
        () => rm(join(copy, 'manifest.json')),
        () => writeFile(join(copy, 'manifest.json'), '{"formatVersion": 1}'),
        () => writeFile(join(copy, 'manifest.json'), '{'),
      ]
      for (const damage of damages) {
        await damage()
        world.store.heal()
        await mustBeWhole(await open().open(world.projectId, snapshotId, signal))
        assert.equal(filesRead(), 2)
      }
    })

    it('serve several processes that share their folder', async () => {
      const ids: string[] = []
      for (let at = 0; at < 4; at++) ids.push((await seal(world.snapshots, 100_000)).snapshotId)
      const others = Array.from({ length: 3 }, () => open({ bytes: 450_000 }))
      const rounds = others.map(async (other, at) => {
        for (let round = 0; round < 8; round++) {
          const lease = await other
            .open(world.projectId, ids[(round * (at + 1)) % ids.length] as string, signal)
            .catch(cause => {
              assert.match(String(cause), /there is no room/)
              return undefined
            })
          if (lease !== undefined) await mustBeWhole(lease)
        }
      })
      await Promise.all(rounds)
      assert.equal((await onDisk()).drafts, 0)
      assert.ok((await bytesOf()) > 0)
    })
  })
})
