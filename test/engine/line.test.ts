import assert from 'node:assert/strict'
import { KEYS, OTHER_PROJECT, PROJECT, type Service, startService } from '../service/service.js'

let asked = 0
/** A statement that nothing has answered yet. */
const fresh = () => `SELECT 1 AS one -- ${++asked}`
/** Takes long enough for others to come. */
const LONG = () => `SELECT count(*) AS n FROM range(300000000) t(i) WHERE hash(i) = ${++asked}`

describe('the line before the connections', () => {
  let service: Service
  before(async () => {
    service = await startService({ engine: { connections: 1 } })
    await query(PROJECT)
  })
  after(() => service.close())

  const query = (projectId: string, sql = fresh()) => service.call('projects/query', { projectId, sql })

  /** Asks, and gives the call back once it stands in line. */
  async function queue(projectId: string, sql?: string) {
    const { busy, waiting } = service.api.stats()
    const call = query(projectId, sql)
    const stands = () => service.api.stats().busy + service.api.stats().waiting > busy + waiting
    while (!stands()) await new Promise(setImmediate)
    return { call }
  }

  it('is passed by calls for the project that the process knows already', async () => {
    const { call: long } = await queue(PROJECT, LONG())
    const order: string[] = []
    const calls = []
    for (const [name, projectId] of [
      ['other', OTHER_PROJECT],
      ['first', PROJECT],
      ['second', PROJECT],
    ] as const) {
      const { call } = await queue(projectId)
      calls.push(call.then(() => order.push(name)))
    }
    await Promise.all([long, ...calls])
    assert.deepEqual(order, ['first', 'second', 'other'])
  })

  it('does not let one project starve another that has come first', async () => {
    let over = false
    const crowd = Array.from({ length: 8 }, async () => {
      let answered = 0
      for (; !over; answered++) await query(PROJECT)
      return answered
    })
    for (let call = 0; call < 3; call++) {
      const startedAt = performance.now()
      const { body } = await query(OTHER_PROJECT)
      assert.deepEqual(body.result?.items, [{ one: 1 }])
      assert.ok(performance.now() - startedAt < 2_000)
    }
    over = true
    for (const answered of await Promise.all(crowd)) assert.ok(answered > 0)
  })
})

describe('a service that is closed', () => {
  it('answers at once who waits and who is at work that it cannot', async () => {
    const service = await startService({ engine: { connections: 1 } })
    try {
      const ask = (sql: string) => service.api.call('projects/query', { projectId: PROJECT, sql }, { authorization })
      const authorization = `Bearer ${KEYS.north}`
      const atWork = assert.rejects(ask(LONG()), { class: 'UNAVAILABLE' })
      while (service.api.stats().busy === 0) await new Promise(setImmediate)
      const waits = assert.rejects(ask(fresh()), { class: 'UNAVAILABLE' })
      while (service.api.stats().waiting === 0) await new Promise(setImmediate)
      const startedAt = performance.now()
      await service.api.close()
      await Promise.all([atWork, waits])
      assert.ok(performance.now() - startedAt < 2_000)
    } finally {
      await service.close()
    }
  })
})
