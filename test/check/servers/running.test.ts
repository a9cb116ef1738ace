import assert from 'node:assert/strict'
import type { CallFilter, RunningCall } from 'foldgate'
import { openStore, type Store } from '#server/database/store.js'
import { budgetPort } from '#server/store/budget.js'
import { createKey, revokeKey } from '#server/store/keys.js'
import { addOrganization } from '#server/store/organizations.js'
import { endCall, forgetRunning, listRunning, runningCalls } from '#server/store/running.js'
import { usagePort } from '#server/store/usage.js'
import { sumUsage, USAGE_GROUPS } from '#server/store/usage-sums.js'
import { addUser } from '#server/store/users.js'
import { scratchFolder } from '../../server/command.js'
import { postgresUrl, storeInPostgres, unexpected } from '../../server/stores.js'
import { used } from '../../server/used.js'

const { signal } = new AbortController()
const scratch = scratchFolder()

describe('what servers of one PostgreSQL know of each other', () => {
  let stores: [Store, Store]
  let keyId: string

  before(async function () {
    if (!postgresUrl) this.skip()
    const url = await storeInPostgres(scratch.path)
    stores = [await openStore(url), await openStore(url)]
    await addOrganization(stores[0], { key: 'north', name: 'North' })
    await addUser(stores[0], { email: 'ada@example.org', organizations: ['north'] })
    keyId = (await createKey(stores[0], { user: 'ada@example.org', organizations: ['north'] })).id
  })
  after(() => Promise.all((stores ?? []).map(store => store.close())))

  /** A server that runs these calls, and keeps how it was told to end some. */
  function serving(store: Store, running: RunningCall[]) {
    const ended: unknown[] = []
    const cancel = (filter: CallFilter, options: object = {}) => ended.push([filter, options])
    return { ended, ...runningCalls(store, { running: () => running, cancel }) }
  }

  const call = (callId: string, runningMs: number): RunningCall => ({
    callId,
    method: 'projects/query',
    keyId,
    ownerId: 'ada',
    organization: 'north',
    projectId: null,
    snapshotId: null,
    relations: [],
    since: new Date(0).toISOString(),
    runningMs,
    phase: 'query',
    phasesMs: {},
    processorMs: 10,
    pid: 7,
    rows: null,
    bytes: 0,
  })

  it('is which calls the others run, which one command ends wherever they run', async () => {
    const [one, other] = stores
    const ofOne = [call('a', 5_000), call('b', 10)]
    const servers = [serving(one, ofOne), serving(other, [call('c', 9_000)])]
    for (const { run } of servers) await run(signal)
    const told = async () => (await listRunning(one)).map(({ callId }) => callId)
    assert.deepEqual(await told(), ['c', 'a'], 'the longest first, and none that is short')
    await endCall(other, 'a')
    for (const { run } of servers) await run(signal)
    assert.deepEqual(
      servers.map(({ ended }) => ended),
      [[[{ callId: 'a' }, {}]], []],
    )
    ofOne.shift()
    await servers[0]?.run(signal)
    assert.deepEqual(await told(), ['c'])
    await assert.rejects(endCall(other, 'a'), /No server runs a call with the id "a"/)
    await servers[1]?.stop()
    assert.deepEqual(await told(), [])
  })

  it('is no call of a server that was killed', async () => {
    const [store] = stores
    await serving(store, [call('d', 2_000)]).run(signal)
    await store.db
      .updateTable('running_calls')
      .set(build => ({ told_at: build('told_at', '-', 20_000) }))
      .execute()
    assert.deepEqual(await listRunning(store), [])
    await store.db
      .updateTable('running_calls')
      .set(build => ({ told_at: build('told_at', '-', 60_000) }))
      .execute()
    await forgetRunning(store)
    assert.deepEqual(await store.db.selectFrom('running_calls').selectAll().execute(), [])
  })

  it('is which keys were revoked', async () => {
    const [one, other] = stores
    const { ended, run } = serving(one, [call('e', 2_000)])
    await run(signal)
    assert.deepEqual(ended, [])
    await revokeKey(other, keyId)
    await run(signal)
    assert.deepEqual(ended, [[{ keyId }, { revoked: true }]])
  })

  it('is what organizations have taken of their budgets, in windows of one clock', async () => {
    const limits = { engineMs: 1_000, exportRows: 10, callsAtOnce: 3, windowMs: 60_000 }
    const ports = stores.map(store => budgetPort(store, limits))
    const taken = { engineMs: 400.4, exportRows: 3, exportBytes: 9 }
    await Promise.all(Array.from({ length: 20 }, (_, at) => ports[at % 2]?.spend('north', taken)))
    for (const port of ports) {
      const { resetMs, ...state } = await port.of('north', signal)
      assert.deepEqual(state, {
        ...{ callsAtOnce: 3, limits: { engineMs: 1_000, exportRows: 10 }, windowMs: 60_000 },
        taken: { engineMs: 8_000, exportRows: 60, exportBytes: 0 },
      })
      assert.ok(resetMs > 0 && resetMs <= 60_000)
    }
    assert.deepEqual((await ports[0]?.of('south', signal))?.taken, { engineMs: 0, exportRows: 0, exportBytes: 0 })
    await stores[0].db
      .updateTable('call_windows')
      .set(build => ({ started_at: build('started_at', '-', 60_001) }))
      .execute()
    assert.equal((await ports[1]?.of('north', signal))?.taken.engineMs, 0)
    await ports[1]?.spend('north', taken)
    assert.deepEqual((await ports[0]?.of('north', signal))?.taken, { engineMs: 400, exportRows: 3, exportBytes: 0 })
  })

  it('is the usage of all, added up by anything', async () => {
    const [one, other] = stores
    for (const store of stores) {
      const usage = usagePort(store, unexpected)
      usage.record(used({ keyId, at: Date.now(), relations: ['sites'], method: 'queries/sum@1', processorMs: 30 }))
      await usage.close()
    }
    for (const by of USAGE_GROUPS) {
      const [sum, ...more] = await sumUsage(by === 'key' ? other : one, { by, days: 1 })
      assert.deepEqual([sum?.calls, sum?.engineMs, more.length], [2, 60, 0], by)
    }
  })
})
