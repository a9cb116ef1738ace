import assert from 'node:assert/strict'
import { until } from '../until.js'
import { output, outputJson, run, scratchFolder } from './command.js'
import { linesOf } from './log.js'
import { addProjects, PROJECT_IDS } from './package.js'
import { type Answer, call, type Served, serve } from './server.js'

const projectId = PROJECT_IDS.early
const scratch = scratchFolder()
const endless = (from: number) =>
  `SELECT count(*) FROM range(100000000000000) a(i), sites WHERE hash(i) = 0 AND i > ${from}`

interface Recorded {
  subject: string
  organizations: string[]
}

interface Told {
  callId: string
  keyId: string
  method: string
  organization: string
  relations: string[]
  process: string
  processorMs: number
}

describe('calls that a server runs', () => {
  const folder = () => scratch.path
  let server: Served
  let key: string
  let other: string
  before(async () => {
    await addProjects(folder())
    await output(folder(), 'user', 'add', 'ada@example.org', '--organization', 'south')
    const create = () => output(folder(), 'key', 'create', '--user', 'ada@example.org', '--organization', 'south')
    ;[key, other] = [await create(), await create()]
    server = await serve(folder(), { callsAtOnce: '2', budgetExportRows: '1', budgetWindow: '1d', slow: '10ms' })
  })
  after(() => void server?.child.kill('SIGKILL'))

  const ask = (from: number, by = key): Promise<Answer> =>
    call(server.url, by, 'query', { projectId, sql: endless(from) })
  const running = () => outputJson<Told[]>(folder(), 'running')
  const toldOf = (count: number) =>
    until(async () => {
      const told = await running()
      return told.length === count && told
    }, `${count} calls are told`)

  it('are shown by a command on the machine or on another one, and ended by it', async () => {
    assert.deepEqual(await running(), [])
    const asked = ask(0)
    const [told] = await toldOf(1)
    assert.equal(told?.method, 'projects/query')
    assert.deepEqual([told?.organization, told?.relations], ['south', ['sites']])
    assert.match(told?.process ?? '', new RegExp(` ${server.child.pid}/\\d+$`))
    assert.ok((told?.processorMs ?? 0) > 0)
    const [head = '', line = ''] = (await output(folder(), 'running')).split('\n')
    assert.match(head, /^ID +SECONDS +METHOD +PHASE +ENGINE +ROWS +BYTES +ORGANIZATION/)
    assert.ok(line.startsWith(told?.callId ?? 'none'))
    const said = await output(folder(), 'cancel', told?.callId.toUpperCase() ?? '')
    assert.equal(said, `Its server ends the call ${told?.callId} within two seconds.`)
    const { status, message } = await asked
    assert.deepEqual([status, message], [503, 'The operator of the service has ended the call.'])
    await toldOf(0)
    const recorded = await outputJson<Recorded>(folder(), 'audit', '--action', 'call')
    assert.deepEqual([recorded.subject, recorded.organizations], [told?.callId, ['south']])
    const { status: code, stderr } = await run(folder(), ['cancel', told?.callId ?? ''])
    assert.equal(code, 1)
    assert.match(stderr, /No server runs a call with the id ".*": see "foldgate running"/)
  })

  it('are ended when their keys are revoked', async () => {
    const [one, two] = [ask(1), ask(2, other)]
    const told = await toldOf(2)
    const ids = await outputJson<{ id: string }[]>(folder(), 'key', 'list')
    const revoked = ids.find(({ id }) => told.some(({ keyId }) => keyId === id))?.id ?? ''
    await output(folder(), 'key', 'revoke', revoked)
    const { status, message } = await Promise.race([one, two])
    assert.deepEqual([status, message], [401, 'The API key was revoked or has expired while the call ran.'])
    const [left] = await toldOf(1)
    assert.notEqual(left?.keyId, revoked)
    await output(folder(), 'cancel', left?.callId ?? '')
    await Promise.all([one, two])
  })

  it('are as many of an organization as its budget allows, and export as much', async () => {
    const create = ['key', 'create', '--user', 'ada@example.org', '--organization', 'south']
    const third = await output(folder(), ...create)
    const asked = [ask(3, third), ask(4, third)]
    await toldOf(2)
    const { status, message } = await call(server.url, third, 'query', { projectId, sql: 'SELECT 1 AS one' })
    assert.deepEqual(
      [status, message],
      [503, '2 statements over the projects of this organization run already. Wait for one to end.'],
    )
    for (const { callId } of await running()) await output(folder(), 'cancel', callId)
    await Promise.all(asked)
    const exporting = () => call(server.url, third, 'export', { projectId, sql: 'SELECT 1 AS one FROM sites' })
    assert.equal((await exporting()).status, 200)
    const refused = await until(async () => {
      const answer = await exporting()
      return answer.status !== 200 && answer
    }, 'the budget is spent')
    assert.match(refused.message ?? '', /together used their 1 exported rows in 86400 seconds/)
    const slow = linesOf(server).find(line => line.msg === 'slow call')
    assert.match(String(slow?.statement), /^[0-9a-f]{16}$/)
    assert.ok(!server.log().includes('SELECT'))
    const usage = await outputJson<{ id: string; calls: number }[]>(folder(), 'usage', '--by', 'relation')
    assert.deepEqual(
      usage.map(({ id }) => id),
      ['sites'],
    )
    assert.match(await output(folder(), 'usage', '--by', 'owner'), /^OWNER +CALLS .*\nada@example.org +\d+/)
  })
})
