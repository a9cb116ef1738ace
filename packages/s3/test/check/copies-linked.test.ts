import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SnapshotManifest, verifySnapshot } from 'foldgate/sealing'
import type { S3Snapshots } from '#s3/snapshots.js'
import { MemoryStore } from './memory-store.js'
import { publishTables } from './shared-tables.js'

const { signal } = new AbortController()
const KIB = 1024

describe('the copies of snapshots of one project on a machine', () => {
  let folder: string
  let store: MemoryStore
  let publisher: S3Snapshots
  let projectId: string
  const opened: S3Snapshots[] = []

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-copies-'))
    store = new MemoryStore()
    publisher = open(1e9, 'publisher')
    projectId = randomUUID()
  })
  afterEach(async () => {
    for (const each of opened.splice(0)) each.close()
    await rm(folder, { recursive: true, force: true })
  })

  function open(bytes: number, name = 'copies'): S3Snapshots {
    const made = store.open(join(folder, name), bytes)
    opened.push(made)
    return made
  }
  const large = (text: string, bytes = 100 * KIB) => text.padEnd(bytes, '.')
  const publish = (tables: Readonly<Record<string, string>>) => publishTables(publisher, projectId, tables)
  const pathOf = ({ snapshotId }: SnapshotManifest, name = '') => join(folder, 'copies', projectId, snapshotId, name)
  const inodeOf = async (manifest: SnapshotManifest, name: string) => (await stat(pathOf(manifest, name))).ino

  async function read(from: S3Snapshots, { snapshotId }: SnapshotManifest, files?: string[]) {
    const lease = await (files
      ? from.openFiles?.(projectId, snapshotId, files, signal)
      : from.open(projectId, snapshotId, signal))
    assert.ok(lease)
    if (!files) assert.deepEqual(await verifySnapshot(lease.folder), [])
    return lease
  }
  /** The names of the files that are read in the store while a snapshot is opened, and closed again. */
  async function copied(from: S3Snapshots, manifest: SnapshotManifest, files?: string[]): Promise<string[]> {
    store.requests = []
    await (await read(from, manifest, files)).release()
    return store.asked().filter(name => /\.(parquet|ids)$/.test(name))
  }
  const copies = async () => (await readdir(join(folder, 'copies', projectId))).sort()

  it('link the files that another one has, and copy the others', async () => {
    const first = await publish({ a: 'rows', b: 'rows of b' })
    const second = await publish({ a: 'rows', b: 'other rows of b', c: 'rows' })
    const snapshots = open(1e6)
    assert.deepEqual(await copied(snapshots, first), ['a.parquet', 'b.parquet', 'entities.ids'])
    assert.deepEqual(await copied(snapshots, second, []), [])
    assert.deepEqual(await copied(snapshots, second, ['a.parquet', 'c.parquet']), [], 'c has the content of a')
    assert.deepEqual(await copied(snapshots, second), ['b.parquet'])
    const one = await inodeOf(first, 'a.parquet')
    assert.deepEqual([await inodeOf(second, 'a.parquet'), await inodeOf(second, 'c.parquet')], [one, one])
    assert.notEqual(await inodeOf(second, 'b.parquet'), await inodeOf(first, 'b.parquet'))
    await rm(pathOf(first), { recursive: true })
    assert.deepEqual(await copied(open(1e6), second), [], 'it is whole without the other')
  })

  it('copy a file that the other one does not have yet, or has in another size', async () => {
    const first = await publish({ a: 'rows', b: 'rows of b' })
    const second = await publish({ a: 'rows', b: 'rows of b', c: 'more' })
    const snapshots = open(1e6)
    await copied(snapshots, first, ['b.parquet'])
    await truncate(pathOf(first, 'b.parquet'), 2)
    assert.deepEqual(await copied(snapshots, second, ['a.parquet', 'b.parquet']), ['a.parquet', 'b.parquet'])
    await copied(snapshots, second)
  })

  it('copy a file that a disk has damaged in the other one', async () => {
    const first = await publish({ a: 'rows', b: 'rows of b' })
    const second = await publish({ a: 'rows', b: 'rows of b', c: 'more' })
    const snapshots = open(1e6)
    await copied(snapshots, first)
    for (const name of ['a.parquet', 'entities.ids']) {
      const { size } = await stat(pathOf(first, name))
      await writeFile(pathOf(first, name), '?'.repeat(size))
    }
    assert.deepEqual(await copied(snapshots, second, ['a.parquet']), ['a.parquet', 'entities.ids'])
    assert.deepEqual(await copied(snapshots, second, ['b.parquet']), [])
    await copied(snapshots, second)
  })

  it('link no file of another project, nor of the same name with another digest', async () => {
    const first = await publish({ a: 'rows' })
    const snapshots = open(1e6)
    await copied(snapshots, first)
    const second = await publish({ a: 'swor' })
    assert.deepEqual(await copied(snapshots, second), ['a.parquet'])
    projectId = randomUUID()
    const other = await publish({ a: 'rows' })
    assert.deepEqual(await copied(snapshots, other), ['a.parquet', 'entities.ids'])
  })

  it('count a file once, however many have it', async () => {
    const tables = { a: large('a'), b: large('b') }
    const sealed = [await publish(tables)]
    for (const c of ['1', '2', '3', '4']) sealed.push(await publish({ ...tables, c }))
    const snapshots = open(250 * KIB)
    const leases = []
    for (const each of sealed) leases.push(await read(snapshots, each))
    assert.equal((await copies()).length, sealed.length, '200 KiB in all, though each has as much')
    const other = await publish({ d: large('d') })
    const isFull = /with those in use, it would take 3\d{5} bytes, and copies may take 256000$/
    await assert.rejects(read(snapshots, other), isFull)
    for (const lease of leases.slice(1)) await lease.release()
    await assert.rejects(read(snapshots, other), isFull, 'the one that is left in use has them')
    assert.deepEqual(await copies(), [sealed[0]?.snapshotId])
    await leases[0]?.release()
    await (await read(snapshots, other)).release()
    assert.deepEqual(await copies(), [other.snapshotId])
  })

  it('give the room of a file when the last that has it is removed', async () => {
    const first = await publish({ a: large('a'), b: large('b') })
    const second = await publish({ a: large('a'), b: large('b'), c: 'rows' })
    const third = await publish({ d: large('d', 150 * KIB) })
    const snapshots = open(250 * KIB)
    for (const each of [first, second]) await copied(snapshots, each)
    assert.equal((await copies()).length, 2)
    await copied(snapshots, third)
    assert.deepEqual(await copies(), [third.snapshotId])
    assert.deepEqual(await copied(open(250 * KIB), third), [], 'after a restart')
  })
})
