import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import {
  FOREIGN_PROJECT,
  KEYS,
  OTHER_PROJECT,
  PROJECT,
  type Service,
  type ServiceOptions,
  startService,
} from '../service/service.js'
import { until } from '../until.js'

/** Runs for hours, but can be interrupted. Each statement is unique, since identical calls would run once. */
const ENDLESS = () => `SELECT count(*) FROM range(100000000000000) a(i) WHERE hash(i) = 0 -- ${++asked}`
/** Backtracks for hours within one call of the engine, which ignores interrupts. */
const DEAF = () => `SELECT repeat(repeat('a', 1000), 1000) ILIKE '%a%a%b' AS found -- ${++asked}`
/** Runs long enough for other calls to arrive. */
const LONG = (rows = 80_000_000) => `SELECT count(*) AS n FROM range(${rows}) t(i) WHERE hash(i) = ${++asked}`
let asked = 0
/** A statement whose result is not cached. */
const fresh = () => `SELECT 1 AS one -- ${++asked}`

/** Starts a service with two projects of one organization and one of another. */
async function openService(options: ServiceOptions): Promise<Service> {
  const service = await startService(options)
  await service.seal(FOREIGN_PROJECT)
  return service
}

const KEY_OF = new Map([[FOREIGN_PROJECT, KEYS.south]])

function query(service: Service, projectId: string, sql = fresh()) {
  return service.call('projects/query', { projectId, sql }, KEY_OF.get(projectId) ?? KEYS.north)
}

describe('a connection', () => {
  let service: Service
  before(async () => {
    service = await openService({
      engine: { connections: 2, spares: 2 },
      limits: { connectionWaitMs: 400, queryTimeoutMs: 3_000 },
    })
    for (const projectId of [PROJECT, OTHER_PROJECT, FOREIGN_PROJECT]) await query(service, projectId)
    await until(() => service.api.pids().length === 4, 'each organization has a process, and two are spare')
  })
  after(() => service.close())
  afterEach(() => until(() => service.api.stats().busy === 0, 'no connection is busy'))

  for (const [name, projectId] of [
    ['another project', OTHER_PROJECT],
    ['another organization', FOREIGN_PROJECT],
  ] as const) {
    it(`is available to ${name} while one project uses all of them, and nothing is stopped for it`, async () => {
      const held = [query(service, PROJECT, ENDLESS()), query(service, PROJECT, ENDLESS())]
      await until(() => service.api.stats().busy === 2, 'both are at work')
      const { body } = await query(service, projectId)
      assert.deepEqual(body.result?.items, [{ one: 1 }], body.message)
      assert.equal(service.api.stats().busy, 2)
      const own = await query(service, PROJECT)
      assert.equal(own.body.class, 'UNAVAILABLE')
      for (const answer of await Promise.all(held)) assert.equal(answer.body.class, 'QUERY_TIMEOUT')
    })
  }

  it('is available to another organization while the projects of one use all of them', async () => {
    const held = [query(service, PROJECT, ENDLESS()), query(service, OTHER_PROJECT, ENDLESS())]
    await until(() => service.api.stats().busy === 2, 'both are at work')
    const other = await query(service, FOREIGN_PROJECT)
    assert.deepEqual(other.body.result?.items, [{ one: 1 }], other.body.message)
    for (const answer of await Promise.all(held)) assert.equal(answer.body.class, 'QUERY_TIMEOUT')
  })

  it('counts for its project until its process has ended', async () => {
    const held = [query(service, PROJECT, DEAF()), query(service, PROJECT, DEAF())]
    for (const answer of await Promise.all(held)) assert.equal(answer.body.class, 'QUERY_TIMEOUT')
    assert.equal(service.api.stats().busy, 2, 'their processes have not reacted to the interrupt')
    const [own, other] = await Promise.all([query(service, PROJECT), query(service, FOREIGN_PROJECT)])
    assert.equal(own.body.class, 'UNAVAILABLE')
    assert.deepEqual(other.body.result?.items, [{ one: 1 }])
  })
})

describe('the queue for connections', () => {
  let service: Service
  before(async () => {
    service = await openService({ engine: { connections: 1 } })
    for (const projectId of [PROJECT, OTHER_PROJECT, FOREIGN_PROJECT]) await query(service, projectId)
  })
  after(() => service.close())

  it('serves organizations round-robin, and the projects of each round-robin', async () => {
    const held = query(service, PROJECT, LONG(200_000_000))
    await until(() => service.api.stats().busy === 1, 'it is at work')
    const order: string[] = []
    const waiting: Promise<unknown>[] = []
    for (const [name, projectId] of [
      ['first', PROJECT],
      ['second', PROJECT],
      ['third', PROJECT],
      ['sister', OTHER_PROJECT],
      ['other', FOREIGN_PROJECT],
    ] as const) {
      const before = service.api.stats().waiting
      waiting.push(query(service, projectId).then(({ status }) => order.push(`${name} ${status}`)))
      await until(() => service.api.stats().waiting > before, 'it waits')
    }
    await Promise.all([held, ...waiting])
    assert.deepEqual(order, ['first 200', 'other 200', 'sister 200', 'second 200', 'third 200'])
  })
})

/** The processor time that a process has used, in clock ticks. */
function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return Number(fields[11])
}

/** The one of these processes that is using processor time. */
async function busiest(pids: readonly number[]): Promise<number> {
  const before = pids.map(ticksOf)
  return until(() => pids.find((pid, index) => ticksOf(pid) > (before[index] ?? 0) + 5), 'one of them works')
}

describe('an engine process', () => {
  it('serves one organization only, and is reused for it', async function () {
    if (!existsSync('/proc/self/stat')) return this.skip() // only /proc shows which process is busy
    const service = await openService({ engine: { connections: 2, residents: 8 } })
    try {
      /** The processes that ran statements, by organization. */
      const served = new Map<string, Set<number>>()
      for (let round = 0; round < 3; round++) {
        for (const [organization, projectId] of [
          ['north', PROJECT],
          ['south', FOREIGN_PROJECT],
        ] as const) {
          const call = query(service, projectId, LONG(150_000_000))
          await until(() => service.api.stats().busy === 1, 'it is at work')
          const pid = await busiest(service.api.pids())
          served.set(organization, (served.get(organization) ?? new Set()).add(pid))
          assert.equal((await call).status, 200)
        }
      }
      const [north, south] = [[...(served.get('north') ?? [])], [...(served.get('south') ?? [])]]
      assert.equal(north.length, 1, 'its process was reused')
      assert.equal(south.length, 1, 'its process was reused')
      assert.notEqual(north[0], south[0])
    } finally {
      await service.close()
    }
  }).timeout(60_000)

  it('makes way for another organization when no further process may be kept', async () => {
    const service = await openService({ engine: { connections: 1, residents: 1 } })
    try {
      const seen = new Set<number>()
      for (let round = 0; round < 4; round++) {
        for (const projectId of [PROJECT, FOREIGN_PROJECT]) {
          assert.equal((await query(service, projectId)).status, 200)
          for (const pid of service.api.pids()) seen.add(pid)
          assert.ok(service.api.pids().length <= 2, `${service.api.pids().length} processes`)
        }
      }
      assert.deepEqual(
        service.events.filter(event => event.type === 'engine' && event.what !== 'started'),
        [],
      )
      assert.ok(seen.size >= 7, `${seen.size} processes served eight calls of two organizations in turn`)
    } finally {
      await service.close()
    }
  }).timeout(60_000)
})

describe('a service that is closed', () => {
  it('answers waiting and running calls with UNAVAILABLE at once', async () => {
    const service = await startService({ engine: { connections: 1 } })
    try {
      const ask = (sql: string) => service.api.call('projects/query', { projectId: PROJECT, sql }, { authorization })
      const authorization = `Bearer ${KEYS.north}`
      const atWork = assert.rejects(ask(ENDLESS()), { class: 'UNAVAILABLE' })
      await until(() => service.api.stats().busy > 0, 'it is at work')
      const waits = assert.rejects(ask(fresh()), { class: 'UNAVAILABLE' })
      await until(() => service.api.stats().waiting > 0, 'it waits')
      const startedAt = performance.now()
      await service.api.close()
      await Promise.all([atWork, waits])
      assert.ok(performance.now() - startedAt < 2_000)
    } finally {
      await service.close()
    }
  })
})
