import assert from 'node:assert/strict'
import { request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mcpEndpoint } from 'foldgate/mcp'
import { scratchFolder } from '../../server/command.js'
import { serve, stop } from '../../server/server.js'
import { KEYS, type Service, startService } from '../../service/service.js'

const scratch = scratchFolder()

/** Sends headers as they are, which `fetch` would not. */
function send(
  server: Pick<Server, 'address'>,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> {
  const { port } = server.address() as AddressInfo
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path, method: 'POST', headers }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', part => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.on('error', reject).end(message)
  })
}

describe('the hosts of the server for agents', () => {
  const services: Service[] = []
  after(() => Promise.all(services.map(service => service.close())))

  async function mounted(options?: Parameters<typeof mcpEndpoint>[0]): Promise<Service> {
    const service = await startService({ mcp: mcpEndpoint(options) })
    services.push(service)
    return service
  }
  const headers = (host: string, origin?: string, key: string | null = KEYS.north) => ({
    host,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(origin === undefined ? {} : { origin }),
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  })

  it('are those that the host names', async () => {
    const { server } = await mounted({ origins: ['https://data.example', 'http://127.0.0.1:8080'] })
    const path = '/public/v1/mcp'
    for (const [host, origin] of [
      ['data.example'],
      ['data.example:8443'],
      ['127.0.0.1:9999'],
      ['data.example', 'https://data.example'],
      ['127.0.0.1', 'https://data.example'],
    ] as const)
      assert.equal((await send(server, path, headers(host, origin))).status, 200, `${host} ${origin}`)
    for (const [host, origin] of [
      ['evil.example'],
      ['data.example.evil.example'],
      ['sub.data.example'],
      ['evil.example', 'https://data.example'],
      ['data.example', 'https://evil.example'],
      ['data.example', 'null'],
      ['data.example', 'data.example'],
      ['data.example@evil.example'],
    ] as const)
      for (const key of [KEYS.north, null]) {
        const { status, text } = await send(server, path, headers(host, origin, key))
        assert.deepEqual([status, JSON.parse(text).class], [403, 'FORBIDDEN'], `${host} ${origin}`)
      }
    assert.equal((await send(server, path, headers('data.example', undefined, null))).status, 401)
    const other = await send(server, '/public/v1/api/projects/list', headers('evil.example', 'https://evil.example'))
    assert.notEqual(other.status, 403) // the other entry points have no such check
  })

  it('are read from the URL of a request without the header', async () => {
    const { api } = await mounted({ origins: ['https://data.example'] })
    const ask = async (url: string) => (await api.fetch(new Request(`${url}/public/v1/mcp`, { method: 'POST' }))).status
    assert.deepEqual([await ask('https://data.example'), await ask('https://evil.example')], [401, 403])
  })

  it('are any by default', async () => {
    const { server } = await mounted()
    const { status } = await send(server, '/public/v1/mcp', headers('evil.example', 'https://evil.example'))
    assert.equal(status, 200)
  })

  it('of the reference server are its base URL and localhost', async () => {
    const cases: [flags: string[], asked: [host: string, origin: string | undefined, status: number][]][] = [
      [
        [],
        [
          ['localhost', undefined, 401],
          ['localhost', 'https://evil.example', 403],
          ['evil.example', undefined, 403],
        ],
      ],
      [
        ['--base-url', 'https://data.example'],
        [
          ['data.example', 'https://data.example', 401],
          ['evil.example', undefined, 403],
        ],
      ],
    ]
    for (const [flags, asked] of cases) {
      const { url, child } = await serve(scratch.path, ...flags)
      const at = { address: () => ({ port: Number(new URL(url).port), family: 'IPv4', address: '127.0.0.1' }) }
      for (const [host, origin, expected] of asked) {
        const { status } = await send(at, '/public/v1/mcp', headers(host, origin, null)) // 401: the host is accepted
        assert.equal(status, expected, `${flags} ${host} ${origin}`)
      }
      await stop(child)
    }
  })

  it('are unknown while the entry point cannot be loaded: calls are answered INTERNAL', async () => {
    const cause = new Error('the package is missing')
    const loading = Promise.reject(cause)
    loading.catch(() => {}) // the service is given it later
    const service = await startService({ mcp: loading })
    services.push(service)
    const answer = await send(service.server, '/public/v1/mcp', headers('data.example'))
    const { class: errorClass, data } = JSON.parse(answer.text)
    assert.deepEqual([answer.status, errorClass], [500, 'INTERNAL'])
    assert.deepEqual(service.events.at(-1), { type: 'fault', reference: data.reference, cause })
    assert.equal((await service.call('projects/list')).status, 200)
  })

  it('must be origins', () => {
    for (const origin of ['data.example', 'https://data.example/mcp', '*'])
      assert.throws(() => mcpEndpoint({ origins: [origin] }), { name: 'TypeError', message: /origins/ })
  })
})
