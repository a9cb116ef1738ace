import assert from 'node:assert/strict'
import { KEYS, PROJECT, type Service, startService } from '../service/service.js'

describe('quota', () => {
  let service: Service
  before(async () => {
    const { memoryQuota } = await import('foldgate')
    service = await startService({ quota: memoryQuota({ calls: 3, windowMs: 3_600_000 }) })
  })
  after(() => service.close())

  it('counts every call of a key, even failed ones, and answers RATE_LIMITED once it is used up', async () => {
    const remaining: (string | null)[] = []
    for (const method of ['projects/list', 'projects/none', 'projects/list']) {
      remaining.push((await service.call(method)).headers.get('ratelimit')?.match(/r=(\d+)/)?.[1] ?? null)
    }
    assert.deepEqual(remaining, ['2', '1', '0'])
    const { status, headers, body } = await service.call('projects/list')
    assert.deepEqual([status, body.code, body.class], [429, 1429, 'RATE_LIMITED'])
    assert.equal(headers.get('retry-after'), String(body.data?.retryAfterSeconds))
    assert.ok(Number(body.data?.retryAfterSeconds) > 3500)
    assert.equal((await service.call('projects/list', {}, KEYS.mate)).status, 200)
    assert.equal((await service.call('projects/list', {}, 'nobody')).status, 401)
  })
})

describe('a dependency that is down', () => {
  let service: Service
  before(async () => {
    service = await startService({ limits: { dependencyTimeoutMs: 200 } })
  })
  after(() => service.close())

  for (const [name, broken] of [
    ['throws', async () => Promise.reject(new Error('secret detail of the host'))],
    [
      'throws at once',
      () => {
        throw new Error('secret detail of the host')
      },
    ],
    ['hangs', () => new Promise<never>(() => {})],
    ['answers nonsense', async () => 42 as never],
  ] as const) {
    it(`that ${name} is UNAVAILABLE; only the host gets the cause`, async () => {
      const { host } = service
      const find = host.projectPort.find
      host.projectPort.find = broken as never
      try {
        const { status, headers, body } = await service.call('projects/describe', { projectId: PROJECT })
        assert.deepEqual([status, body.code, body.class], [503, 1503, 'UNAVAILABLE'])
        assert.match(headers.get('retry-after') ?? '', /^\d+$/)
        assert.ok(!JSON.stringify(body).includes('secret'))
        assert.ok(service.events.some(event => event.type === 'dependency' && event.port === 'projects'))
      } finally {
        host.projectPort.find = find
      }
      assert.equal((await service.call('projects/describe', { projectId: PROJECT })).status, 200)
    })
  }
})
