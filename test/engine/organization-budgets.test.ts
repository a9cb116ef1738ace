import assert from 'node:assert/strict'
import { memoryBudget } from 'foldgate'
import { TestClock } from '../service/ports.js'
import { FOREIGN_PROJECT, KEYS, PROJECT, type Service, startService } from '../service/service.js'
import { VENDOR } from '../service/vendors.js'
import { until } from '../until.js'

const TABLE = VENDOR.table.name
const HOUR_MS = 3_600_000
const endless = (more: number) => `SELECT count(*) FROM range(100000000000000) a(i) WHERE hash(i) = 0 AND i > ${more}`

describe('the budget of an organization', () => {
  const clock = new TestClock()
  let service: Service
  const spent: unknown[] = []
  let engineMs = 0
  const spentMs = () => engineMs

  before(async () => {
    const counted = memoryBudget({ callsAtOnce: 2, engineMs: 200, exportRows: 3, windowMs: HOUR_MS, clock })
    const budget = {
      of: counted.of,
      spend: (organization: string, taken: Parameters<typeof counted.spend>[1]) => {
        spent.push([organization, taken.exportRows])
        engineMs += taken.engineMs
        return counted.spend(organization, taken)
      },
    }
    service = await startService({ engine: { connections: 2 }, budget, limits: { queryTimeoutMs: 300 } })
    await service.seal(FOREIGN_PROJECT)
  })
  after(() => service.close())
  beforeEach(() => {
    clock.advance(HOUR_MS)
    engineMs = 0
  })

  const query = (sql: string, projectId = PROJECT, key?: string) =>
    service.call('projects/query', { projectId, sql }, key)
  const exported = () => service.call('projects/export', { projectId: PROJECT, sql: `SELECT 1 FROM ${TABLE} LIMIT 3` })

  it('lets as many statements run at once, of a flood no more, and others go on', async () => {
    const flood = Array.from({ length: 12 }, (_, at) => query(endless(at)))
    const other = query('SELECT 1 AS one', FOREIGN_PROJECT, KEYS.south)
    assert.deepEqual((await other).body.result?.items, [{ one: 1 }])
    const answers = await Promise.all(flood)
    const classes = answers.map(({ body }) => body.class)
    assert.equal(classes.filter(each => each === 'QUERY_TIMEOUT').length, 2)
    const refused = answers.filter(({ status }) => status === 503)
    assert.equal(refused.length, 10)
    assert.equal(
      refused[0]?.body.message,
      '2 statements over the projects of this organization run already. Wait for one to end.',
    )
    assert.equal(refused[0]?.headers.get('retry-after'), '1')
    clock.advance(HOUR_MS) // what ran has used the budget of its window
    assert.equal((await query('SELECT 1 AS one')).status, 200)
  })

  it('counts the time of the engine, also of statements that are stopped, until the window ends', async () => {
    for (let most = 300; spentMs() < 200; most++) assert.equal((await query(endless(most))).body.class, 'QUERY_TIMEOUT')
    const { status, headers, body } = await query('SELECT 1 AS one')
    assert.deepEqual([status, body.class], [429, 'RATE_LIMITED'])
    assert.equal(
      body.message,
      "The calls over the projects of this organization have together used their 0.2 seconds of the engine's time in " +
        '3600 seconds. Retry in 3600 s.',
    )
    assert.equal(headers.get('retry-after'), '3600')
    assert.equal((await query('SELECT 1 AS one', FOREIGN_PROJECT, KEYS.south)).status, 200)
    assert.equal((await service.call('projects/describe', { projectId: PROJECT })).status, 200, 'no statement')
    clock.advance(HOUR_MS)
    assert.equal((await query('SELECT 1 AS one')).status, 200)
  })

  it('counts what callers share for those who stay, and what goes on after callers have left', async () => {
    const call = (signal: AbortSignal) =>
      service.api.call(
        'projects/query',
        { projectId: PROJECT, sql: endless(200) },
        { authorization: `Bearer ${KEYS.north}`, signal },
      )
    const [leaving, staying] = [new AbortController(), new AbortController()]
    const both = [leaving, staying].map(({ signal }) => call(signal).catch(error => error))
    const sharing = () => service.api.running().filter(({ pid, processorMs }) => pid !== null && processorMs > 0)
    await until(() => sharing().length === 2, 'both are told the process that they share')
    const [{ processorMs: before = 0 } = {}] = sharing()
    leaving.abort()
    await both[0]
    await until(() => !sharing().some(({ processorMs }) => processorMs < before + 20), 'the other one goes on')
    staying.abort()
    await both[1]
    const of = service.usage.slice(-2).map(({ processorMs }) => processorMs)
    assert.ok(
      of.every(ms => ms > 0),
      `each has a part: ${of}`,
    )
    await until(() => spentMs() >= before + 20, 'what the process took is spent')
  })

  it('counts the rows of files, and then refuses files alone', async () => {
    assert.equal((await exported()).status, 200)
    assert.deepEqual(spent.at(-1), ['north', 3])
    const { body } = await exported()
    assert.equal(body.class, 'RATE_LIMITED')
    assert.match(body.message ?? '', /used their 3 exported rows in 3600 seconds/)
    assert.equal((await query('SELECT 2 AS two')).status, 200)
  })

  it('that cannot be told lets no statement run, and that cannot be kept fails none', async () => {
    let isAway = false
    const failing = await startService({
      budget: {
        of: async () => {
          if (isAway) throw new Error('the store is away')
          const taken = { engineMs: 0, exportRows: 0, exportBytes: 0 }
          return { limits: {}, taken, windowMs: 1, resetMs: 1 }
        },
        spend: async () => {
          throw new Error('the store cannot be written')
        },
      },
    })
    try {
      const causes = () =>
        failing.events.flatMap(event => (event.type === 'dependency' && event.port === 'budget' ? event.cause : []))
      const params = { projectId: PROJECT, sql: `SELECT count(*) AS n FROM ${TABLE}` }
      assert.equal((await failing.call('projects/export', params)).status, 200)
      assert.match(String(await until(() => causes()[0], 'the failure is told')), /cannot be written/)
      isAway = true
      const { body } = await failing.call('projects/query', params)
      assert.equal(body.class, 'UNAVAILABLE')
      assert.match(String(causes().at(-1)), /the store is away/)
    } finally {
      await failing.close()
    }
  })
})

describe('a budget in memory', () => {
  it('refuses what is no budget', () => {
    assert.throws(() => memoryBudget({ windowMs: 0 }), /budget: windowMs must be a whole number above 0/)
    assert.throws(() => memoryBudget({ windowMs: 1, engineMs: 1.5 }), /budget: engineMs/)
    assert.throws(() => memoryBudget({ windowMs: 1, rows: 1 } as never), TypeError)
  })
})
