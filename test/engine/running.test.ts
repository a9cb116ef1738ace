import assert from 'node:assert/strict'
import type { AnalyticsEvent, RunningCall } from 'foldgate'
import { KEYS, PROJECT, type Service, startService } from '../service/service.js'
import { VENDOR } from '../service/vendors.js'
import { until } from '../until.js'

const TABLE = VENDOR.table.name
const ENDLESS = `SELECT count(*) FROM range(100000000000000) a(i), ${TABLE} WHERE hash(i) = 0`

type CallEvent = Extract<AnalyticsEvent, { type: 'call' }>

describe('running calls', () => {
  let service: Service
  before(async () => {
    service = await startService({ engine: { connections: 2 }, slowMs: 0 })
  })
  after(() => service.close())

  const query = (sql: string, key?: string) => service.call('projects/query', { projectId: PROJECT, sql }, key)
  const calls = () => service.events.filter((event): event is CallEvent => event.type === 'call')
  const runs = (found: RunningCall) => found.phase === 'query' && found.pid !== null
  const theRunning = () => until(() => service.api.running().find(runs), 'a statement runs')

  it('are told with whose they are, what they read, and what they have taken so far', async () => {
    const asked = Date.now()
    const ended = query(ENDLESS)
    const found = await theRunning()
    const { method, keyId, ownerId, organization, projectId, relations, bytes, rows } = found
    assert.deepEqual(
      { method, keyId, ownerId, organization, projectId, relations, bytes, rows },
      {
        ...{ method: 'projects/query', keyId: 'k-north', ownerId: 'ada', organization: 'north' },
        ...{ projectId: PROJECT, relations: [TABLE], bytes: 0, rows: null },
      },
    )
    const [latest] = await service.snapshots.list(PROJECT, new AbortController().signal)
    assert.equal(found.snapshotId, latest)
    assert.ok(service.api.pids().includes(found.pid ?? 0))
    assert.ok(Math.abs(Date.parse(found.since) - service.clock.now()) < 60_000 && asked > 0)
    const later = await until(() => service.api.running().find(each => each.processorMs >= 50), 'it takes time')
    assert.ok(later.runningMs >= found.runningMs)
    assert.equal(service.api.cancel({ callId: found.callId }), 1)
    const { status, body } = await ended
    assert.deepEqual([status, body.class], [503, 'UNAVAILABLE'])
    assert.equal(body.message, 'The operator of the service has ended the call.')
    assert.deepEqual(service.api.running(), [])
    const event = calls().at(-1)
    assert.deepEqual([event?.callId, event?.outcome], [found.callId, 'UNAVAILABLE'])
    assert.ok((event?.processorMs ?? 0) >= 50, 'what it took until then counts')
    // A process whose engine has one thread took 50 ms of a processor, in steps of 10 and with threads of its own.
    assert.ok((event?.phasesMs.query ?? 0) >= 20, 'and how long it ran')
    assert.ok(Object.values(event?.phasesMs ?? {}).reduce((sum, ms) => sum + ms, 0) <= (event?.durationMs ?? 0) + 1)
  })

  it('end alone, by their keys, and as those of keys that are revoked', async () => {
    const ended = query(ENDLESS)
    const other = query(`${ENDLESS} AND i > 0`, KEYS.mate)
    await until(() => service.api.running().filter(runs).length === 2, 'both run')
    assert.equal(service.api.cancel({ keyId: 'k-north', organization: 'south' }), 0, 'each member must match')
    assert.equal(service.api.cancel({ keyId: 'k-north' }, { revoked: true }), 1)
    const { status, body } = await ended
    assert.deepEqual([status, body.class], [401, 'UNAUTHENTICATED'])
    assert.equal(body.message, 'The API key was revoked or has expired while the call ran.')
    assert.deepEqual(
      service.api.running().map(({ keyId }) => keyId),
      ['k-mate'],
    )
    assert.equal(service.api.cancel({ projectId: PROJECT }), 1)
    assert.equal((await other).status, 503)
    assert.deepEqual((await query('SELECT 1 AS one')).body.result?.items, [{ one: 1 }], 'the engine goes on')
  })

  it('end also while their quota is asked for', async () => {
    let take = () => {}
    const asked = new Promise<void>(resolve => {
      take = resolve
    })
    const waiting = await startService({
      engine: { connections: 1 },
      quota: {
        take: async () => {
          waiting.api.cancel({ keyId: 'k-north' }, { revoked: true })
          take()
          return { allowed: true, limit: 9, remaining: 9, windowMs: 1, resetMs: 1 }
        },
      },
    })
    try {
      const { body } = await waiting.call('projects/query', { projectId: PROJECT, sql: 'SELECT 1 AS one' })
      await asked
      assert.equal(body.class, 'UNAUTHENTICATED')
      assert.deepEqual(waiting.api.running(), [])
    } finally {
      await waiting.close()
    }
  })

  it('are not ended by a filter that means none, or all', () => {
    assert.throws(() => service.api.cancel({}), /cancel: name the calls by one of callId, keyId/)
    assert.throws(() => service.api.cancel({ keyId: undefined } as never), TypeError)
    assert.throws(() => service.api.cancel({ key: 'k-north' } as never), /key/)
  })

  it('of exports have the rows and bytes of their file so far', async () => {
    const sql = `SELECT i, i * 7 AS n FROM range(40000000) a(i), (SELECT 1 FROM ${TABLE} LIMIT 1)`
    const exporting = service.call('projects/export', { projectId: PROJECT, sql, format: 'ndjson' })
    const found = await until(() => service.api.running().find(each => (each.rows ?? 0) > 0), 'rows are told')
    assert.ok(found.bytes > 10 * (found.rows ?? 0), `${found.bytes} bytes of ${found.rows} rows`)
    service.api.cancel({ callId: found.callId })
    assert.equal((await exporting).status, 503)
  })

  it('and their usage name the file of an export, as its downloads do', async () => {
    const { body } = await service.call('projects/export', { projectId: PROJECT, sql: `SELECT * FROM ${TABLE}` })
    const file = await fetch(body.result?.url ?? '', { headers: { authorization: `Bearer ${KEYS.north}` } })
    await file.arrayBuffer()
    const [exported, downloaded] = service.usage.slice(-2)
    assert.deepEqual([exported?.method, downloaded?.method], ['projects/export', 'download'])
    assert.match(exported?.exportId ?? '', /^[0-9a-f-]{36}$/)
    assert.equal(downloaded?.exportId, exported?.exportId)
    const { callId, ownerId, projectId, relations, snapshotId } = exported ?? {}
    const event = calls().find(each => each.callId === callId)
    assert.deepEqual(
      { ownerId, projectId, relations, snapshotId },
      {
        ...{ ownerId: 'ada', projectId: PROJECT, relations: [TABLE] },
        snapshotId: event?.snapshotId,
      },
    )
    assert.equal(exported?.durationMs, event?.durationMs)
  })

  it('that are refused are told by the methods that they name', async () => {
    const rpc = { jsonrpc: '2.0', id: 1, method: 'projects/describe', params: { projectId: PROJECT } }
    await fetch(`${service.url}/public/v1/json-rpc`, { method: 'POST', body: JSON.stringify(rpc) })
    await service.call('projects/export', {}, 'no such key')
    await service.call('projects/nothing', {}, 'no such key')
    assert.deepEqual(
      calls()
        .slice(-3)
        .map(({ method, outcome, ownerId }) => [method, outcome, ownerId]),
      [
        ['projects/describe', 'UNAUTHENTICATED', null],
        ['projects/export', 'UNAUTHENTICATED', null],
        ['unknown', 'UNAUTHENTICATED', null],
      ],
    )
  })

  it('have a digest of their statement when they are slow', async () => {
    const digestOf = async (sql: string) => {
      await query(sql)
      return calls().at(-1)?.statement
    }
    const digest = await digestOf(`SELECT count(*) FROM ${TABLE} WHERE 1 = 2`)
    assert.match(digest ?? '', /^[0-9a-f]{16}$/)
    assert.equal(await digestOf(`select count( * ) from ${TABLE} -- again\nwhere 3 = 45;`), digest)
    assert.notEqual(await digestOf(`SELECT count(*) FROM ${TABLE} WHERE 1 <> 2`), digest)
    await service.call('projects/list')
    assert.equal(calls().at(-1)?.statement, undefined)
  })
})
