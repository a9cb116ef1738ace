import assert from 'node:assert/strict'
import { mkdtemp, readlink, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import { pathToFileURL } from 'node:url'
import { FROM_PROCESS } from '#lib/flow/channel.js'
import { JobProcess, ProcessDied } from '#lib/flow/parent.js'
import { openSandbox } from '#lib/sandbox/sandbox.js'
import { World } from '#lib/sandbox/world.js'
import { count, text } from '#lib/schema.js'
import { childrenOf } from '../../bench/bombs/watch.js'
import { until } from '../until.js'
import { GuardProbe } from './guard-probe.js'

describe('a guard whose process is killed', () => {
  const probe = new GuardProbe()
  before(() => probe.open())
  after(() => probe.close())

  /** Finds the process by its working folder, which no other process uses. */
  async function processId(): Promise<number> {
    for (const pid of childrenOf(process.pid))
      if ((await readlink(`/proc/${pid}/cwd`).catch(() => '')).startsWith(probe.folder)) return pid
    return assert.fail('the guard has no process')
  }

  it('checks the next statement in another process', async function () {
    if (process.platform !== 'linux') this.skip()
    process.kill(await processId(), 'SIGKILL')
    const sql = 'SELECT count(*) FROM fold_risks'
    assert.equal((await probe.passed(sql)).sql, sql)
    assert.equal((await probe.passed(sql)).sql, sql)
  })

  it('reports whether its process answers, and starts another one when asked', async function () {
    if (process.platform !== 'linux') this.skip()
    assert.equal(await probe.guard.answers(5_000), true)
    const pid = await processId()
    process.kill(pid, 'SIGSTOP')
    assert.equal(await probe.guard.answers(50), false)
    process.kill(pid, 'SIGKILL')
    await until(() => probe.guard.answers(5_000), 'another process')
    assert.notEqual(await processId(), pid)
  })
})

describe('a process with a time limit for its start', () => {
  const optionsOf = async (url: URL, folder: string) => ({
    script: { url, packages: [] },
    world: new World(folder),
    sandbox: await openSandbox(),
    settings: {},
    memoryLimitBytes: 2 ** 29,
    failures: text('What has failed.'),
  })

  it('is killed if it takes no jobs in time, and says so', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'foldgate-test-')))
    try {
      const script = pathToFileURL(join(folder, 'hangs.mjs'))
      await writeFile(script, 'setInterval(() => {}, 1000)')
      const started = new JobProcess({ ...(await optionsOf(script, folder)), startWithinMs: 200 })
      await assert.rejects(started.ready, ProcessDied)
      const { signal, stderr } = await started.exited
      assert.deepEqual([signal, stderr, started.alive], ['SIGKILL', 'it took no jobs within 200 ms', false])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('is not killed later if it has taken jobs in time', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'foldgate-test-')))
    const script = pathToFileURL(join(folder, 'takes.mjs'))
    await writeFile(
      script,
      `import { Socket } from 'node:net'
       const channel = new Socket({ fd: 3 })
       channel.write(Buffer.of(5, 0, 0, 0, ${FROM_PROCESS.ready}, 0, 0, 0, 0))
       channel.on('data', () => channel.write(Buffer.of(6, 0, 0, 0, ${FROM_PROCESS.done}, 1, 0, 0, 0, 0x37)))`,
    )
    const options = await optionsOf(script, folder)
    mock.timers.enable({ apis: ['setTimeout'] })
    const started = new JobProcess({ ...options, startWithinMs: 2_500 })
    try {
      await started.ready
      mock.timers.tick(2_700)
      assert.equal((await started.run({}, { schema: count('') })).value, 7)
    } finally {
      mock.timers.reset()
      started.kill()
      await started.exited
      await rm(folder, { recursive: true })
    }
  })
})
