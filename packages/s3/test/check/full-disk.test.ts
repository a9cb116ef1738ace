import assert from 'node:assert/strict'
import { mkdir, rm } from 'node:fs/promises'
import { SmallDisk } from '../../../../test/check/faults/disk.js'
import { PROJECT_IDS } from '../../../../test/server/package.js'
import { stop } from '../../../../test/server/server.js'
import { servedFromBucket } from './served.js'

const { early, late } = PROJECT_IDS

describe('a server on S3 whose disk of copies is full', () => {
  let disk: SmallDisk | null
  // Before the hooks of the world, which remove the folder that the disk is in.
  after(async () => {
    if (world.server?.child.exitCode === null) await stop(world.server.child)
    await disk?.unmount()
  })

  const world = servedFromBucket()
  const { start, query, ready, keys, copies, copiesFolder } = world

  before(async function () {
    await stop(world.server.child)
    await rm(copiesFolder(), { recursive: true, force: true })
    await mkdir(copiesFolder())
    disk = SmallDisk.mount(16, copiesFolder())
    if (!disk) {
      process.stdout.write('    left out: this user may not mount a small disk\n')
      return this.skip()
    }
    world.server = await start()
  })

  /** The names of a project's copies. */
  const copiesOf = async (projectId: string) => {
    const names = (await keys(`tables/${projectId}/`)).map(key => key.split('/').at(-1))
    return (await copies()).filter(name => names.includes(name))
  }

  it('answers from the copies that are there, refuses the others, says why, and makes them once there is room', async () => {
    assert.ok(disk)
    assert.equal(await query(early), 1)
    // No file of a copy finds room, or some do.
    for (const leftKiB of [0, 4]) {
      await disk.fill(leftKiB)
      assert.equal(await query(late), 'UNAVAILABLE')
      const found = await copiesOf(late)
      // Whole files, as far as they found room: what is read before the tables of the statement.
      if (leftKiB === 0) assert.deepEqual(found, [])
      else assert.ok(found.every(name => name.endsWith('.ids')))
      assert.ok(!(await copies()).some(name => name.endsWith('.part')))
      assert.equal(await query(early, `SELECT count(*) AS sites, ${leftKiB} AS other FROM sites`), 1)
      assert.deepEqual(await ready(), [200, { status: 'ready' }])
    }
    const log = world.server.log()
    assert.match(
      log,
      /"msg":"dependency snapshots is down: No space left in the folder \\"…\/copies\\": [^"]+ are free"/,
    )
    assert.match(
      log,
      /"type":"disk","msg":"No space left in the folder \\"…\/copies\\": .+ until some is freed, or the /,
    )
    assert.ok(!log.includes(world.scratch.path), 'the log has no whole path')
    await disk.empty()
    assert.equal(await query(late), 1)
    assert.ok((await copiesOf(late)).length > 1)
    assert.deepEqual(await ready(), [200, { status: 'ready' }])
    assert.match(world.server.log(), /"type":"disk","msg":"there is space again"/)
  })
})
