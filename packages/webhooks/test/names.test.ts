import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { createSocket, type Socket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { resolveBy } from '#webhooks/sending/resolve.js'
import { scratchFolder } from '../../../test/server/command.js'
import { until } from '../../../test/until.js'

const NAMES = 10
const A = 1

/** A DNS server on the loopback interface, which answers what `known` has, or nothing while it is silent. */
class NameServer {
  readonly asked: string[] = []
  readonly known = new Map<string, string>()
  isSilent = false
  readonly #socket: Socket = createSocket('udp4')

  async listen(): Promise<string> {
    this.#socket.on('message', (query, { port, address }) => {
      const { name, type, question } = questionOf(query)
      this.asked.push(name)
      if (!this.isSilent) this.#socket.send(this.#answer(query, { name, type, question }), port, address)
    })
    this.#socket.bind(0, '127.0.0.1')
    await once(this.#socket, 'listening')
    return `127.0.0.1:${this.#socket.address().port}`
  }

  close(): void {
    this.#socket.close()
  }

  #answer(query: Buffer, { name, type, question }: ReturnType<typeof questionOf>): Buffer {
    const address = type === A ? this.known.get(name) : undefined
    const isKnown = this.known.has(name)
    const head = Buffer.from([0, 0, 0x81, isKnown ? 0x80 : 0x83, 0, 1, 0, address ? 1 : 0, 0, 0, 0, 0])
    query.copy(head, 0, 0, 2)
    const record = address ? [0xc0, 12, 0, A, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)] : []
    return Buffer.concat([head, question, Buffer.from(record)])
  }
}

function questionOf(query: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const name = labels.join('.').toLowerCase() // c-ares may write letters in either case
  return { name, type: query.readUInt16BE(at + 1), question: query.subarray(12, at + 5) }
}

describe('the names of receivers', () => {
  const scratch = scratchFolder()
  const { signal } = new AbortController()
  let server: NameServer
  let servers: string[]
  let files: { hostsFile: string; resolverFile: string }

  beforeEach(async () => {
    server = new NameServer()
    servers = [await server.listen()]
    files = { hostsFile: join(scratch.path, 'hosts'), resolverFile: join(scratch.path, 'resolv.conf') }
    await writeFile(files.hostsFile, '127.0.0.1 localhost\n::1 localhost\n10.1.2.3 Inside.example inside # not this\n')
    await writeFile(files.resolverFile, 'nameserver 192.0.2.1\nsearch a.example b.example\n')
  })
  afterEach(() => server.close())

  it('leave the threads to others while no DNS server answers', async () => {
    server.isSilent = true
    const begun: string[] = []
    const hook = createHook({ init: (_, type) => void begun.push(type) }).enable()
    const resolve = resolveBy(true, { servers, tryMs: 100, ...files })
    try {
      const asking = Array.from({ length: NAMES }, (_, at) => resolve(`${at}.example`, signal))
      const ended = Promise.allSettled(asking)
      await until(() => new Set(server.asked).size === NAMES, 'all names are asked for')
      assert.ok((await readFile(files.hostsFile)).byteLength > 0)
      for (const each of await ended) assert.match(String((each as PromiseRejectedResult).reason), /does not answer/)
      // A lookup of the system would run in one of four threads until the system gives up.
      assert.ok(!begun.includes('GETADDRINFOREQWRAP'))
      assert.equal((await lookup('localhost')).address.length > 0, true)
      assert.ok(begun.includes('GETADDRINFOREQWRAP'))
    } finally {
      hook.disable()
    }
  })

  it('are given up at once when they are no longer wanted', async () => {
    server.isSilent = true
    const leaving = new AbortController()
    const asking = resolveBy(true, { servers, tryMs: 60_000, ...files })('one.example', leaving.signal)
    await until(() => server.asked.length > 0, 'it is asked for')
    leaving.abort(new Error('left'))
    await assert.rejects(asking, /left/)
  })

  it('are those of the hosts file before those of DNS, if the operator allows addresses', async () => {
    server.known.set('inside.example', '1.1.1.1')
    const asSystem = resolveBy(true, { servers, ...files })
    assert.deepEqual(await asSystem('localhost', signal), ['127.0.0.1', '::1'])
    assert.deepEqual(await asSystem('INSIDE', signal), ['10.1.2.3'])
    assert.deepEqual(await asSystem('inside.example', signal), ['10.1.2.3'])
    assert.deepEqual(server.asked, [])
    await assert.rejects(asSystem('not', signal), /no address/)
    assert.deepEqual(await resolveBy(false, { servers, ...files })('inside.example', signal), ['1.1.1.1'])
  })

  it('include localhost without a hosts file', async () => {
    const missing = { hostsFile: join(scratch.path, 'none'), resolverFile: join(scratch.path, 'none') }
    assert.deepEqual(await resolveBy(true, { servers, ...missing })('localhost', signal), ['127.0.0.1', '::1'])
  })

  it('are completed by the search domains, if the operator allows addresses', async () => {
    server.known.set('hooks.b.example', '10.0.0.7')
    assert.deepEqual(await resolveBy(true, { servers, ...files })('hooks', signal), ['10.0.0.7'])
    assert.deepEqual([...new Set(server.asked)], ['hooks', 'hooks.a.example', 'hooks.b.example'])
    await assert.rejects(resolveBy(false, { servers, ...files })('hooks', signal), /no address/)
  })
})
