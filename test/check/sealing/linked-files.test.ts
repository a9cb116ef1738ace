import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type DirectorySnapshots, directorySnapshots } from 'foldgate'
import { publishShared } from './linking.js'

const PROJECT = '11111111-1111-4111-8111-111111111111'
const SCRIPT = fileURLToPath(new URL('./linking-process.ts', import.meta.url))
const { signal } = new AbortController()
/** Snapshots that each of two processes publishes. */
const COUNT = 60

describe('snapshots that share files', () => {
  let folder: string
  let snapshots: DirectorySnapshots
  const processes: ChildProcessByStdio<Writable, Readable, null>[] = []

  beforeEach(async function () {
    if (process.platform === 'win32') return this.skip()
    folder = await mkdtemp(join(tmpdir(), 'foldgate-linking-'))
    snapshots = directorySnapshots(folder)
  })
  afterEach(async () => {
    for (const each of processes.splice(0)) each.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })

  /** Starts a process that works on the snapshots; `lines` are those that it prints. */
  function start(work: string) {
    const args = ['--import', 'tsx', SCRIPT, work, folder, PROJECT, String(COUNT)]
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    processes.push(child)
    return { child, exited: once(child, 'exit'), lines: createInterface({ input: child.stdout }) }
  }
  /** The line that a process prints next. */
  const next = async ({ lines }: ReturnType<typeof start>) => (await once(lines, 'line'))[0] as string

  /** Looks at a snapshot under a lease, so that it is not removed meanwhile: whether it was there to be looked at. */
  async function isWhole(snapshotId: string): Promise<boolean> {
    const lease = await snapshots.open(PROJECT, snapshotId, signal)
    if (!lease) return false
    try {
      assert.deepEqual(await snapshots.verify(PROJECT, snapshotId), [], snapshotId)
      return true
    } finally {
      await lease.release()
    }
  }

  for (const removal of ['prune', 'remove'])
    it(`are whole, each of them, while one server seals, another one does, and a third one runs ${removal}`, async () => {
      await publishShared(snapshots, PROJECT, 'first')
      const removing = start(removal)
      assert.equal(await next(removing), 'begun')
      const sealing = [start('publish'), start('publish')]
      const found = { published: 0, whole: 0 }
      await Promise.all(
        sealing.map(async ({ lines, exited }) => {
          for await (const snapshotId of lines) {
            found.published += 1
            found.whole += Number(await isWhole(snapshotId))
          }
          assert.deepEqual(await exited, [0, null])
        }),
      )
      removing.child.stdin.write('\n')
      const removed = Number(await next(removing))
      assert.equal(found.published, 2 * COUNT)
      assert.ok(found.whole > 0 && removed > 0, JSON.stringify({ ...found, removed }))
      const left = await snapshots.list(PROJECT, signal)
      assert.equal(left.length, 1 + found.published - removed)
      for (const snapshotId of left) assert.ok(await isWhole(snapshotId))
      assert.deepEqual(await readdir(join(folder, '.drafts')), [])
    })

  for (const moment of ['linked', 'replaced', 'moving'])
    it(`are left as they were by a server that is killed when a file is ${moment}`, async () => {
      const first = await publishShared(snapshots, PROJECT, 'first')
      const killed = start(moment)
      assert.equal(await next(killed), moment)
      killed.child.kill('SIGKILL')
      await killed.exited
      assert.deepEqual(await snapshots.list(PROJECT, signal), [first.snapshotId])
      assert.ok(await isWhole(first.snapshotId))
      assert.equal((await readdir(join(folder, '.drafts'))).length, 1)
      await snapshots.sweep()
      assert.deepEqual(await readdir(join(folder, '.drafts')), [])
      const second = await publishShared(snapshots, PROJECT, 'second')
      assert.deepEqual(await snapshots.prune(PROJECT, 1), [first.snapshotId])
      assert.ok(await isWhole(second.snapshotId))
    })
})
