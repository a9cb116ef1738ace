import assert from 'node:assert/strict'
import promises, { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Snapshots } from '#s3/snapshots.js'
import { until } from '../../../../test/until.js'
import { type InMemory, MemoryStore } from './memory-store.js'

const { signal } = new AbortController()
const KIB = 1024

describe('the room for copies of snapshots', () => {
  let folder: string
  let store: MemoryStore
  let snapshots: S3Snapshots

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-room-'))
    store = new MemoryStore()
    snapshots = store.open(folder, 100 * KIB)
  })
  afterEach(async () => {
    snapshots.close()
    await rm(folder, { recursive: true, force: true })
  })

  async function read({ projectId, snapshotId }: InMemory, files: string[]): Promise<void> {
    const lease = await snapshots.openFiles?.(projectId, snapshotId, files, signal)
    assert.ok(lease)
    await lease.release()
  }

  /** The bytes for which room was found. */
  async function reserved(): Promise<number> {
    const [ledger = ''] = (await readdir(join(folder, '.reserved'))).filter(name => name.endsWith('.ledger'))
    return Number(await promises.readFile(join(folder, '.reserved', ledger), 'utf8'))
  }

  it('is given to as many as it is enough for, when more come at once', async () => {
    const put = Array.from({ length: 6 }, () => store.put({ a: 40 * KIB }))
    let refused = 0
    let pass = () => {}
    const fourAreRefused = new Promise<void>(resolve => {
      pass = resolve
    })
    store.before = request => (request.endsWith('.parquet') ? fourAreRefused : undefined)
    const reading = put.map(each =>
      read(each, ['a.parquet']).catch(cause => {
        const [, bytes] = /there is no room .* it would take (\d+) bytes/.exec(String(cause)) ?? []
        assert.ok(Number(bytes) < 130 * KIB, `${bytes} bytes: two that have room, and itself`)
        if (++refused === 4) pass()
      }),
    )
    await Promise.all(reading)
    assert.equal(refused, 4)
  })

  it('is enough for what a statement reads of a snapshot that is larger than all of it', async () => {
    const snapshot = store.put({ a: 60 * KIB, b: 60 * KIB, c: 10 })
    const home = join(folder, snapshot.projectId)
    const all = snapshots.open(snapshot.projectId, snapshot.snapshotId, signal)
    await assert.rejects(all, { name: 'LastingFailure', message: /has 12\d+ bytes, and all/ })
    await assert.rejects(readdir(home), { code: 'ENOENT' })
    await read(snapshot, ['a.parquet', 'c.parquet'])
    // Not beside the first one: the copy begins anew.
    await read(snapshot, ['b.parquet', 'c.parquet'])
    const names = ['b.parquet', 'c.parquet', 'entities.bin', 'manifest.json']
    assert.deepEqual((await readdir(join(home, snapshot.snapshotId))).sort(), names)
    await assert.rejects(read(snapshot, ['a.parquet', 'b.parquet']), { name: 'LastingFailure' })
  })

  it('is found beside what somebody else has put there, which stays', async () => {
    const first = store.put({ a: 40 * KIB })
    await read(first, ['a.parquet'])
    const foreign = ['lost+found', `${first.projectId}.old`]
    for (const name of foreign) await cp(join(folder, first.projectId), join(folder, name), { recursive: true })
    for (let at = 0; at < 4; at++) await read(store.put({ a: 40 * KIB }), ['a.parquet'])
    assert.deepEqual(await readdir(join(folder, first.projectId)), [])
    for (const name of foreign) assert.deepEqual(await readdir(join(folder, name)), [first.snapshotId])
  })

  it('is made by the removal of other copies when one cannot be removed', async () => {
    const [first, ...others] = Array.from({ length: 5 }, () => store.put({ a: 40 * KIB })) as [InMemory, ...InMemory[]]
    await read(first, ['a.parquet'])
    const { rename } = promises
    const forbidden = Object.assign(new Error('not permitted'), { code: 'EPERM' })
    promises.rename = async (from, to) => {
      if (String(from) === join(folder, first.projectId, first.snapshotId)) throw forbidden
      return rename(from, to)
    }
    syncBuiltinESMExports()
    try {
      for (const each of others) await read(each, ['a.parquet'])
      await assert.rejects(read(store.put({ a: 80 * KIB }), ['a.parquet']), forbidden)
    } finally {
      promises.rename = rename
      syncBuiltinESMExports()
    }
    assert.deepEqual(await readdir(join(folder, first.projectId)), [first.snapshotId])
  })

  it('is filled by a bounded number of downloads at once, of whatever number of snapshots', async () => {
    const tables = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`t${at}`, 10]))
    const files = Object.keys(tables).map(name => `${name}.parquet`)
    const put = Array.from({ length: 5 }, () => store.put(tables))
    for (const each of put) await read(each, [])
    store.mostReading = 0
    const before = await reserved()
    const isFull = async () => store.mostReading >= 32 && (await reserved()) === before + 5 * 20 * 10
    let filling: Promise<boolean> | undefined
    store.before = () => (filling ??= until(isFull, 'all have room, and many are read'))
    await Promise.all(put.map(each => read(each, files)))
    assert.equal(store.mostReading, 32)
  })

  it('is kept for what is still copied, even if it seems to be so for hours', async () => {
    const [slow, other] = [store.put({ a: 100 }), store.put({ b: 100 })]
    let pass = () => {}
    const passed = new Promise<void>(resolve => {
      pass = resolve
    })
    const asked = new Promise<void>(resolve => {
      store.before = request => {
        if (!request.endsWith('/a.parquet')) return
        resolve()
        return passed
      }
    })
    const reading = read(slow, ['a.parquet'])
    await asked
    const drafts = join(folder, '.drafts')
    for (const name of await readdir(drafts)) await promises.utimes(join(drafts, name), 0, 0)
    await read(other, ['b.parquet'])
    pass()
    await reading
  })
})
