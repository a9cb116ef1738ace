import assert from 'node:assert/strict'
import { type Client, createClient } from 'foldgate/client'
import { KEYS, PROJECT, type Service, startService } from '../../service/service.js'
import { SHOP, shop } from '../../service/shop.js'
import { type Front, startFront, TRANSPORTS } from './front.js'
import { failing } from './scripted.js'
import { trouble } from './trouble.js'

const PATH = '/public/v1/catalogue.json'

describe('the catalogue through the client', () => {
  let service: Service
  let front: Front
  before(async () => {
    service = await startService({ catalogue: shop, files: SHOP })
    front = await startFront(service.api)
  })
  after(async () => {
    front.close()
    await service.close()
  })

  for (const [name, transport] of Object.entries(TRANSPORTS))
    it(`over ${name} is what the service tells, read over HTTP`, async () => {
      const client = createClient<'treeless'>({ ...front.options, transport })
      const told = await client.catalogue()
      const headers = { authorization: `Bearer ${KEYS.north}` }
      assert.deepEqual(told, await (await fetch(front.url + PATH, { headers })).json())
      const refunds = told.relations.find(({ name }) => name === 'refunds')
      const amount = refunds?.columns?.find(({ name }) => name === 'amount')
      assert.deepEqual([amount?.unit, amount?.about], ['currency of the order', 'What was given back'])
      const { items } = await client.query({ projectId: PROJECT, sql: told.examples[0]?.sql ?? '' })
      assert.deepEqual(items[0], { month: '2025-05-01', orders: 2, paid: 165, refunded: 0, revenue: 165 })
      client.close()
    })

  it('is refused to a wrong key, and not read after the signal', async () => {
    const stranger = createClient({ ...front.options, key: 'nobody' })
    await assert.rejects(stranger.catalogue(), {
      class: 'UNAUTHENTICATED',
      code: 1401,
      method: 'catalogue',
      attempts: 1,
    })
    const why = new Error('enough')
    await assert.rejects(createClient(front.options).catalogue({ signal: AbortSignal.abort(why) }), why)
  })
})

describe('the catalogue through the client when calls fail', () => {
  const { service, waitsMs, clientOf } = trouble()
  const EMPTY = { body: { relations: [], examples: [] } }
  let client: Client
  before(() => {
    client = clientOf({})
  })

  it('retries as calls do, with the key and nothing else', async () => {
    service.says(failing('UNAVAILABLE'), failing('RATE_LIMITED', { retryAfterSeconds: 20 }), EMPTY)
    assert.deepEqual(await client.catalogue(), { relations: [], examples: [] })
    assert.deepEqual(
      service.asked.map(({ path, body }) => [path, body]),
      Array(3).fill([PATH, '']),
    )
    assert.ok(service.asked.every(({ authorization }) => authorization?.startsWith('Bearer ')))
    assert.equal(waitsMs.length, 2)
    service.says(failing('INTERNAL', { reference: 'x' }), EMPTY)
    await assert.rejects(client.catalogue(), { class: 'INTERNAL', attempts: 1, data: { reference: 'x' } })
  })

  it('says that something else answered', async () => {
    for (const body of ['<html>', { relations: [] }, { result: {} }, []]) {
      service.says({ body })
      await assert.rejects(client.catalogue(), /^AnalyticsConnectionError: What answered catalogue \(HTTP 200\) is not/)
    }
    service.says({ status: 404, body: { class: 'METHOD_NOT_FOUND', code: -32601, message: 'No.' } })
    await assert.rejects(client.catalogue(), { class: 'METHOD_NOT_FOUND', method: 'catalogue' })
  })
})
