import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FileLocks, type LockMode } from '#lib/files/locks.js'
import { OWN_NAME } from '#lib/flow/identity.js'

const MINUTE_MS = 60_000

describe('locks in a folder', () => {
  let folder: string
  // Two instances act as two servers: they share nothing but the files.
  let one: FileLocks
  let two: FileLocks

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-locks-'))
    one = new FileLocks(folder)
    two = new FileLocks(folder)
  })
  afterEach(() => rm(folder, { recursive: true }))

  /** Sets the modification time of every lock file to `byMs` ago. */
  async function age(byMs: number): Promise<void> {
    const then = new Date(Date.now() - byMs)
    for (const name of await readdir(folder)) await utimes(join(folder, name), then, then)
  }

  const take = async (locks: FileLocks, name: string, mode: LockMode) => {
    const release = await locks.take(name, mode)
    await release?.()
    return release !== null
  }

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
    assert.deepEqual(await readdir(folder), [])
  })

  for (const mode of ['shared', 'exclusive'] as const) {
    it(`that are ${mode} expire 15 minutes after their last renewal by a process of another machine`, async () => {
      await writeFile(join(folder, `s~${mode}~ffffffffffffffff-${process.pid}-1~u`), '')
      await age(14 * MINUTE_MS)
      assert.equal(await take(one, 's', 'exclusive'), false)
      await age(16 * MINUTE_MS)
      assert.equal(await take(two, 's', 'exclusive'), true)
      assert.deepEqual(await readdir(folder), [])
    })

    it(`that are ${mode} end with their process on this machine, even if its id is reused`, async function () {
      if (process.platform !== 'linux') this.skip()
      const [machine] = String(OWN_NAME).split('-')
      await writeFile(join(folder, `s~${mode}~${machine}-${process.pid}-1~u`), '')
      assert.equal(await take(one, 's', 'exclusive'), true)
      assert.deepEqual(await readdir(folder), [])
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
})
