import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ReplacedReason } from '#lib/events.js'
import { logEvent, loggedReason, watchRecycling } from '#server/operation/event-log.js'
import { tagged, tagOf } from '#server/operation/requests.js'
import { output, run, scratchFolder } from '../../server/command.js'
import { linesOf } from '../../server/log.js'
import { call, limitsIn, type Served, serve, stop } from '../../server/server.js'
import { until } from '../../until.js'

const scratch = scratchFolder()

describe('the log of a server', () => {
  let server: Served
  let key: string

  before(async () => {
    await output(scratch.path, 'organization', 'add', 'north', '--name', 'North')
    await output(scratch.path, 'user', 'add', 'ada@example.org', '--organization', 'north')
    key = await output(scratch.path, 'key', 'create', '--user', 'ada@example.org', '--organization', 'north')
  })

  afterEach(() => void server?.child.kill('SIGKILL'))

  const query = (sql: string) =>
    call(server.url, key, 'query', { projectId: '0a000000-0000-4000-8000-00000000000f', sql })

  it('contains SQL with --log-sql, and never a key', async () => {
    server = await serve(scratch.path, '--log-sql', 'on')
    const sql = `SELECT "a\nb" -- ${'x'.repeat(5000)}`
    await query(sql)
    await stop(server.child)
    const lines = server
      .log()
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line) as { sql?: string })
    assert.deepEqual(
      lines.map(line => line.sql).filter(text => text !== undefined),
      [sql],
    )
    assert.ok(!server.log().includes(key))
  })

  it('contains the rule and the place of a refused statement, never its text, and whose project it is', async () => {
    await output(scratch.path, 'organization', 'add', 'south', '--name', 'South')
    const add = (organization: string) =>
      output(scratch.path, 'project', 'add', '--organization', organization, '--name', 'One')
    const [own, foreign] = [await add('north'), await add('south')]
    server = await serve(scratch.path)
    const ask = async (projectId: string, sql: string) => {
      const { headers } = await call(server.url, key, 'query', { projectId, sql })
      const id = headers.get('x-request-id')
      const line = await until(() => linesOf(server).find(each => each.requestId === id), 'the line of the call')
      return [line.outcome, line.organization, line.rule, line.line, line.column]
    }
    assert.deepEqual(await ask(own, "SELECT 1,\n  getenv('secret')"), ['INVALID_QUERY', 'north', 'function', 2, 3])
    assert.deepEqual(await ask(own, 'SELEC secret'), ['INVALID_QUERY', 'north', 'syntax', 1, 1])
    assert.deepEqual(await ask(own, 'SELECT 1'), ['NOT_READY', 'north', undefined, undefined, undefined])
    const unknown = ['FORBIDDEN', null, undefined, undefined, undefined]
    for (const id of [foreign, foreign.replace(/^./, 'f')])
      assert.deepEqual(await ask(id, 'SELEC secret'), unknown, 'whoever may not read it does not tell whose it is')
    assert.ok(!/secret|south/.test(server.log()))
    await stop(server.child)
  })

  it('ignores the headers of a proxy unless --proxies is set', async () => {
    server = await serve(scratch.path)
    const headers = { 'X-Request-Id': 'made-up', 'X-Forwarded-For': '192.0.2.1' }
    const response = await fetch(`${server.url}/public/v1/api/projects/list`, { method: 'POST', headers })
    const id = response.headers.get('x-request-id') ?? ''
    assert.match(id, /^[0-9a-f-]{36}$/)
    await until(() => server.log().includes(id), 'the line of the call')
    assert.ok(!/made-up|192\.0\.2\.1/.test(server.log()))
    await stop(server.child)
  })

  it('need not be read: calls are still answered', async () => {
    server = await serve(scratch.path)
    server.child.stderr?.destroy()
    for (let time = 0; time < 3; time++) assert.equal((await call(server.url, key, 'list')).status, 200)
    assert.equal(await stop(server.child), 0)
  })

  it('names the setting that prevents a server from starting', async () => {
    const blocker = createServer().listen(0, '127.0.0.1')
    await once(blocker, 'listening')
    const { port } = blocker.address() as AddressInfo
    for (const [flags, message] of [
      [
        ['--metrics-port', String(port)],
        /^error: Port \d+ of 127\.0\.0\.1 is in use: stop what listens there, or choose another with --metrics-port/,
      ],
      [
        ['--metrics-port', '0', '--metrics-host', '192.0.2.1'],
        /^error: The server cannot listen on 192\.0\.2\.1 .*--metrics-host\n$/,
      ],
      [['--log-sql', 'yes'], /^error: --log-sql cannot be "yes": give either on or off\n$/],
      [await limitsIn(scratch.path, { drain: 'soon' }), /^error: drain in \S+\.json cannot be "soon": give a duration/],
    ] as const) {
      const { status, stderr, stdout } = await run(scratch.path, ['serve', '--port', '0', ...flags])
      assert.deepEqual([status, stdout], [1, ''])
      assert.match(stderr, message)
    }
    blocker.close()
  })
})

describe('a line of the log', () => {
  const written: object[] = []
  const write = (level: string) => (fields: object, msg: string) => void written.push({ level, ...fields, msg })
  const log = { info: write('info'), warn: write('warn'), error: write('error') }

  beforeEach(() => void written.splice(0))

  it('has the phases of a call in milliseconds, rounded to hundredths', () => {
    const phasesMs = Object.fromEntries(
      ['auth', 'guard', 'build', 'wait', 'query', 'encode'].map((phase, at) => [phase, at + 1 / 3]),
    )
    const call = {
      type: 'call',
      method: 'projects/list',
      outcome: 'OK',
      callId: 'c',
      keyId: 'k',
      ownerId: 'o',
      projectId: null,
      organization: null,
      snapshotId: null,
      relations: [],
    } as const
    logEvent(log, { ...call, durationMs: 2.3456, phasesMs, processorMs: 10, rows: 1, bytes: 2 })
    const rounded = { auth: 0.33, guard: 1.33, build: 2.33, wait: 3.33, query: 4.33, encode: 5.33 }
    assert.deepEqual(written, [
      { level: 'info', ...call, durationMs: 2.35, phasesMs: rounded, processorMs: 10, rows: 1, bytes: 2, msg: 'call' },
    ])
  })

  it('names the request that caused a fault or a build', () => {
    const tag = { requestId: 'r', client: null }
    tagged(tag, () => {
      logEvent(log, { type: 'fault', reference: 'f', cause: new Error('no such thing') })
      logEvent(log, {
        type: 'build',
        relation: 'sites',
        snapshotId: 's',
        durationMs: 3,
        cause: new Error('full\nSELECT'),
      })
    })
    assert.deepEqual(written, [
      { level: 'error', ...tag, type: 'fault', reference: 'f', msg: 'fault f: no such thing' },
      {
        level: 'warn',
        ...tag,
        type: 'build',
        relation: 'sites',
        snapshotId: 's',
        durationMs: 3,
        msg: 'build of sites failed: full',
      },
    ])
  })

  it('has the reason for which an engine process was replaced, with figures', () => {
    const replaced = { type: 'engine', what: 'replaced', reason: 'deadline', heldBytes: 7, limitBytes: 9 } as const
    logEvent(log, { ...replaced, detail: 'pid 1' })
    assert.deepEqual(written, [{ level: 'info', ...replaced, msg: 'engine process replaced (deadline): pid 1' }])
  })

  it('warns once a minute when more than one process per minute and connection was replaced without a fault', () => {
    let now = 0
    const watch = watchRecycling(
      log,
      () => 2,
      () => now,
    )
    const kept = {
      type: 'engine',
      what: 'replaced',
      heldBytes: 700 * 2 ** 20,
      limitBytes: 2 ** 30,
      detail: '',
    } as const
    const replace = (reason: ReplacedReason) => watch({ ...kept, reason })
    for (let count = 0; count < 9; count++) replace('deadline')
    for (const at of [0, 30_000, 60_001]) {
      now = at
      replace('memory-kept')
    }
    assert.equal(written.length, 0, 'two within any minute')
    for (let count = 0; count < 5; count++) replace('memory-kept')
    assert.equal(written.length, 1)
    assert.match(
      (written[0] as { msg: string }).msg,
      /^3 engine .* kept 700 MiB of 1024 MiB .* raise the limit memoryLimit$/,
    )
    now += 60_000
    for (let count = 0; count < 3; count++) replace('memory-kept')
    assert.equal(written.length, 2)
  })

  it('names a newer snapshot', () => {
    const ids = { projectId: 'p', organization: 'north', snapshotId: 's', sealedAt: '2026-11-20T09:00:00.000Z' }
    logEvent(log, { type: 'snapshot', ...ids })
    assert.deepEqual(written, [{ level: 'info', type: 'snapshot', ...ids, msg: 'calls read a newer snapshot' }])
  })

  for (const [said, logged] of [
    [
      "ENOENT: no such file or directory, open '/var/lib/foldgate/control.db'",
      "ENOENT: no such file or directory, open '…/control.db'",
    ],
    ["EXDEV: cross-device, rename '/a/b/c' -> '/d/e'", "EXDEV: cross-device, rename '…/c' -> '…/e'"],
    ['file:///srv/app/main.js:12', '…/main.js:12'],
    ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED 127.0.0.1:5432'],
    ['1/2 of projects/list', '1/2 of projects/list'],
  ] as const)
    it(`says ${JSON.stringify(logged)}`, () => assert.equal(loggedReason(new Error(said)), logged))

  it('names the client that the first of the configured proxies saw', () => {
    const seen = (proxies: number, forwarded: string) =>
      tagOf({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress: '10.0.0.1' } } as never, proxies)
    assert.equal(seen(0, '192.0.2.1').client, '10.0.0.1')
    assert.equal(seen(1, 'claimed, 192.0.2.1').client, '192.0.2.1')
    assert.equal(seen(2, 'claimed, 192.0.2.1, 10.0.0.2').client, '192.0.2.1')
    assert.equal(seen(2, '10.0.0.2').client, '10.0.0.1')
    assert.equal(seen(1, 'nobody').client, '10.0.0.1')
  })
})
