import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { Connection } from '#lib/engine/connection.js'
import type { Job } from '#lib/engine/jobs.js'
import { Pool } from '#lib/engine/pool.js'
import { JobFailed } from '#lib/process/parent.js'
import { workOfNobody } from '#lib/work.js'

/** A process whose jobs end when the test says so, or when they are interrupted. */
class HeldProcess {
  readonly alive = true
  #end: { resolve: (value: unknown) => void; reject: (cause: Error) => void } | null = null

  run(job: { name: string }): Promise<unknown> {
    running.set(job.name, this)
    return new Promise((resolve, reject) => {
      this.#end = { resolve, reject }
    }).finally(() => running.delete(job.name))
  }
  finish(): void {
    this.#end?.resolve(null)
  }
  interrupt(): void {
    interrupted += 1
    this.#end?.reject(new JobFailed({ kind: 'interrupted', text: '' }))
  }
  kill(): void {}
}

/** The processes at work, by the names of their jobs. */
const running = new Map<string, HeldProcess>()
let interrupted = 0

describe('a pool of two connections', () => {
  const of = (name: 'ready' | 'process') => Object.getOwnPropertyDescriptor(Connection.prototype, name) ?? {}
  const real = { ready: of('ready'), process: of('process') }
  before(() => {
    const held = new WeakMap<Connection, HeldProcess>()
    Object.defineProperty(Connection.prototype, 'ready', { ...real.ready, get: () => true })
    Object.defineProperty(Connection.prototype, 'process', {
      ...real.process,
      get(this: Connection) {
        if (!held.has(this)) held.set(this, new HeldProcess())
        return held.get(this)
      },
    })
  })
  after(() => {
    Object.defineProperties(Connection.prototype, real)
  })

  let pool: Pool
  let jobs: Promise<unknown>[]
  beforeEach(() => {
    pool = new Pool(2, { memoryLimitBytes: 0, threads: 1, spillBytes: 0 }, 'nowhere', () => {})
    jobs = []
    interrupted = 0
  })
  afterEach(async () => {
    while (running.size > 0) await finish([...running.keys()][0] as string)
    await Promise.all(jobs)
  })

  /** Asks for a connection, and goes on when everybody has settled. */
  async function ask(name: string, projectId: string, purpose: 'call' | 'build' | 'ahead') {
    const options = { projectId, purpose, waitMs: 5_000, timeoutMs: 5_000, ...workOfNobody() }
    jobs.push(pool.run({ name } as unknown as Job, options, () => null).catch(() => {}))
    await delay(0)
  }
  async function finish(name: string) {
    running.get(name)?.finish()
    await delay(0)
  }
  const atWork = () => [...running.keys()].sort()

  it('interrupts no call for a build that may not start beside another one', async () => {
    await ask('build', 'A', 'build')
    await ask('call', 'A', 'call')
    await ask('other build', 'B', 'build')
    assert.deepEqual([atWork(), interrupted], [['build', 'call'], 0])
    await finish('build')
    assert.deepEqual(atWork(), ['call', 'other build'])
  })

  it('interrupts no call for what is ahead of its time', async () => {
    await ask('first', 'A', 'call')
    await ask('second', 'A', 'call')
    await ask('ahead', 'B', 'ahead')
    assert.deepEqual([atWork(), interrupted], [['first', 'second'], 0])
    await finish('first')
    assert.deepEqual(atWork(), ['ahead', 'second'])
  })

  it('interrupts the newest call for another project, also behind those who may not start', async () => {
    await ask('build', 'A', 'build')
    await ask('call', 'A', 'call')
    await ask('other ahead', 'B', 'ahead')
    await ask('other build', 'B', 'build')
    await ask('own', 'A', 'call')
    assert.equal(interrupted, 0)
    await ask('other call', 'B', 'call')
    assert.deepEqual([atWork(), interrupted], [['build', 'other call'], 1])
  })

  it('interrupts what is ahead of its time for a call, and not for another one of its kind', async () => {
    await ask('ahead', 'A', 'ahead')
    await ask('call', 'B', 'call')
    await ask('other ahead', 'B', 'ahead')
    assert.deepEqual([atWork(), interrupted], [['ahead', 'call'], 0])
    await ask('own', 'A', 'call')
    assert.deepEqual([atWork(), interrupted], [['call', 'own'], 1])
  })

  it('leaves no connection idle for those who may not start', async () => {
    await ask('build', 'A', 'build')
    await ask('call', 'A', 'call')
    await ask('other call', 'B', 'call')
    await ask('other build', 'B', 'build')
    assert.deepEqual([atWork(), interrupted], [['build', 'other call'], 1])
    await finish('other call')
    assert.deepEqual([atWork(), interrupted], [['build', 'call'], 1])
    await ask('own', 'A', 'call')
    await finish('call')
    assert.deepEqual([atWork(), interrupted], [['build', 'own'], 1])
  })
})
