import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { directorySnapshots } from 'foldgate'
import { FileLocks, type LockMode } from '#lib/files/locks.js'
import { OWN_NAME } from '#lib/flow/identity.js'
import { FORMAT_VERSION } from '#lib/snapshots/manifest.js'
import { SnapshotReader } from '#lib/snapshots/reader.js'

const PROJECT = '11111111-1111-4111-8111-111111111111'
const ROOT_ID = 'aaaaaaaa-0000-4000-8000-000000000001'
const MINUTE_MS = 60_000
const { signal } = new AbortController()

let folder: string
const snapshotId = (number: number) => `${String(number).padStart(6, '0')}-${PROJECT}`

/** Writes snapshots of the project with these numbers, with only the files that a reader needs. */
async function seal(...numbers: number[]): Promise<void> {
  for (const number of numbers) {
    const path = join(folder, PROJECT, snapshotId(number))
    await mkdir(path, { recursive: true })
    await writeFile(join(path, 'entities.bin'), Buffer.from(ROOT_ID.replaceAll('-', ''), 'hex'))
    const manifest = {
      formatVersion: FORMAT_VERSION,
      snapshotId: snapshotId(number),
      rootId: ROOT_ID,
      entities: { file: 'entities.bin', count: 1, sha256: '' },
      tables: [],
    }
    await writeFile(join(path, 'manifest.json'), JSON.stringify(manifest))
  }
}

/** Sets the modification time of every lock file to `byMs` ago. */
async function age(byMs: number): Promise<void> {
  const then = new Date(Date.now() - byMs)
  for (const name of await readdir(join(folder, '.leases'))) await utimes(join(folder, '.leases', name), then, then)
}

/** Gives each test of a suite a folder, which is removed after it. */
function inFolders(): void {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
  })
  afterEach(() => rm(folder, { recursive: true }))
}

describe('locks of snapshots', () => {
  inFolders()
  // Two instances act as two servers: they share nothing but the files.
  let one: FileLocks
  let two: FileLocks

  beforeEach(() => {
    one = new FileLocks(join(folder, '.leases'))
    two = new FileLocks(join(folder, '.leases'))
  })

  const take = async (locks: FileLocks, name: string, mode: LockMode) => {
    const release = await locks.take(name, mode)
    await release?.()
    return release !== null
  }

  it('keep a snapshot that another server reads until its last reader is done', async () => {
    await seal(1, 2)
    const [first, second] = [directorySnapshots(folder), directorySnapshots(folder)]
    const leases = [await first.open(PROJECT, snapshotId(1), signal), await first.open(PROJECT, snapshotId(1), signal)]
    for (const lease of leases) {
      assert.deepEqual(await second.prune(PROJECT, 1), [])
      await lease?.release()
    }
    assert.deepEqual(await second.prune(PROJECT, 1), [snapshotId(1)])
    assert.equal(await first.open(PROJECT, snapshotId(1), signal), null)
    assert.deepEqual(await readdir(join(folder, '.leases')), [])
  })

  it('are either shared by any number of servers or exclusive to one, per name', async () => {
    const release = await one.take('s', 'exclusive')
    assert.ok(release)
    assert.deepEqual(
      [await take(two, 's', 'shared'), await take(two, 's', 'exclusive'), await take(two, 't', 'exclusive')],
      [false, false, true],
    )
    await release()
    const shared = await two.take('s', 'shared')
    assert.deepEqual([await take(one, 's', 'shared'), await take(one, 's', 'exclusive')], [true, false])
    await shared?.()
    assert.equal(await take(one, 's', 'exclusive'), true)
    assert.deepEqual(await readdir(join(folder, '.leases')), [])
  })

  for (const mode of ['shared', 'exclusive'] as const) {
    it(`that are ${mode} expire 15 minutes after their last renewal by a process of another machine`, async () => {
      await mkdir(join(folder, '.leases'))
      await writeFile(join(folder, '.leases', `s~${mode}~ffffffffffffffff-${process.pid}-1~u`), '')
      await age(14 * MINUTE_MS)
      assert.equal(await take(one, 's', 'exclusive'), false)
      await age(16 * MINUTE_MS)
      assert.equal(await take(two, 's', 'exclusive'), true)
      assert.deepEqual(await readdir(join(folder, '.leases')), [])
    })

    it(`that are ${mode} end with their process on this machine, even if its id is reused`, async function () {
      if (process.platform !== 'linux') this.skip()
      await mkdir(join(folder, '.leases'))
      const [machine] = String(OWN_NAME).split('-')
      await writeFile(join(folder, '.leases', `s~${mode}~${machine}-${process.pid}-1~u`), '')
      assert.equal(await take(one, 's', 'exclusive'), true)
      assert.deepEqual(await readdir(join(folder, '.leases')), [])
    })
  }

  it('are granted to one caller at a time when many wait, and to each in the end', async () => {
    let having = 0
    const turns = Array.from({ length: 8 }, async (_, at) => {
      const release = await (at % 2 ? one : two).takeWithin(30_000, 's', 'exclusive')
      assert.ok(release)
      assert.equal(++having, 1)
      await new Promise(setImmediate)
      having -= 1
      await release()
    })
    await Promise.all(turns)
    const release = await one.take('s', 'exclusive')
    assert.equal(await two.takeWithin(30, 's', 'exclusive'), null)
    await release?.()
  })

  it('keep every open snapshot complete while other servers prune', async () => {
    const servers = Array.from({ length: 4 }, () => directorySnapshots(folder))
    const opened = { held: 0, gone: 0 }
    for (let round = 0; round < 40; round++) {
      await seal(1, 2, 3)
      const pruning = Promise.all(servers.slice(2).map(server => server.prune(PROJECT, 1)))
      let isPruning = true
      const over = pruning.then(() => {
        isPruning = false
      })
      const read = async (server: (typeof servers)[number], number: number) => {
        while (isPruning) {
          const lease = await server.open(PROJECT, snapshotId(number), signal)
          opened[lease ? 'held' : 'gone'] += 1
          for (let look = 0; lease && look < number; look++) await stat(join(lease.folder, 'manifest.json'))
          await lease?.release()
        }
      }
      await Promise.all([over, ...servers.slice(0, 2).flatMap(server => [read(server, 1), read(server, 2)])])
      await servers[0]?.prune(PROJECT, 1)
      assert.deepEqual(await servers[0]?.list(PROJECT, signal), [snapshotId(3)])
    }
    assert.ok(opened.held > 0 && opened.gone > 0, JSON.stringify(opened))
  })
})

describe('the latest snapshot', () => {
  inFolders()
  it('is looked up again when the listed one has since been superseded and removed', async () => {
    await seal(1)
    const snapshots = directorySnapshots(folder)
    let looks = 0
    const reader = new SnapshotReader({
      open: snapshots.open,
      async list(projectId) {
        const listed = await snapshots.list(projectId, signal)
        if (++looks > 1) return listed
        await seal(2)
        await snapshots.prune(projectId, 1)
        return listed
      },
    })
    assert.equal((await reader.latest(PROJECT, signal))?.snapshotId, snapshotId(2))
    assert.equal(looks, 2)
  })

  it('is that of the requested project, even if the host uses the same snapshot ids in every project', async () => {
    await seal(1)
    const home = join(folder, PROJECT, snapshotId(1))
    const other = join(folder, 'other')
    await cp(home, other, { recursive: true })
    const otherRoot = ROOT_ID.replace('1', '2')
    await writeFile(join(other, 'entities.bin'), Buffer.from(otherRoot.replaceAll('-', ''), 'hex'))
    const reader = new SnapshotReader({
      list: async () => ['1'],
      open: async projectId => ({
        snapshotId: '1',
        folder: projectId === PROJECT ? home : other,
        release: async () => {},
      }),
    })
    for (const [projectId, root] of [
      [PROJECT, ROOT_ID],
      ['other', otherRoot],
    ] as const) {
      const snapshot = await reader.latest(projectId, signal)
      assert.deepEqual([ROOT_ID, otherRoot].map(snapshot?.hasEntity ?? assert.fail), [
        root === ROOT_ID,
        root !== ROOT_ID,
      ])
    }
  })

  it('is the previous one when the host lists one that it does not open', async () => {
    await seal(1)
    const { open } = directorySnapshots(folder)
    const reader = new SnapshotReader({ open, list: async () => [snapshotId(2), snapshotId(1)] })
    assert.equal((await reader.latest(PROJECT, signal))?.snapshotId, snapshotId(1))
    const none = new SnapshotReader({ open, list: async () => [snapshotId(3)] })
    assert.equal(await none.latest(PROJECT, signal), null)
  })
})
