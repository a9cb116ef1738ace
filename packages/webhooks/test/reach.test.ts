import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { removeWebhook, testWebhook } from '#webhooks/webhooks.js'
import { until } from '../../../test/until.js'
import { Deliveries } from './deliveries.js'
import { TestReceiver } from './receiver.js'

describe('a delivery to a webhook', () => {
  const given = new Deliveries()

  it('follows no redirect', async () => {
    const inside = new TestReceiver()
    const location = await inside.listen()
    await given.happen()
    for (const status of [301, 302, 303, 307, 308]) {
      given.receiver.answerWith(status, { location })
      await given.deliver()
      const { outcome, nextAt } = await given.last()
      assert.equal(outcome, `answered ${status}: redirects are not followed`)
      given.control.now = nextAt ?? 0
    }
    assert.equal(given.receiver.received.length, 5)
    assert.deepEqual(inside.received, [])
    await inside.close()
  })

  it('reaches no name that resolves to an internal address, even beside others, and does not tell which', async () => {
    const { port } = new URL(given.webhook.url)
    const asked: string[] = []
    const found: Record<string, string[]> = {
      'inside.example': ['127.0.0.1'],
      'mixed.example': ['1.1.1.1', '10.0.0.7'],
      'mapped.example': ['::ffff:127.0.0.1'],
    }
    const resolve = async (host: string) => {
      asked.push(host)
      return found[host] ?? Promise.reject(new Error('not there'))
    }
    for (const host of [...Object.keys(found), 'none.example']) {
      const { id } = await given.add(`https://${host}:${port}/`)
      await testWebhook(given.control.store, id)
      await given.deliver(given.worker({ allowed: [], resolve }))
      const expected =
        host === 'none.example'
          ? 'the host name of the receiver has no address'
          : 'webhooks may not reach the address of the receiver'
      const { outcome, state } = await given.last(id)
      assert.deepEqual([outcome, state], [expected, 'pending'], host)
      await removeWebhook(given.control.store, id)
    }
    assert.deepEqual(asked, [...Object.keys(found), 'none.example'])
    assert.deepEqual(given.receiver.received, [])
  })

  it('connects to the address that was checked, whatever the name means otherwise', async () => {
    const { port } = new URL(given.webhook.url)
    const { id } = await given.add(`http://rebound.invalid:${port}/there`)
    await testWebhook(given.control.store, id)
    await given.deliver(given.worker({ resolve: async () => ['127.0.0.1'] }))
    assert.equal((await given.last(id)).state, 'delivered')
    assert.equal(given.receiver.received[0]?.headers.host, `rebound.invalid:${port}`)
  })

  it('checks a literal address again before each attempt', async () => {
    await given.happen()
    await given.deliver(given.worker({ allowed: ['::1'] }))
    assert.match((await given.last()).outcome ?? '', /webhooks may not reach the address of the receiver/)
    assert.deepEqual(given.receiver.received, [])
  })

  it('fails if the receiver is silent, closes, or answers without end of its headers', async () => {
    await given.happen()
    const silent: [(response: ServerResponse) => void, RegExp][] = [
      [() => {}, /^no answer within 0\.1 s$/],
      [response => response.socket?.destroy(), /^the connection failed \(ECONNRESET\)$/],
      [response => response.socket?.write('HTTP/1.1 200 OK\r\nx: y'), /^no answer within 0\.1 s$/],
      [response => response.socket?.end('nonsense\r\n\r\n'), /^the connection failed \(HPE_INVALID_CONSTANT\)$/],
    ]
    for (const [answer, expected] of silent) {
      given.receiver.answer = answer
      await given.deliver(given.worker({ timeoutMs: 100 }))
      const { outcome, nextAt } = await given.last()
      assert.match(outcome ?? '', expected)
      given.control.now = nextAt ?? 0
    }
  })

  it('succeeds without reading the body of the answer', async () => {
    await given.happen()
    let written = 0
    let isClosed = false
    given.receiver.answer = response => {
      response.writeHead(200)
      const pour = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) written += 65_536
      }
      response.on('drain', pour).on('close', () => {
        isClosed = true
      })
      pour()
    }
    await given.deliver()
    assert.equal((await given.last()).state, 'delivered')
    await until(() => isClosed, 'the connection is closed')
    assert.ok(written < 64 * 1024 * 1024)
  })

  it('does not wait for one whose receiver is slow', async () => {
    const other = new TestReceiver()
    const { id } = await given.add(await other.listen())
    let release = () => {}
    given.receiver.answer = response => {
      release = () => response.writeHead(204).end()
    }
    const slow = given.worker()
    for (let count = 0; count < 3; count++) await given.happen()
    await slow.look()
    const delivered = async () => (await given.list(id)).filter(each => each.state === 'delivered')
    await until(async () => (await delivered()).length === 3, 'the other receiver has all')
    assert.equal(given.receiver.received.length, 1)
    given.receiver.answerWith(204)
    release()
    await slow.idle()
    assert.equal(given.receiver.received.length, 3)
    await other.close()
  })
})
