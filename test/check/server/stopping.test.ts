import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { output, scratchFolder } from '../../server/command.js'
import { gauge, metricsOf } from '../../server/metrics.js'
import { PROJECT_IDS, writePackage } from '../../server/package.js'
import { type Answer, call, type Flag, type Served, serve, stop } from '../../server/server.js'
import { until } from '../../until.js'

const projectId = PROJECT_IDS.early
const scratch = scratchFolder()
/** Runs for hours unless it is interrupted. */
const ENDLESS = 'SELECT count(*) FROM range(100000000000000) a(i) WHERE hash(i) = 0'

describe('a server that stops', () => {
  let server: Served
  let key: string

  before(async () => {
    await writePackage(join(scratch.path, 'package'))
    await output(scratch.path, 'import', 'package')
    await output(scratch.path, 'user', 'add', 'ada@example.org', '--organization', 'south')
    key = await output(scratch.path, 'key', 'create', '--user', 'ada@example.org', '--organization', 'south')
  })

  afterEach(() => void server.child.kill('SIGKILL'))

  async function start(limits: Flag = {}): Promise<void> {
    server = await serve(scratch.path, '--metrics-port', '0', limits)
  }

  /** Starts a call; resolves to its answer, or to the failure of its connection. */
  async function inFlight(): Promise<Answer | TypeError> {
    const answer = call(server.url, key, 'query', { projectId, sql: ENDLESS }).catch(cause => cause)
    await untilBusy()
    return answer
  }

  async function untilBusy(): Promise<void> {
    await until(async () => gauge(await metricsOf(server), 'connections_busy') === 1, 'a call in flight')
  }

  async function open(): Promise<WebSocket> {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/public/v1/ws`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    await once(socket, 'open')
    return socket
  }

  it('cuts the calls that still run after the limit drain, logs their number and exits with status 1', async () => {
    await start({ drain: '300ms' })
    const socket = await open()
    socket.send(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'projects/query', params: { projectId, sql: ENDLESS } }),
    )
    const closed = once(socket, 'close')
    socket.on('error', () => {})
    await untilBusy()
    const waiting = call(server.url, key, 'query', { projectId, sql: `${ENDLESS} -- another` }).catch(cause => cause)
    await until(async () => gauge(await metricsOf(server), 'connections_waiting') === 1, 'a call that waits')
    const startedAt = performance.now()
    assert.equal(await stop(server.child), 1)
    assert.ok(performance.now() - startedAt < 3000)
    assert.ok((await waiting) instanceof TypeError)
    await closed
    assert.match(server.log(), /\nerror: 2 calls took longer than the limit drain and were cut off\n$/)
    assert.match(server.log(), /"type":"stopped","cut":2/)
    await assertNobodyLeft()
  })

  it('exits at once with status 1 at a second signal', async () => {
    await start({ drain: '1h', drainDelay: '1h' })
    const lost = inFlight()
    await untilBusy()
    const startedAt = performance.now()
    const ended = stop(server.child)
    await until(() => server.log().includes('"type":"stopping"'), 'a server that stops')
    server.child.kill('SIGINT')
    assert.equal(await ended, 1)
    assert.ok(performance.now() - startedAt < 2000)
    assert.ok((await lost) instanceof TypeError)
    await assertNobodyLeft()
  })

  it('waits only one second for the peer of a WebSocket to close it', async () => {
    await start({ drain: '1h' })
    const socket = await open()
    socket.pause()
    const startedAt = performance.now()
    assert.equal(await stop(server.child), 0)
    const ms = performance.now() - startedAt
    assert.ok(ms > 900 && ms < 3000, `${ms} ms`)
    socket.terminate()
  })

  it('closes WebSockets once their calls have ended', async () => {
    await start({ queryTimeout: '1s' })
    const socket = await open()
    const answered = once(socket, 'message')
    const closed = once(socket, 'close')
    socket.send(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'projects/query', params: { projectId, sql: ENDLESS } }),
    )
    await untilBusy()
    assert.equal(await stop(server.child), 0)
    assert.equal(JSON.parse(String((await answered)[0])).error.data.class, 'QUERY_TIMEOUT')
    assert.equal((await closed)[0], 1001)
  })

  it('frees its ports', async () => {
    await start()
    await fetch(`${server.url}/live`)
    assert.equal(await stop(server.child), 0)
    await assert.rejects(fetch(`${server.url}/live`))
    await assert.rejects(fetch(server.metricsUrl))
  })

  async function assertNobodyLeft(): Promise<void> {
    if (process.platform !== 'linux') return
    const engine = join(scratch.path, 'foldgate-data', 'engine')
    await until(async () => {
      const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
      const at = await Promise.all(pids.map(pid => readlink(`/proc/${pid}/cwd`).catch(() => '')))
      return !at.some(path => path.startsWith(engine))
    }, 'the end of every engine process')
  }
})
