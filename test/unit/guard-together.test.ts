import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, readlink, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parsingTogether } from '#lib/duckdb/child/guard/check.js'
import { type Guard, openGuard } from '#lib/duckdb/guard.js'
import type { Statement } from '#lib/engine/port.js'
import { FROM_PROCESS } from '#lib/flow/channel.js'
import { openSandbox } from '#lib/sandbox/sandbox.js'
import { childrenOf } from '../../bench/bombs/watch.js'
import { until } from '../until.js'
import { GuardProbe, WAIT_MS } from './guard-probe.js'

/**
 * Accepts every statement as one with all those of its job as parameters, takes the milliseconds that one says, and ends
 * at one that says so, or that comes after others. Processes that are to be killed wait for it, until the host gives them a
 * file.
 */
const SCRIPT = `
import { existsSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { deserialize } from 'node:v8'
const channel = new Socket({ fd: 3 })
const tell = (kind, head) => {
  const json = head === undefined ? '' : JSON.stringify(head)
  const frame = Buffer.alloc(9 + json.length)
  frame.writeUInt32LE(5 + json.length)
  frame.writeUInt8(kind, 4)
  frame.writeUInt32LE(json.length, 5)
  frame.write(json, 9)
  channel.write(frame)
}
const wait = ms => { for (const until = Date.now() + ms; Date.now() < until; ); }
let count = 0
let bytes = Buffer.alloc(0)
channel.on('data', part => {
  bytes = Buffer.concat([bytes, part])
  if (bytes.length < 9 || bytes.length < 4 + bytes.readUInt32LE()) return
  const job = deserialize(bytes.subarray(9))
  bytes = Buffer.alloc(0)
  tell(${FROM_PROCESS.taken})
  if (count++ > 0 && job[0].sql.startsWith('first')) process.exit(1)
  for (const { sql } of job) {
    if (sql.startsWith('end')) process.exit(1)
    if (sql.startsWith('slow')) wait(Number(sql.split(' ')[1]))
    if (sql.startsWith('kill') && !existsSync('../given/killed')) wait(60_000, writeFileSync('taken', ''))
  }
  const parameters = job.map(({ sql }) => sql)
  tell(${FROM_PROCESS.done}, job.map(({ sql }) => ({ ok: true, relations: [], parameters, volatile: false, anyNumbers: false, length: sql.length, claims: [] })))
})
tell(${FROM_PROCESS.ready})`

describe('statements that wait for the guard', () => {
  let folder: string
  let guard: Guard
  const down: unknown[] = []
  const died: string[] = []
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'foldgate-together-')))
    const script = pathToFileURL(join(folder, 'script.mjs'))
    await writeFile(script, SCRIPT)
    const told = { onDown: (cause: unknown) => down.push(cause), onDied: (detail: string) => died.push(detail) }
    guard = openGuard({ script, relations: [], folder, sandbox: await openSandbox(), waitMs: WAIT_MS, ...told })
    await guard.ready()
  })
  afterEach(async () => {
    await guard.close()
    await rm(folder, { recursive: true, force: true })
    assert.deepEqual([down, died], [[], []])
  })

  const check = (sql: string, organization = 'north') =>
    guard.check(sql, { organization, ownerId: 'ada', signal: new AbortController().signal })
  /** The statements of each job that has checked some of these, or how the check of a statement ended. */
  async function jobsOf(checks: readonly Promise<Statement>[]): Promise<string[]> {
    const outcomes = await Promise.allSettled(checks)
    return outcomes.map(outcome =>
      outcome.status === 'fulfilled' ? (outcome.value.parameters ?? []).join(' ') : String(outcome.reason.message),
    )
  }

  it('are checked together: at most 16, and at most 64 KiB of them', async () => {
    const few = await jobsOf(['a', 'b', 'c', 'b'].map(sql => check(sql)))
    assert.deepEqual(few, ['a', 'b c', 'b c', 'b c'])
    const many = await jobsOf(Array.from({ length: 40 }, (_, index) => check(`n${index}`)))
    assert.deepEqual(
      [...new Set(many)].map(job => job.split(' ').length),
      [1, 16, 16, 7],
    )
    const long = await jobsOf(['d', 'e'.repeat(40_000), 'f'.repeat(20_000), 'g'.repeat(20_000)].map(sql => check(sql)))
    assert.deepEqual(
      [...new Set(long)].map(job => job.split(' ').map(sql => sql[0])),
      [['d'], ['e', 'f'], ['g']],
    )
  })

  it('share no job with those of another organization, and wait for two of these at most', async () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const checks = names.flatMap(sql => [check(sql), check(`${sql}2`, 'south')])
    const jobs = [...new Set(await jobsOf(checks))]
    assert.deepEqual(jobs, ['a', 'a2 b2', 'b c', 'c2 d2', 'd e', 'e2'])
  })

  it('are checked alone after one of them has ended the process, and it alone is refused', async () => {
    const outcomes = await jobsOf(['a', 'b', 'end', 'c'].map(sql => check(sql)))
    assert.deepEqual(outcomes, ['a', 'b', 'The statement is too complex to be read. Simplify it.', 'c'])
    assert.deepEqual(await jobsOf([check('b'), check('end')]), ['b', outcomes[2]])
  })

  it('wait for no slow ones of other organizations, however many of these there are', async () => {
    const slow = ['north', 'west', 'east'].flatMap(organization =>
      [0, 1].map(at => check(`slow 300 ${at}`, organization)),
    )
    await Promise.all(slow) // from here on, all three are known to be slow
    const done: string[] = []
    const told = (organization: string) => () => void done.push(organization)
    const again = ['north', 'west', 'east'].map(each => check('slow 600', each).then(told(each)))
    for (const sql of ['a', 'b', 'c']) await check(sql, 'south')
    await Promise.all([...again, check('d', 'south').then(told('south'))])
    assert.deepEqual(done, ['south', 'north', 'west', 'east'])
  })

  it('wait for no first slow one either, and are refused for good when they end the process or take five seconds', async () => {
    const slow = jobsOf([check('slow 6000')])
    assert.equal(await Promise.race([slow, check('a', 'south').then(() => 'south')]), 'south')
    const ended = [...(await slow), ...(await jobsOf([check('end', 'west')]))]
    await guard.close() // from here on, only what is kept can be answered
    const kept = await jobsOf([check('slow 6000'), check('end', 'west'), check('end', 'south')])
    assert.deepEqual(kept, [...ended, 'The service cannot read statements now. Try again later.'])
    assert.match(kept.join(), /^The statement is too complex.*The statement is too complex/)
  })

  const KILLED = 'the guard was killed from outside by SIGKILL'

  /** Sends a signal to the process once that has taken a statement which waits for it; none waits after the last one. */
  async function end(signal: NodeJS.Signals, isLast: boolean): Promise<void> {
    const taken = join(folder, 'guard/own/taken')
    await until(() => existsSync(taken), 'the statement in the process')
    await rm(taken)
    if (isLast) await writeFile(join(folder, 'guard/given/killed'), '')
    for (const pid of childrenOf(process.pid))
      if ((await readlink(`/proc/${pid}/cwd`).catch(() => '')).startsWith(folder)) process.kill(pid, signal)
  }

  it('are checked again when others have killed the process, which is told', async function () {
    if (process.platform !== 'linux') this.skip()
    const checked = check('kill')
    await end('SIGKILL', true)
    assert.deepEqual((await checked).parameters, ['kill'])
    assert.deepEqual(died.splice(0), [KILLED])
  })

  it('are checked again, alone, when the process of several was killed', async function () {
    if (process.platform !== 'linux') this.skip()
    const checks = jobsOf(['a', 'b', 'kill', 'c'].map(sql => check(sql)))
    await end('SIGKILL', true)
    assert.deepEqual(await checks, ['a', 'b', 'kill', 'c'])
    assert.deepEqual(died.splice(0), [KILLED])
  })

  for (const signals of [
    ['SIGKILL', 'SIGKILL'],
    ['SIGKILL', 'SIGABRT'],
    ['SIGABRT', 'SIGKILL'],
  ] as const)
    it(`are not blamed for a second process that was ended: ${signals.join(', ')}`, async function () {
      if (process.platform !== 'linux') this.skip()
      const checked = check('kill')
      const other = check('a', 'south')
      const refused = assert.rejects(checked, { class: 'UNAVAILABLE', message: /Try again later/ })
      for (const signal of signals) await end(signal, false)
      await refused
      assert.deepEqual((await other).parameters, ['a'])
      assert.deepEqual((await check('b')).parameters, ['b'])
      assert.deepEqual(
        died.splice(0),
        signals.flatMap(signal => (signal === 'SIGKILL' ? [KILLED] : [])),
      )
      const last = signals[1] === 'SIGABRT' ? 'ended with SIGABRT' : 'was killed from outside by SIGKILL'
      assert.deepEqual(down.splice(0).map(String), [`Error: the process ${last}`])
    })

  it('are checked again after a single crash, and refused for good after a second one', async function () {
    if (process.platform !== 'linux') this.skip()
    const again = check('kill once')
    await end('SIGABRT', true)
    assert.deepEqual((await again).parameters, ['kill once'])
    await rm(join(folder, 'guard/given/killed'))
    const twice = jobsOf([check('kill twice')])
    for (const signal of ['SIGILL', 'SIGABRT'] as const) await end(signal, false)
    const refused = await twice
    assert.deepEqual(refused, ['The statement is too complex to be read. Simplify it.'])
    assert.deepEqual((await check('a', 'south')).parameters, ['a'])
    await guard.close() // from here on, only what is kept can be answered
    assert.deepEqual(await jobsOf([check('kill twice')]), refused)
  })

  it('are checked again when their process had checked others before', async () => {
    assert.deepEqual(await jobsOf([check('a'), check('first')]), ['a', 'first'])
  })

  it('leave their callers as soon as these have left', async () => {
    const leaving = new AbortController()
    const asked = guard.check('a', { organization: 'north', ownerId: 'ada', signal: leaving.signal })
    leaving.abort()
    await assert.rejects(asked, { class: 'UNAVAILABLE' })
    assert.deepEqual(await jobsOf([check('a'), check('b')]), ['a', 'b'])
  })
})

describe('the parser of the guard', () => {
  it('parses what is asked for at once together, and one by one when that fails', async () => {
    const runs: string[][] = []
    const parse = parsingTogether(async texts => {
      runs.push([...texts])
      if (texts.includes('too large')) throw new Error('out of memory')
      return texts.map(text => `tree of ${text}`)
    })
    assert.deepEqual(await Promise.all([parse(['a', '(a)']), parse(['b', '(b)'])]), [
      ['tree of a', 'tree of (a)'],
      ['tree of b', 'tree of (b)'],
    ])
    assert.deepEqual(runs.splice(0), [['a', '(a)', 'b', '(b)']])
    const outcomes = await Promise.allSettled([parse(['too large', '']), parse(['c', '(c)'])])
    assert.deepEqual(
      outcomes.map(outcome => (outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason))),
      ['Error: out of memory', ['tree of c', 'tree of (c)']],
    )
    assert.equal(runs.splice(0).length, 3)
    await assert.rejects(parse(['too large', '']), /out of memory/)
    assert.equal(runs.length, 1)
  })

  it('tells the same of statements that come together and of each alone', async () => {
    const [together, alone] = [new GuardProbe(), new GuardProbe()]
    await Promise.all([together.open(), alone.open()])
    const statements = [
      'SELECT 1',
      'SELECT count(*) FROM fold_risks',
      'SELECT $a AS a',
      'SELEC 1',
      "SELECT 'é', nope(1)",
      'SELECT 1; SELECT 2',
      `SELECT ${'('.repeat(20_000)}1${')'.repeat(20_000)}`,
      'SELECT 1e400',
      'FROM nowhere_known',
      '',
    ]
    try {
      const all = await Promise.all(statements.map(sql => together.verdict(sql)))
      for (const [index, sql] of statements.entries()) assert.deepEqual(all[index], await alone.verdict(sql), sql)
    } finally {
      await Promise.all([together.close(), alone.close()])
    }
  })
})
