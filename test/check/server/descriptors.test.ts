import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { watchDescriptors } from '#server/serving/descriptors.js'
import { serveMetrics } from '#server/serving/metrics.js'
import { scratchFolder, start, storeOf } from '../../server/command.js'
import { metricsOf } from '../../server/metrics.js'
import { limitsIn, stop } from '../../server/server.js'
import { until } from '../../until.js'

const scratch = scratchFolder()
/** Above what a start needs, and few enough for a test to open more connections. */
const LIMIT = 430

describe('a server without descriptors', () => {
  it('says so once nearly all are open, and answers again when they are closed', async function () {
    if (process.platform !== 'linux') return this.skip()
    const limits = await limitsIn(scratch.path, { connections: 1, spares: 1 })
    const args = ['serve', '--port', '0', '--json', ...limits]
    const wrapper = ['/bin/sh', '-c', `ulimit -n ${LIMIT}; exec "$@"`, 'sh']
    const child = start(scratch.path, args, await storeOf(scratch.path, args), wrapper)
    assert.ok(child.stdout && child.stderr)
    let log = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text
    })
    const [line] = await once(createInterface(child.stdout), 'line')
    const { url } = JSON.parse(line) as { url: string }
    assert.match(log, /"level":"warn".*"what":"descriptors","msg":"descriptors: 430 files and sockets may be open/)
    const { hostname, port } = new URL(url)
    const sockets: Socket[] = []
    for (let count = 0; count < LIMIT; count++) {
      const socket = connect(Number(port), hostname).on('error', () => {})
      sockets.push(socket)
      await once(socket, 'connect')
    }
    const told = /"level":"warn".*"type":"descriptors","open":\d+,"limit":430,"msg":"\d+ of 430 descriptors are open/
    await until(() => told.test(log), 'the line')
    assert.ok(
      sockets.some(({ destroyed, readableEnded }) => destroyed || readableEnded),
      'some were closed',
    )
    for (const socket of sockets) socket.destroy()
    await until(() => /"level":"info".*"type":"descriptors"/.test(log), 'the line that there are some again')
    assert.equal((await fetch(`${url}/live`)).status, 200)
    assert.equal(await stop(child), 0)
  })

  it('counts errors of accepting that it is told, and logs one a minute', async () => {
    const metrics = await serveMetrics({ host: '127.0.0.1', port: 0 })
    const server = new EventEmitter() as Server
    const warned: string[] = []
    const log = { info() {}, warn: (_: object, message: string) => void warned.push(message), error() {} }
    const watch = watchDescriptors(server, { log, metrics, limit: null })
    const before = await metricsOf({ metricsUrl: metrics.url })
    for (const code of ['EMFILE', 'ENFILE']) assert.equal(before.get(`foldgate_accept_errors_total{code="${code}"}`), 0)
    for (const code of ['EMFILE', 'EMFILE', 'ENFILE'])
      server.emit('error', Object.assign(new Error('accept'), { code }))
    const samples = await metricsOf({ metricsUrl: metrics.url })
    assert.equal(samples.get('foldgate_accept_errors_total{code="EMFILE"}'), 2)
    assert.equal(samples.get('foldgate_accept_errors_total{code="ENFILE"}'), 1)
    assert.equal(warned.length, 1)
    assert.match(warned[0] ?? '', /^a connection could not be accepted \(EMFILE\): raise the limit on open files/)
    watch.stop()
    assert.throws(() => server.emit('error', new Error('unheard')))
    await metrics.close()
  })
})
