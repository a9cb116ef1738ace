import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import type { StoredExport } from 'foldgate'
import { KEYS, PROJECT, type Service, startService } from '../service/service.js'

describe('a storage whose stream ends early', () => {
  it('cuts the connection, so that the client notices the short file', async () => {
    const bytes = new Uint8Array(100_000)
    const service = await startService({
      exports: {
        put: async () => {},
        open: async () => ({
          bytes: bytes.length * 2,
          body: () =>
            new ReadableStream({
              pull: controller => {
                controller.enqueue(bytes)
                controller.close()
              },
            }),
        }),
      },
    })
    try {
      const { body } = await service.call('projects/export', { projectId: PROJECT, sql: 'SELECT 1' })
      const response = await fetch(body.result?.url as string, { headers: { authorization: `Bearer ${KEYS.north}` } })
      await assert.rejects(response.arrayBuffer())
    } finally {
      await service.close()
    }
  })
})

describe('a storage that does not start to send a file', () => {
  const down = new Error('secret detail of the storage')
  const cancelled: unknown[] = []
  const hanging = () =>
    new ReadableStream<Uint8Array>({
      pull: () => new Promise(() => {}),
      cancel: reason => void cancelled.push(reason),
    })
  let body: StoredExport['body'] = hanging
  let service: Service
  before(async () => {
    service = await startService({
      limits: { dependencyTimeoutMs: 1500 },
      exports: { put: async () => {}, open: async () => ({ bytes: 5, body: () => body() }) },
    })
  })
  beforeEach(() => {
    cancelled.length = 0
    service.events.length = 0
  })
  after(() => service.close())

  const told = () => service.events.filter(event => event.type === 'dependency')
  async function download(signal?: AbortSignal): Promise<Response> {
    const { body } = await service.call('projects/export', { projectId: PROJECT, sql: 'SELECT 1' })
    const headers = { authorization: `Bearer ${KEYS.north}` }
    return fetch(body.result?.url as string, { headers, signal: signal ?? null })
  }

  const broken: Record<string, StoredExport['body']> = {
    'throws at once': () => {
      throw down
    },
    'fails before the first byte': () => new ReadableStream({ pull: () => Promise.reject(down) }),
    'answers nonsense': () => 42 as never,
    hangs: hanging,
  }
  for (const [name, begin] of Object.entries(broken))
    it(`that ${name} is UNAVAILABLE; only the host gets the cause`, async () => {
      body = begin
      const response = await download()
      const text = await response.text()
      assert.deepEqual([response.status, JSON.parse(text).class], [503, 'UNAVAILABLE'])
      assert.ok(!text.includes('secret'))
      assert.deepEqual(
        told().map(event => event.port),
        ['exports'],
      )
      assert.equal(cancelled.length, name === 'hangs' ? 1 : 0)
    })

  it('is cancelled when the client disconnects, and is not reported as faulty', async () => {
    const client = new AbortController()
    const begun = new Promise<void>(resolve => {
      body = () => {
        resolve()
        return hanging()
      }
    })
    const leaving = assert.rejects(download(client.signal), /left/)
    await begun
    client.abort(new Error('left'))
    await leaving
    while (cancelled.length === 0) await setImmediate()
    assert.deepEqual(told(), [])
  })
})
