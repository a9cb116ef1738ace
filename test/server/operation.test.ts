import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { until } from '../until.js'
import { output, outputJson, scratchFolder } from './command.js'
import { type Line, linesOf } from './log.js'
import { gauge, metricsOf } from './metrics.js'
import { addProjects, PROJECT_IDS } from './package.js'
import { type Answer, call, type Served, serve, stop } from './server.js'

const projectId = PROJECT_IDS.early
const scratch = scratchFolder()
/** Takes about a second. */
const LONG = 'SELECT sum(a.i * b.i) AS total FROM range(12000) a(i), range(12000) b(i)'

describe('a server in operation', () => {
  let server: Served
  let key: string
  let keyId: string
  before(async () => {
    const folder = scratch.path
    await addProjects(folder)
    await output(folder, 'user', 'add', 'ada@example.org', '--organization', 'south')
    key = await output(folder, 'key', 'create', '--user', 'ada@example.org', '--organization', 'south')
    keyId = (await outputJson<{ id: string }[]>(folder, 'key', 'list'))[0]?.id ?? ''
    server = await serve(folder, '--proxies', '1', '--metrics-port', '0', { drainDelay: '500ms' })
  })

  after(() => void server?.child.kill('SIGKILL'))

  const query = (sql: string): Promise<Answer> => call(server.url, key, 'query', { projectId, sql })
  const get = (path: string, headers: Record<string, string> = {}) => fetch(server.url + path, { headers })
  const lines = () => linesOf(server)
  async function lineOf(requestId: string | null): Promise<Line> {
    const find = () => lines().find(line => line.type === 'call' && line.requestId === requestId)
    return until(find, `a line of the request ${requestId}`)
  }

  describe('logs', () => {
    it('one line per call, under the request id of its answer', async () => {
      const sql = "SELECT 'in no log' AS where_it_is FROM sites"
      const { status, headers } = await query(sql)
      assert.equal(status, 200)
      const { time, durationMs, phasesMs, processorMs, client, callId, ownerId, snapshotId, ...line } = await lineOf(
        headers.get('x-request-id'),
      )
      assert.deepEqual(line, {
        level: 'info',
        msg: 'call',
        type: 'call',
        requestId: headers.get('x-request-id'),
        keyId,
        method: 'projects/query',
        projectId,
        organization: 'south',
        relations: ['sites'],
        outcome: 'OK',
        rows: 1,
        bytes: '{"where_it_is":"in no log"}'.length,
      })
      assert.ok(Math.abs(Date.parse(time) - Date.now()) < 10_000)
      for (const id of [callId, ownerId]) assert.match(String(id), /^[0-9a-f-]{36}$/)
      assert.match(String(snapshotId), /^\d{6}-/)
      assert.ok((processorMs as number) >= 0)
      const spent = phasesMs as Record<string, number>
      assert.deepEqual(Object.keys(spent).sort(), ['auth', 'build', 'guard', 'query', 'wait'])
      assert.ok(Object.values(spent).every(ms => ms >= 0 && ms <= (durationMs as number)))
      assert.match(String(client), /127\.0\.0\.1$/)
    })

    it('the request id and the last address that a proxy passes on', async () => {
      const forwarded = { 'X-Request-Id': 'proxy-7', 'X-Forwarded-For': '10.1.1.1, 192.0.2.9' }
      const response = await fetch(`${server.url}/public/v1/api/projects/list`, { method: 'POST', headers: forwarded })
      assert.equal(response.headers.get('x-request-id'), 'proxy-7')
      const { outcome, client, keyId: none } = await lineOf('proxy-7')
      assert.deepEqual([outcome, client, none], ['UNAUTHENTICATED', '192.0.2.9', null])
    })

    it('no malformed request id or address', async () => {
      for (const wrong of ['two words', 'x'.repeat(129), '{}']) {
        const headers = { 'X-Request-Id': wrong, 'X-Forwarded-For': 'somewhere', Authorization: `Bearer ${key}` }
        const response = await fetch(`${server.url}/public/v1/api/projects/list`, { method: 'POST', headers })
        const id = response.headers.get('x-request-id')
        assert.match(id ?? '', /^[0-9a-f-]{36}$/)
        assert.match(String((await lineOf(id)).client), /127\.0\.0\.1$/)
      }
    })

    it('every call of a WebSocket under the id of its handshake', async () => {
      const headers = { Authorization: `Bearer ${key}`, 'X-Request-Id': 'hand', 'X-Forwarded-For': '192.0.2.7' }
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}/public/v1/ws`, { headers })
      const [[response]] = await Promise.all([once(socket, 'upgrade'), once(socket, 'open')])
      assert.equal(response.headers['x-request-id'], 'hand')
      for (const [id, method] of ['projects/list', 'projects/nothing'].entries()) {
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, method }))
        await once(socket, 'message')
      }
      socket.close()
      const told = await Promise.all([lineOf('hand.1'), lineOf('hand.2')])
      assert.deepEqual(
        told.map(({ method, outcome, client }) => [method, outcome, client]),
        [
          ['projects/list', 'OK', '192.0.2.7'],
          ['unknown', 'METHOD_NOT_FOUND', '192.0.2.7'],
        ],
      )
    })

    it('exports, downloads and refusals', async () => {
      const { link, headers } = await call(server.url, key, 'export', { projectId, sql: 'SELECT 1 AS one FROM sites' })
      const exported = await lineOf(headers.get('x-request-id'))
      const file = await fetch(link ?? '', { headers: { Authorization: `Bearer ${key}` } })
      const { byteLength } = await file.arrayBuffer()
      const loaded = await lineOf(file.headers.get('x-request-id'))
      const refused = await lineOf((await query('DROP TABLE sites')).headers.get('x-request-id'))
      assert.deepEqual(
        [exported, loaded, refused].map(each => [each.organization, each.method, each.outcome, each.rows, each.bytes]),
        [
          ['south', 'projects/export', 'OK', 1, byteLength],
          ['south', 'download', 'OK', 0, byteLength],
          ['south', 'projects/query', 'INVALID_QUERY', 0, 0],
        ],
      )
      assert.ok(!server.log().includes(new URL(link ?? '').pathname.split('/').at(-1) as string))
    })

    it('with a request id on every answer', async () => {
      for (const path of ['/', '/live', '/ready', '/nothing', '/public/v1/description.json', '/public/v1/nothing']) {
        const response = await get(path)
        assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/, path)
      }
    })
  })

  describe('counts', () => {
    it('calls by method and class, and the seconds that they and their phases take', async () => {
      const before = await metricsOf(server)
      await query('SELECT 2 AS two FROM sites')
      await query('SELEC')
      await call(server.url, 'fg_nothing', 'list')
      const after = await metricsOf(server)
      const more = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0)
      assert.equal(more('foldgate_calls_total{method="projects/query",class="OK"}'), 1)
      assert.equal(more('foldgate_calls_total{method="projects/query",class="INVALID_QUERY"}'), 1)
      assert.equal(more('foldgate_calls_total{method="projects/list",class="UNAUTHENTICATED"}'), 1)
      assert.equal(more('foldgate_call_seconds_count{method="projects/query"}'), 2)
      const counts = ['auth', 'guard', 'wait', 'query', 'build'].map(phase =>
        more(`foldgate_phase_seconds_count{phase="${phase}"}`),
      )
      assert.deepEqual(counts, [3, 2, 1, 1, 1])
      assert.ok(
        more('foldgate_phase_seconds_sum{phase="query"}') < more('foldgate_call_seconds_sum{method="projects/query"}'),
      )
    })

    it('builds, their disk space, and the state of the engine processes', async () => {
      const found = await metricsOf(server)
      assert.ok(gauge(found, 'builds_total{outcome="OK"}') >= 1)
      assert.equal(gauge(found, 'build_seconds_count'), gauge(found, 'builds_total{outcome="OK"}'))
      assert.ok(gauge(found, 'cache_bytes') > 0)
      const names = [
        'connections',
        'connections_ready',
        'connections_busy',
        'connections_waiting',
        'restarts_total{reason="memory-kept"}',
      ]
      assert.deepEqual(
        names.map(name => gauge(found, name)),
        [1, 1, 0, 0, 0],
      )
      assert.deepEqual([gauge(found, 'results_bytes'), gauge(found, 'faults_total')], [0, 0])
      assert.ok((found.get('process_resident_memory_bytes') ?? 0) > 0)
    })

    it('under labels without values from callers', async () => {
      await fetch(`${server.url}/public/v1/api/projects/made-up`, { method: 'POST' })
      const text = await (await fetch(server.metricsUrl)).text()
      for (const secret of [key, keyId, 'made-up', 'SELECT']) assert.ok(!text.includes(secret), secret)
      assert.equal((await fetch(server.metricsUrl.replace('/metrics', '/'))).status, 404)
      assert.equal((await get('/metrics')).status, 404)
    })
  })

  describe('is ready', () => {
    const ready = async () => {
      const response = await get('/ready')
      return [response.status, await response.json()]
    }
    /** The dependencies that are down, of a server that is ready all the same. */
    const down = async () => {
      assert.deepEqual(await ready(), [200, { status: 'ready' }])
      return ((await (await get('/ready?details')).json()) as { down: unknown }).down
    }

    it('while it serves', async () => {
      assert.deepEqual(await ready(), [200, { status: 'ready' }])
      assert.equal((await fetch(`${server.url}/ready`, { method: 'HEAD' })).status, 200)
      assert.equal((await fetch(`${server.url}/ready`, { method: 'POST' })).status, 405)
    })

    it('while the snapshot folder cannot be read, and names the dependency without its path', async () => {
      const snapshots = join(scratch.path, 'foldgate-data', 'snapshots')
      await rename(snapshots, `${snapshots}-away`)
      assert.deepEqual(await down(), ['snapshots'])
      assert.deepEqual(await (await get('/live')).json(), { status: 'live' })
      await symlink(snapshots, snapshots)
      assert.deepEqual(await down(), ['snapshots'])
      assert.equal((await query('SELECT 1 AS one')).status, 503)
      assert.equal(gauge(await metricsOf(server), 'dependency_failures_total{port="snapshots"}'), 1)
      await rename(`${snapshots}-away`, `${snapshots}-back`)
      await rename(snapshots, `${snapshots}-away`)
      await rename(`${snapshots}-back`, snapshots)
      assert.deepEqual(await down(), [])
      const told = lines().filter(({ type, level }) => type === 'snapshot' || (type === 'ready' && level === 'warn'))
      const away = 'the shared folder is not there: its marker is missing: calls that need it are UNAVAILABLE'
      const messages = told.map(({ msg }) => msg)
      assert.deepEqual(messages, [away, 'the shared folder is there again'])
    })
  })

  describe('when it is stopped', () => {
    it('is not ready, still answers for a while, finishes calls in flight and ends with status 0', async () => {
      const answer = query(LONG)
      await until(async () => gauge(await metricsOf(server), 'connections_busy') === 1, 'a call in flight')
      const status = stop(server.child)
      const ready = await until(async () => {
        const response = await get('/ready')
        return response.status === 503 && response.json()
      }, 'a server that is not ready')
      assert.deepEqual(ready, { status: 'notReady', notReady: ['draining'] })
      assert.equal((await call(server.url, key, 'list')).status, 200)
      assert.equal((await get('/live')).status, 200)
      assert.equal((await answer).status, 200)
      assert.equal(await status, 0)
      const told = lines().filter(line => /^(started|stopping|stopped)$/.test(line.type))
      assert.deepEqual(
        told.map(({ type, cut }) => [type, cut]),
        [
          ['started', undefined],
          ['stopping', undefined],
          ['stopped', 0],
        ],
      )
    })

    it('has logged no key, no SQL and no path', () => {
      assert.match(server.log(), /dependency snapshots is down: ELOOP: [^']+, [a-z]+ '…\/[^/']+\/'/)
      for (const secret of [key, 'fg_', 'Bearer', 'SELECT', 'DROP', 'in no log', scratch.path])
        assert.ok(!server.log().includes(secret), secret)
    })
  })
})
