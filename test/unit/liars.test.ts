import assert from 'node:assert/strict'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FROM_PROCESS, frameOf } from '#lib/flow/channel.js'
import { JobFailed, JobProcess, ProcessDied } from '#lib/flow/parent.js'
import { NO_SANDBOX } from '#lib/sandbox/sandbox.js'
import { World } from '#lib/sandbox/world.js'
import { count, object, text } from '#lib/schema.js'

const { ready, here, taken, held, recycled, done, failed } = FROM_PROCESS
const frame = (...given: Parameters<typeof frameOf>) => Buffer.concat(frameOf(...given))
const OUTCOME = { schema: object({ n: count('A number.') }, 'An outcome.'), headBytes: 1_000, bodyBytes: 100 }

/** Writes what it is told to: when it starts, and when its job has come. */
const LIAR = `
import { closeSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
const { first, later, closes } = JSON.parse(process.argv[2])
const channel = new Socket({ fd: 3 })
const say = hex => channel.write(Buffer.from(hex, 'hex'))
say(first)
channel.on('data', () => closes ? channel.destroy() : say(later))
channel.on('close', () => setInterval(() => {}, 1_000))
channel.on('error', () => {})
`

describe('a host whose process sends what none of ours does', () => {
  let folder: string
  let script: URL
  let started = 0
  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'foldgate-test-')))
    script = pathToFileURL(join(folder, 'liar.mjs'))
    await writeFile(script, LIAR)
  })
  after(() => rm(folder, { recursive: true }))

  function start(first: Buffer, later: Buffer, closes = false, startWithinMs = 30_000): JobProcess<string> {
    return new JobProcess({
      startWithinMs,
      script: { url: script, packages: [] },
      world: new World(join(folder, String(++started))),
      sandbox: NO_SANDBOX,
      settings: { first: first.toString('hex'), later: later.toString('hex'), closes },
      memoryLimitBytes: 2 ** 29,
      failures: text('What has failed.'),
    })
  }

  /** How a job ends, and why the process was ended. */
  async function outcomeOf(first: Buffer, later: Buffer, closes = false) {
    const process = start(first, later, closes)
    const outcome = await process.ready
      .then(() => process.run({}, OUTCOME))
      .then(
        ({ value, bytes }) => ({ value, bytes: bytes.toString() }),
        (cause: unknown) => cause,
      )
    process.kill()
    return { outcome, exit: await process.exited }
  }

  const READY = frame(ready, undefined)

  it('takes what may come', async () => {
    const then = Buffer.concat([frame(taken, undefined), frame(done, { n: 7 }, Buffer.from('rows'))])
    assert.deepEqual((await outcomeOf(READY, then)).outcome, { value: { n: 7 }, bytes: 'rows' })
    const { outcome } = await outcomeOf(READY, frame(failed, 'why'))
    assert.ok(outcome instanceof JobFailed)
    assert.equal(outcome.failure, 'why')
  })

  const many = (frame: Buffer, times: number) => Buffer.concat(Array.from({ length: times }, () => frame))
  const prefix = (hex: string) => Buffer.from(hex, 'hex')
  for (const [what, first] of [
    ['garbage', Buffer.alloc(9, 'x')],
    ['garbage that is long', Buffer.alloc(20_000, 'x')],
    ['a length without end', prefix('ffffffff0100000000')],
    ['an unknown kind', frame(99, undefined)],
    ['that it is ready twice', many(READY, 2)],
    ['what it holds before it is ready', frame(held, { heldBytes: 1 })],
    ['that it ends itself before it is ready', frame(recycled, { reason: 'memory-kept', heldBytes: 1 })],
    ['an outcome without a job', Buffer.concat([READY, frame(done, { n: 7 })])],
    ['a failure without a job', Buffer.concat([READY, frame(failed, 'why')])],
    ['that it has taken a job that there is not', Buffer.concat([READY, frame(taken, undefined)])],
    ['that it is there, unasked', Buffer.concat([READY, frame(here, undefined)])],
    ['what it holds again and again', Buffer.concat([READY, many(frame(held, { heldBytes: 1 }), 3)])],
    ['that it is ready, with bytes', frame(ready, undefined, Buffer.from('x'))],
    ['that it is ready, with JSON', frame(ready, {})],
  ] as const)
    it(`ends it, and tells why: ${what}`, async () => {
      const process = start(first, Buffer.alloc(0))
      const { breach, endedBy } = await process.exited
      assert.match(breach ?? '', /^it sent a message /)
      assert.equal(endedBy, 'host')
    })

  for (const [what, then] of [
    ['that a job was taken twice', many(frame(taken, undefined), 2)],
    ['two outcomes', many(frame(done, { n: 7 }), 2)],
    ['an outcome and a failure', Buffer.concat([frame(failed, 'why'), frame(done, { n: 7 })])],
    ['a failure that is none', frame(failed, { toString: 1 })],
    ['an outcome without JSON', frame(done, undefined)],
    ['an outcome whose JSON is none', prefix('06000000060100000078')],
    ['an outcome of another shape', frame(done, ['n', 7])],
    ['an outcome with a member more', frame(done, { n: 7, path: '/etc/passwd' })],
    ['an outcome whose number is none', frame(done, { n: '7' })],
    ['an outcome whose number is below 0', frame(done, { n: -1 })],
    ['an outcome that cannot be printed', frame(done, { n: { toString: 1, valueOf: 2 } })],
    [
      'an outcome with a prototype',
      prefix(`${'1c000000'}06${'17000000'}${Buffer.from('{"n":7,"__proto__":{}} ').toString('hex')}`),
    ],
    ['an outcome with too much JSON', frame(done, { n: 7, x: 'x'.repeat(2_000) })],
    ['an outcome with too many bytes', frame(done, { n: 7 }, Buffer.alloc(101))],
    ['what it holds as text', frame(held, { heldBytes: '1' })],
    ['what it holds as a number that is none', frame(held, { heldBytes: 1e300 })],
    ['that it ends for a reason of its own', frame(recycled, { reason: 'crash', heldBytes: 1 })],
  ] as const)
    it(`ends it once it has a job, and tells why: ${what}`, async () => {
      const { outcome, exit } = await outcomeOf(READY, then)
      assert.match(exit.breach ?? '', /^it sent /)
      assert.equal(exit.endedBy, 'host')
      if (outcome instanceof Error && !(outcome instanceof JobFailed)) assert.ok(outcome instanceof ProcessDied)
    })

  it('ends one that wants to be replaced, and leaves a job that has come meanwhile to another one', async () => {
    const wish = { reason: 'memory-kept', heldBytes: 7 }
    const { outcome, exit } = await outcomeOf(READY, frame(recycled, wish))
    assert.ok(outcome instanceof ProcessDied)
    assert.equal(outcome.started, false)
    assert.deepEqual([exit.recycled, exit.endedBy, exit.breach], [wish, 'host', null])
  })

  it('ends one that never sends a whole message', async () => {
    const { stderr } = await start(Buffer.alloc(7, 'x'), Buffer.alloc(0), false, 500).exited
    assert.equal(stderr, 'it took no jobs within 500 ms')
  })

  it('ends one that closes its channel and goes on', async () => {
    const { outcome, exit } = await outcomeOf(READY, Buffer.alloc(0), true)
    assert.ok(outcome instanceof ProcessDied)
    assert.equal(exit.breach, 'it has closed its channel')
  })
})
