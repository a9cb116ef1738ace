import assert from 'node:assert/strict'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { lastLook } from '#lib/flow/bounds.js'
import { killCapped, spawnCapped } from '#lib/flow/capped.js'
import { describeExit, whyEnded } from '#lib/flow/death.js'
import { endOf } from '#lib/flow/exit.js'
import { until } from '../until.js'

const MIB = 1024 ** 2
const LIMIT_BYTES = 256 * MIB
/** Takes memory, and then ends as it is told to, or waits. */
const SCRIPT = `
const [mib, end] = process.argv.slice(2)
globalThis.held = Buffer.alloc(mib * ${MIB}, 1)
if (end === 'abort') process.abort()
if (end) process.exit(Number(end))
setInterval(() => {}, 1_000)`

describe('the end of a process', () => {
  let folder: string
  let script: URL
  before(async function () {
    if (process.platform !== 'linux') return this.skip()
    folder = await realpath(await mkdtemp(join(tmpdir(), 'foldgate-test-')))
    script = pathToFileURL(join(folder, 'script.mjs'))
    await writeFile(script, SCRIPT)
  })
  after(() => folder && rm(folder, { recursive: true }))

  /** Who has ended a process, and why it did, once that holds as much and has got a signal. */
  async function endedBy({ mib = 1, end = '', signal = '', isKilled = false }) {
    const args = [String(mib), end]
    const child = await spawnCapped({ script, args, folder, memoryLimitBytes: LIMIT_BYTES }, 'ignore')
    const ended = endOf(child)
    try {
      if (signal) {
        await until(() => (lastLook(child)?.heldBytes ?? 0) >= mib * MIB, `it holds ${mib} MiB`)
        process.kill(child.pid as number, signal)
      }
      const exit = describeExit(child, await ended, { stderr: '', memoryLimitBytes: LIMIT_BYTES, isKilled })
      return { ...exit, why: whyEnded(exit) }
    } finally {
      killCapped(child)
    }
  }

  for (const signal of ['SIGKILL', 'SIGHUP', 'SIGQUIT'] as const)
    it(`is not its own when ${signal} comes from outside`, async () => {
      const { endedBy: who, why, heldBytes, limitBytes } = await endedBy({ mib: 8, signal })
      assert.deepEqual([who, why], ['killed', `was killed from outside by ${signal}`])
      assert.ok(heldBytes !== null && heldBytes > 8 * MIB && heldBytes < LIMIT_BYTES, `${heldBytes}`)
      assert.equal(limitBytes, LIMIT_BYTES)
    })

  it('is that of its host when that has sent the signal', async () => {
    assert.equal((await endedBy({ signal: 'SIGKILL', isKilled: true })).endedBy, 'host')
  })

  it('is for want of memory when it held nearly as much as it may, or says so', async () => {
    const why = 'ran out of memory, of which it may have 256 MiB'
    const full = await endedBy({ mib: 236, signal: 'SIGKILL' })
    assert.deepEqual([full.endedBy, full.why], ['memory-limit', why])
    const told = await endedBy({ end: '86' })
    assert.deepEqual([told.endedBy, told.why], ['memory-limit', why])
  })

  it('is its own when it crashes or exits', async () => {
    const crashed = await endedBy({ end: 'abort' })
    assert.deepEqual([crashed.endedBy, crashed.why], ['itself', 'ended with SIGABRT'])
    const exited = await endedBy({ end: '3' })
    assert.deepEqual([exited.endedBy, exited.why], ['itself', 'ended with status 3'])
  })
})
