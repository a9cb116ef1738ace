import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import promises, { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { verifySnapshot } from 'foldgate/sealing'
import type { S3Snapshots } from '#s3/snapshots.js'
import { type InMemory, MemoryStore } from './memory-store.js'

const { signal } = new AbortController()
const KIB = 1024
const COUNTED = ['access', 'lstat', 'mkdir', 'open', 'readdir', 'readFile', 'rename', 'rm', 'stat', 'unlink'] as const

describe('the copies of snapshots on a machine', () => {
  let folder: string
  let store: MemoryStore
  const opened: S3Snapshots[] = []

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-copies-'))
    store = new MemoryStore()
  })
  afterEach(async () => {
    for (const each of opened.splice(0)) each.close()
    await rm(folder, { recursive: true, force: true })
  })

  function open(bytes: number): S3Snapshots {
    const made = store.open(folder, bytes)
    opened.push(made)
    return made
  }
  /** Takes a lease, looks that the copy has these files, and ends the lease. */
  async function read(from: S3Snapshots, { projectId, snapshotId }: InMemory, files?: string[]): Promise<void> {
    const lease = await (files
      ? from.openFiles?.(projectId, snapshotId, files, signal)
      : from.open(projectId, snapshotId, signal))
    assert.ok(lease)
    if (files) for (const file of files) await stat(join(lease.folder, file))
    else assert.deepEqual(await verifySnapshot(lease.folder), [])
    await lease.release()
  }
  async function copies(): Promise<string[]> {
    const homes = (await readdir(folder)).filter(name => !name.startsWith('.'))
    return (await Promise.all(homes.map(home => readdir(join(folder, home))))).flat().sort()
  }
  /**
   * The bytes of copies and drafts, as far as they were written: a file has its size before its content. What is moved
   * meanwhile counts once.
   */
  function written(): number {
    const found = new Map<number, number>()
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    for (const entry of entries.filter(({ parentPath }) => !/\.(leases|reserved)/.test(parentPath))) {
      const file = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })
      if (file?.isFile()) found.set(file.ino, Math.min(file.size, file.blocks * 512))
    }
    return [...found.values()].reduce((sum, bytes) => sum + bytes, 0)
  }
  /** Counts the calls of the file system while work runs. */
  async function counting(work: () => Promise<void>): Promise<number> {
    let calls = 0
    const own = Object.fromEntries(COUNTED.map(name => [name, promises[name]]))
    for (const name of COUNTED)
      Object.assign(promises, {
        [name]: (...given: unknown[]) => {
          calls += 1
          return Reflect.apply(own[name] as () => unknown, promises, given)
        },
      })
    syncBuiltinESMExports()
    try {
      await work()
    } finally {
      Object.assign(promises, own)
      syncBuiltinESMExports()
    }
    return calls
  }
  /** Writes copies of 21 small files, as they would have been made. */
  function fill(count: number): void {
    for (let at = 0; at < count; at++) {
      const copy = join(folder, randomUUID(), `000001-${randomUUID()}`)
      mkdirSync(copy, { recursive: true })
      for (let file = 0; file < 21; file++) writeFileSync(join(copy, `${file}.parquet`), 'rows')
    }
  }

  it('take no longer to be made, the more there are', async () => {
    const counts: number[] = []
    for (const count of [10, 1000]) {
      await rm(folder, { recursive: true })
      fill(count)
      await read(open(1e9), store.put({ a: 10 })) // once, they are measured
      const other = store.put({ a: 10, b: 10 })
      counts.push(await counting(() => read(open(1e9), other)))
    }
    assert.equal(counts[0], counts[1])
    assert.ok(Number(counts[0]) > 10 && Number(counts[0]) < 200, String(counts))
  })

  it('are measured file by file once, and seldom removed', async () => {
    fill(300)
    const bytes = 300 * 21 * 4
    const first = await counting(() => read(open(bytes), store.put({ a: 1 })))
    const left = (await copies()).length
    assert.ok(left < 271 && left > 250, `${left} copies, of which a tenth made room`)
    assert.ok(first > 300 * 21, String(first))
    const full = open(bytes) // after a restart
    const counts: number[] = []
    while (counts.length < 20 && (counts.at(-1) ?? 0) < 500)
      counts.push(await counting(() => read(full, store.put({ a: 200 }))))
    const last = counts.pop() as number
    assert.ok(counts.length > 0 && counts.every(count => count < 200), counts.join())
    assert.ok(last > 500 && last < left * 3 + 600, `${last}: it looks at each copy, and not at its files`)
  })

  it('stay within their bound, whoever makes them at once', async () => {
    const bound = 400 * KIB
    const all = [open(bound), open(bound), open(bound)]
    const put = Array.from({ length: 8 }, () => store.put({ a: 64 * KIB, b: 32 * KIB }))
    let most = 0
    store.before = () => {
      most = Math.max(most, written())
    }
    let made = 0
    const reading = all.map(async (from, of) => {
      for (let at = 0; at < 16; at++) {
        const snapshot = put[(at * (of + 1)) % put.length] as InMemory
        await read(from, snapshot, at % 2 ? ['a.parquet'] : ['b.parquet', 'a.parquet']).then(
          () => (made += 1),
          cause => assert.match(String(cause), /there is no room|is removed again/),
        )
        most = Math.max(most, written())
      }
    })
    await Promise.all(reading)
    assert.ok(most <= bound && most > bound / 2, `${most} of ${bound}`)
    assert.ok(made > 24, String(made))
    store.before = () => {}
    for (const snapshot of put) await read(open(bound), snapshot)
    assert.ok(written() <= bound)
  })

  it('lose no room to a process that was killed while it copied', async () => {
    const [bound, one] = [400 * KIB, 96 * KIB]
    const script = fileURLToPath(new URL('./dying-copier.ts', import.meta.url))
    const args = ['--import', 'tsx', script, folder, String(bound), String(3 * one)]
    const killed = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(killed.stdout, 'data')
    const reserved = join(folder, '.reserved')
    const ledgers = async () => (await readdir(reserved)).filter(name => name.endsWith('.ledger')).length
    const put = Array.from({ length: 4 }, () => store.put({ a: one }))
    const reader = open(bound)
    const [first, second] = put as [InMemory, InMemory]
    const lease = await reader.open(first.projectId, first.snapshotId, signal)
    await assert.rejects(read(reader, second), /there is no room/)
    await lease?.release()
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    for (const each of put) await read(reader, each)
    assert.deepEqual(await copies(), put.map(({ snapshotId }) => snapshotId).sort())
    assert.deepEqual(await readdir(join(folder, '.drafts')), [])
    assert.equal(await ledgers(), 1)
  })

  it('have the files that were asked for, each read once and several at a time', async () => {
    const tables = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`t${at}`, 100 + at]))
    const snapshot = store.put(tables)
    const snapshots = open(1e6)
    await read(snapshots, snapshot, [])
    const manifest = `${snapshot.snapshotId}.json`
    assert.deepEqual(store.asked(), [manifest, 'LIST', 'entities.bin'].sort())
    await read(snapshots, snapshot, ['t3.parquet'])
    assert.deepEqual(store.asked(), ['t3.parquet'])
    await read(snapshots, snapshot, ['t3.parquet'])
    await read(snapshots, snapshot, [])
    assert.deepEqual(store.asked(), [])
    await Promise.all([
      read(snapshots, snapshot, ['t4.parquet', 't5.parquet']),
      read(snapshots, snapshot, ['t5.parquet', 't3.parquet']),
      read(snapshots, snapshot, ['t5.parquet', 't6.parquet']),
    ])
    assert.deepEqual(store.asked(), ['t4.parquet', 't5.parquet', 't6.parquet'])
    store.mostReading = 0
    let open16 = () => {}
    const are16 = new Promise<void>(resolve => {
      open16 = resolve
    })
    store.before = request => {
      if (store.mostReading === 16) open16()
      return request.startsWith('GET files/') ? are16 : undefined
    }
    await read(snapshots, snapshot)
    store.before = () => {}
    assert.equal(store.asked().length, 30 - 4 + 1, 'the manifest, and what was not there')
    assert.equal(store.mostReading, 16)
    const again = open(1e6)
    await read(again, snapshot, ['t3.parquet'])
    assert.deepEqual(store.asked(), [manifest, 'LIST'].sort(), 'after a restart')
    await assert.rejects(read(again, snapshot, ['../t3.parquet']), /has no file "\.\.\/t3.parquet"/)
  })

  it('keep their other files when one is damaged, which is read again once it is restored', async () => {
    const snapshot = store.put({ a: 100, b: 100 })
    const key = `files/${snapshot.projectId}/${snapshot.snapshotId.slice(7)}/b.parquet`
    const whole = store.objects.get(key) as Buffer
    const snapshots = open(1e6)
    for (const damaged of [Buffer.alloc(100, 'other'), Buffer.alloc(50), Buffer.alloc(100_000)]) {
      store.objects.set(key, damaged)
      await assert.rejects(read(snapshots, snapshot, ['b.parquet']), /b.parquet is not as it was sealed/)
      await read(snapshots, snapshot, ['a.parquet'])
      store.asked()
      await assert.rejects(read(snapshots, snapshot, ['b.parquet']), /b.parquet is not as it was sealed/)
      assert.ok(!store.asked().includes('b.parquet'), 'it was read again')
    }
    store.objects.delete(key)
    await assert.rejects(read(snapshots, snapshot, ['b.parquet']), /b.parquet is missing/)
    store.objects.set(key, whole)
    await read(snapshots, snapshot)
  })

  it('are forgotten with a snapshot that was removed, as soon as a file is missing', async () => {
    const snapshot = store.put({ a: 100, b: 100 })
    const { projectId, snapshotId } = snapshot
    const snapshots = open(1e6)
    await read(snapshots, snapshot, ['a.parquet'])
    store.objects.clear()
    assert.equal(await snapshots.openFiles?.(projectId, snapshotId, ['b.parquet'], signal), null)
    assert.equal(await snapshots.openFiles?.(projectId, snapshotId, ['a.parquet'], signal), null)
    assert.equal(await snapshots.open(projectId, snapshotId, signal), null)
  })

  it('have the manifest alone of a snapshot in another format, until all of it is asked for', async () => {
    const snapshot = store.put({ a: 100 }, undefined, { formatVersion: 99 })
    const snapshots = open(1e6)
    await read(snapshots, snapshot, [])
    assert.deepEqual(store.asked(), [`${snapshot.snapshotId}.json`, 'LIST'].sort())
    const lease = await snapshots.open(snapshot.projectId, snapshot.snapshotId, signal)
    assert.deepEqual((await readdir(lease?.folder ?? '')).sort(), ['a.parquet', 'entities.bin', 'manifest.json'])
    await lease?.release()
  })
})
