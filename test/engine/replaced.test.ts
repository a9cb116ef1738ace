import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { AnalyticsEvent } from 'foldgate'
import { KEYS, PROJECT, type Service, startService } from '../service/service.js'
import { until } from '../until.js'

const MIB = 1024 ** 2
const LIMIT_BYTES = 512 * MIB
let asked = 0

function query(service: Service, sql: string) {
  return service.call('projects/query', { projectId: PROJECT, sql: `${sql} -- ${++asked}` }, KEYS.north)
}

type Replaced = Extract<AnalyticsEvent, { what: 'replaced' }>

async function replacedIn(service: Service): Promise<Replaced> {
  return until(
    () => service.events.find(event => event.type === 'engine' && event.what === 'replaced') as Replaced | undefined,
    'a process is replaced',
  )
}

/** A field of a process's status, in bytes. */
function statusOf(pid: number, field: string): number {
  return (
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
  )
}

describe('an engine process that is replaced', () => {
  let service: Service
  beforeEach(async () => {
    service = await startService({
      engine: { connections: 1, memoryLimitBytes: LIMIT_BYTES },
      limits: { queryTimeoutMs: 1_000 },
    })
  })
  afterEach(() => service.close())

  it('is reported with its reason: a statement reached the memory limit', async () => {
    const { body } = await query(service, 'SELECT len(range(1000000000)) AS n')
    assert.equal(body.class, 'QUERY_TOO_LARGE', body.message)
    const { reason, limitBytes } = await replacedIn(service)
    assert.deepEqual([reason, limitBytes], ['memory-limit', LIMIT_BYTES])
  })

  it('is reported with its reason: a statement ignored the interrupt at its deadline', async () => {
    const deaf = "SELECT repeat(repeat('a', 1000), 1000) ILIKE '%a%a%b' AS found"
    assert.equal((await query(service, deaf)).body.class, 'QUERY_TIMEOUT')
    assert.equal((await replacedIn(service)).reason, 'deadline')
  })

  it('is reported with its reason: it ended by itself', async () => {
    assert.equal((await query(service, 'SELECT 1')).status, 200)
    for (const pid of service.api.pids()) process.kill(pid, 'SIGBUS')
    assert.equal((await replacedIn(service)).reason, 'crash')
    assert.ok(service.events.some(event => event.type === 'engine' && event.what === 'died'))
  })
})

describe('engine processes that serve statements without a fault', () => {
  it('are not replaced, and give back what large statements needed', async function () {
    if (process.platform !== 'linux') this.skip()
    const service = await startService({ engine: { connections: 1, memoryLimitBytes: LIMIT_BYTES } })
    try {
      for (let call = 0; call < 50; call++) assert.equal((await query(service, 'SELECT 1')).status, 200)
      const sizes = service.api.pids().map(each => [statusOf(each, 'VmData'), each] as const)
      const pid = sizes.sort(([a], [b]) => b - a)[0]?.[1] as number // the one that has run statements
      const before = statusOf(pid, 'VmData')
      for (const sql of [
        "SELECT length(repeat('x', 150000000)) AS n",
        "SELECT count(*) AS n FROM (SELECT string_agg(i::VARCHAR, ',') AS s FROM range(2000000) t(i))",
        'SELECT count(DISTINCT hash(i)) AS n FROM range(2000000) t(i)',
      ]) {
        const { status, body } = await query(service, sql)
        assert.equal(status, 200, body.message)
        const held = () => statusOf(pid, 'VmData') - before
        await until(() => held() < 100 * MIB, `the process holds ${Math.round(held() / MIB)} MiB after ${sql}`)
      }
      assert.equal(service.api.stats().restarts, 0)
    } finally {
      await service.close()
    }
  })
})

describe('the memory limit of an engine process', () => {
  it('counts from what Node maps by itself, on every version', async function () {
    if (process.platform !== 'linux') this.skip()
    const service = await startService({ engine: { connections: 1, memoryLimitBytes: LIMIT_BYTES } })
    try {
      for (const pid of service.api.pids()) {
        const limits = readFileSync(`/proc/${pid}/limits`, 'utf8')
        const cap = Number(/^Max data size\s+(\d+)/m.exec(limits)?.[1])
        const free = cap - statusOf(pid, 'VmData')
        // The engine itself takes some of the limit: its library, its threads and an empty instance.
        assert.ok(free > LIMIT_BYTES - 100 * MIB && free <= LIMIT_BYTES, `${Math.round(free / MIB)} MiB are free`)
      }
    } finally {
      await service.close()
    }
  })
})
