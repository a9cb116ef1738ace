import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { mkdtemp, readdir, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SnapshotLease } from 'foldgate'
import { Copies, digestOfFile, type StoredFile } from 'foldgate/internal'
import { gated, MemoryObjects } from '../../../../test/unit/objects/memory.js'
import { until } from '../../../../test/until.js'
import { PROJECT, put } from './copied-files.js'

const { signal } = new AbortController()
const KIB = 1024

describe('the copies of files on a machine', () => {
  let folder: string
  let store: MemoryObjects
  let asked: string[]
  let before: (key: string) => unknown
  let mostReading: number
  const opened: Copies[] = []

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-copies-'))
    store = new MemoryObjects()
    asked = []
    before = () => {}
    mostReading = 0
  })
  afterEach(async () => {
    for (const each of opened.splice(0)) each.close()
    await rm(folder, { recursive: true, force: true })
  })

  function open(bytes = 1e6): Copies {
    let reading = 0
    const watched = gated(store, async (moment, request) => {
      const name = request.slice(request.lastIndexOf('/') + 1)
      reading += moment === 'before' ? 1 : -1
      mostReading = Math.max(mostReading, reading)
      if (moment === 'before') asked.push(name)
      if (moment === 'before') await before(name)
    })
    const made = new Copies(watched, { folder, bytes })
    opened.push(made)
    return made
  }
  const take = (from: Copies, ...files: StoredFile[]) => from.lease(PROJECT, files, signal)
  async function mustHave({ folder: of }: Pick<SnapshotLease, 'folder'>, ...files: StoredFile[]): Promise<void> {
    for (const { file, sha256 } of files) assert.equal(await digestOfFile(join(of, file)), sha256, file)
  }
  /** Takes a lease, looks at the files, and ends the lease; returns the names of those that were read in the store. */
  async function read(from: Copies, ...files: StoredFile[]): Promise<string[]> {
    asked = []
    const lease = await take(from, ...files)
    await mustHave(lease, ...files)
    await lease.release()
    return asked.sort()
  }
  const names = (...files: StoredFile[]) => files.map(({ file }) => file).sort()
  /** The names of all files below the folder. */
  const onDisk = () => {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    return entries.filter(entry => entry.isFile())
  }
  const copies = () =>
    onDisk()
      .map(({ name }) => name)
      .sort()
  const bytesOnDisk = () =>
    onDisk().reduce((sum, { parentPath, name }) => {
      return sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0)
    }, 0)
  /** Lets nothing be read of the store until it is called. */
  function holding(): () => void {
    let pass = () => {}
    const passed = new Promise<void>(resolve => {
      pass = resolve
    })
    before = () => passed
    return pass
  }
  /** Gives the folder of a process the name of one that runs in another container, or has ended there. */
  async function moveToOther(lease: Pick<SnapshotLease, 'folder'>, untouchedMs: number): Promise<void> {
    const own = dirname(lease.folder)
    const other = join(folder, basename(own).replace(/^copies-[^-]*/, 'copies-0123456789abcdef'))
    await rename(own, other)
    const then = new Date(Date.now() - untouchedMs)
    await utimes(other, then, then)
  }

  it('are made of the files that were asked for, each once', async () => {
    const files = await put(store, { a: 100, b: 200, c: 300 })
    const [a, b, c] = files as [StoredFile, StoredFile, StoredFile]
    const own = open()
    assert.deepEqual(await read(own), [])
    assert.deepEqual(await read(own, a), names(a))
    assert.deepEqual(await read(own, a, b), names(b))
    assert.deepEqual(await read(own, a, b), [])
    asked = []
    await Promise.all([take(own, a, c), take(own, c), take(own, b, c)])
    assert.deepEqual(asked, [c.file])
  })

  it('are made a bounded number at a time, of one project and of all', async () => {
    const tables = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`t${at}`, 10 + at]))
    const files = await put(store, tables)
    const own = open()
    const pass = holding()
    const leases = [own.lease(PROJECT, files, signal)]
    await until(() => mostReading === 16, 'those of one project')
    for (const at of [1, 2, 3]) {
      const project = PROJECT.replace(/^./, String(at + 1))
      leases.push(own.lease(project, await put(store, tables, project), signal))
    }
    await until(() => mostReading === 32, 'those of all')
    pass()
    await Promise.all(leases)
    assert.equal(mostReading, 32)
  })

  it('go on being made when all callers have left', async () => {
    const files = await put(store, { a: 100 })
    const own = open()
    const pass = holding()
    const leaving = new AbortController()
    const left = [1, 2, 3].map(() => own.lease(PROJECT, files, leaving.signal))
    await until(() => asked.length > 0, 'the copying')
    leaving.abort(new Error('enough'))
    for (const each of left) await assert.rejects(each, /enough/)
    const later = take(own, ...files)
    pass()
    await mustHave(await later, ...files)
    assert.equal(asked.length, 1)
  })

  it('stay within their bound, without those that were used least recently, and with those in use', async () => {
    const files = await put(store, { a: 40 * KIB, b: 40 * KIB, c: 40 * KIB, d: 101 * KIB })
    const [a, b, c, d] = files as [StoredFile, StoredFile, StoredFile, StoredFile]
    const own = open(100 * KIB)
    await read(own, a)
    await read(own, b)
    await read(own, a)
    await read(own, c)
    assert.deepEqual(copies(), names(a, c))
    const leases = [await take(own, a), await take(own, c)]
    await assert.rejects(
      take(own, b),
      /there is no room for a copy .* would take 122880 bytes, and they may take 102400$/,
    )
    await leases[0]?.release()
    await leases[0]?.release() // a second time, which changes nothing
    await read(own, b)
    assert.deepEqual(copies(), names(b, c))
    await mustHave(leases[1] as SnapshotLease, c)
    await assert.rejects(take(own, d), { name: 'LastingFailure', message: /give them more room/ })
    await assert.rejects(take(own, a, b, c), { name: 'LastingFailure' })
    assert.deepEqual(copies(), names(b, c))
  })

  it('stay within their bound, whatever is asked for at once, and none is lost that is in use', async () => {
    const tables = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`t${at}`, (10 + at) * KIB]))
    const files = await put(store, tables)
    const own = open(80 * KIB)
    let [made, most] = [0, 0]
    before = () => {
      most = Math.max(most, bytesOnDisk())
    }
    const lanes = Array.from({ length: 6 }, async (_, lane) => {
      for (let round = 0; round < 60; round++) {
        const wanted = [files[(round * (lane + 1)) % files.length], files[(round + lane) % files.length]]
        const found = [...new Set(wanted as StoredFile[])]
        const lease = await take(own, ...found).catch(cause => assert.match(String(cause), /there is no room/))
        if (!lease) continue
        made += 1
        await mustHave(lease, ...found)
        await lease.release()
      }
    })
    await Promise.all(lanes)
    assert.ok(made > 100, `${made} leases`)
    assert.ok(most > 0 && most <= 80 * KIB, `${most} bytes`)
    await read(own, ...files.slice(0, 5))
  })

  it('are not made of a file that is damaged or missing, which is read again in a minute at most', async () => {
    const [a, b] = (await put(store, { a: 100, b: 200 })) as [StoredFile, StoredFile]
    const key = `tables/${PROJECT}/${a.file}`
    const { bytes, modifiedAt } = store.objects.get(key) as { bytes: Buffer; modifiedAt: number }
    const others = [Buffer.alloc(100, 'other'), Buffer.alloc(50), Buffer.alloc(100_000)]
    for (const damaged of [...others, null]) {
      if (damaged) store.objects.set(key, { bytes: damaged, modifiedAt })
      else store.objects.delete(key)
      const own = open()
      const told = { name: 'Error', message: `${a.file} is ${damaged ? 'not as it was sealed' : 'missing'}` }
      await assert.rejects(take(own, a, b), told)
      asked = []
      await assert.rejects(take(own, a), told)
      assert.deepEqual([asked, copies()], [[], names(b)])
      own.close()
      await rm(join(folder), { recursive: true })
    }
    store.objects.set(key, { bytes, modifiedAt })
    await read(open(), a, b)
  })

  it('are made again when one is lost or damaged on the disk before this process has compared it', async () => {
    const files = await put(store, { a: 100, b: 200, c: 300 })
    const [a, b, c] = files as [StoredFile, StoredFile, StoredFile]
    const first = open()
    const { folder: of, release } = await take(first, ...files)
    await release()
    await rm(join(of, a.file))
    assert.deepEqual(await read(first, ...files), names(a))
    first.close()
    await truncate(join(of, a.file), 10)
    await writeFile(join(of, b.file), 'x'.repeat(200))
    assert.deepEqual(await read(open(), ...files), names(a, b))
    assert.deepEqual(copies(), names(a, b, c))
  })

  describe('that a process has left', () => {
    /** A process that holds a copy of one file of this size, and is copying another one. */
    async function copier(bytes: number) {
      const script = fileURLToPath(new URL('./dying-copier.ts', import.meta.url))
      const args = ['--import', 'tsx', script, folder, String(bytes)]
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      await once(child.stdout, 'data')
      return async () => {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
    }

    it('are taken over once it was killed, compared, and counted', async () => {
      const kill = await copier(100 * KIB)
      const files = await put(store, { done: 100 * KIB, copying: 100 * KIB, other: 100 * KIB })
      const [done, , other] = files as [StoredFile, StoredFile, StoredFile]
      assert.equal(copies().length, 2)
      const beside = open()
      assert.deepEqual(await read(beside, done), names(done), 'while it runs, each has its own')
      beside.close()
      await kill()
      await rm(dirname(await take(beside, done).then(lease => lease.folder)), { recursive: true })
      const own = open(150 * KIB)
      assert.deepEqual(await read(own, done), [])
      assert.deepEqual(copies(), names(done))
      await read(own, other)
      assert.deepEqual(copies(), names(other))
      assert.equal((await readdir(folder)).length, 1)
    }).timeout(30_000)

    it('are taken over once it has closed them', async () => {
      const files = await put(store, { a: 100 })
      const first = open()
      await read(first, ...files)
      first.close()
      await until(async () => (await take(open(), ...files)) && copies().length === 1, 'it is closed')
    })

    it('in another container, are taken over when it has not touched them for a quarter of an hour', async () => {
      const files = await put(store, { a: 100 })
      const lease = await take(open(), ...files)
      await moveToOther(lease, 14 * 60_000)
      assert.deepEqual(await read(open(), ...files), names(...files), 'it may be running')
      await rm(folder, { recursive: true })
      await moveToOther(await take(open(), ...files), 16 * 60_000)
      assert.deepEqual(await read(open(), ...files), [])
      assert.equal((await readdir(folder)).length, 1)
    })
  })
})
