import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { WebSocket } from 'ws'
import { output, scratchFolder, start, storeOf } from '../../server/command.js'
import { freePort, limitsIn, stop } from '../../server/server.js'
import { until } from '../../until.js'

const ORIGIN = 'https://app.example'
const scratch = scratchFolder()

/** Keeps the processes of a server from becoming ready, until the returned function is called. */
function suspendChildren(pid: number): () => void {
  const stopped = new Set<number>()
  const look = setInterval(() => {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number)
    for (const child of children.filter(each => !stopped.has(each))) {
      // Until it has become another program, the server waits for it.
      if (readFileSync(`/proc/${child}/cmdline`, 'latin1').includes('foldgate.js')) continue
      process.kill(child, 'SIGSTOP')
      stopped.add(child)
    }
  }, 2)
  return () => {
    clearInterval(look)
    for (const child of stopped) process.kill(child, 'SIGCONT')
    stopped.clear() // one that measures ends soon
  }
}

describe('a server that starts', () => {
  it('answers calls UNAVAILABLE on every entry point, and soon after their results', async function () {
    if (!existsSync(`/proc/self/task/${process.pid}/children`)) return this.skip() // finds the engine processes
    const folder = scratch.path
    await output(folder, 'organization', 'add', 'north', '--name', 'North')
    await output(folder, 'user', 'add', 'ada@example.org', '--organization', 'north')
    const key = await output(folder, 'key', 'create', '--user', 'ada@example.org', '--organization', 'north')
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const args = ['serve', '--port', String(port), '--cors-origin', ORIGIN]
    const child = start(folder, args, await storeOf(folder, args))
    let log = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text
    })
    const resume = suspendChildren(child.pid as number)
    try {
      await until(() => fetch(`${url}/live`).catch(() => undefined), 'the server listens')
      assert.deepEqual(await (await fetch(`${url}/ready`)).json(), { status: 'notReady', notReady: ['starting'] })

      const headers = { authorization: `Bearer ${key}`, origin: ORIGIN }
      const post = (path: string, body: object) =>
        fetch(`${url}/public/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      const rest = await post('api/projects/list', {})
      assert.deepEqual([rest.status, rest.headers.get('content-type')], [503, 'application/json; charset=utf-8'])
      assert.match(rest.headers.get('retry-after') ?? '', /^\d+$/)
      assert.equal(rest.headers.get('access-control-allow-origin'), ORIGIN)
      const { class: restClass, code } = (await rest.json()) as { class: string; code: number }
      assert.deepEqual([restClass, code], ['UNAVAILABLE', 1503])

      const rpc = await post('json-rpc', { jsonrpc: '2.0', id: 'a', method: 'projects/list' })
      const { id, error } = (await rpc.json()) as { id: string; error: { data: { class: string } } }
      assert.deepEqual([rpc.status, id, error.data.class], [200, 'a', 'UNAVAILABLE'])

      const preflight = { 'access-control-request-method': 'POST', origin: ORIGIN }
      const allowed = await fetch(`${url}/public/v1/api/projects/list`, { method: 'OPTIONS', headers: preflight })
      assert.deepEqual([allowed.status, allowed.headers.get('access-control-allow-origin')], [204, ORIGIN])
      assert.equal((await fetch(`${url}/public/v1/openapi.json`)).status, 200)

      const socket = new WebSocket(`${url.replace('http', 'ws')}/public/v1/ws`, { headers })
      const [, refused] = await once(socket, 'unexpected-response')
      assert.equal(refused.statusCode, 503)
      assert.equal(JSON.parse(String(await refused.toArray())).class, 'UNAVAILABLE')
      assert.equal(log.includes('"dependency"'), false, log)

      resume()
      const answer = await until(async () => {
        const again = await post('api/projects/list', {})
        return again.status === 200 && ((await again.json()) as object)
      }, 'the server is ready')
      assert.deepEqual(answer, { result: { items: [] } })
    } finally {
      resume()
      await stop(child)
    }
  })

  it('keeps idle connections open for the limit keepAlive, by default longer than proxies', async () => {
    const folder = scratch.path
    const port = await freePort()
    const args = ['serve', '--port', String(port)]
    const environment = await storeOf(folder, args)
    const idle = async (...flags: string[]) => {
      const child = start(folder, [...args, ...flags], environment)
      await until(() => fetch(`http://127.0.0.1:${port}/live`).catch(() => undefined), 'the server listens')
      const socket = connect(port, '127.0.0.1')
      socket.write('GET /live HTTP/1.1\r\nHost: x\r\n\r\n')
      const [head] = (await once(socket, 'data')) as [Buffer]
      return { child, socket, told: /^Keep-Alive: (.*)$/im.exec(head.toString())?.[1] }
    }
    const usual = await idle()
    usual.socket.destroy()
    await stop(usual.child)
    assert.equal(usual.told, 'timeout=65')
    const short = await idle(...(await limitsIn(folder, { keepAlive: '1s' })))
    assert.equal(short.told, 'timeout=1')
    await once(short.socket, 'close') // by the server
    await stop(short.child)
  })
})
