import assert from 'node:assert/strict'
import { join } from 'node:path'
import { openStore, type Store } from '../../../../server/dist/database/store.js'
import { storeOf } from '../../../../test/server/command.js'
import { PROJECT_IDS } from '../../../../test/server/package.js'
import { stop } from '../../../../test/server/server.js'
import { until } from '../../../../test/until.js'
import { servedFromBucket } from './served.js'

const DAY_MS = 86_400_000

describe('the sweep of a bucket', () => {
  const world = servedFromBucket()
  let store: Store

  before(async () => {
    const { FOLDGATE_STORE } = await storeOf(world.scratch.path, [])
    store = await openStore(FOLDGATE_STORE ?? join(world.scratch.path, 'foldgate-data/control.db'))
  })
  after(() => store?.close())

  const restart = async () => {
    await stop(world.server.child)
    world.proxy.heal()
    world.server = await world.start()
  }
  const isOfSweep = ({ query }: { query: string }) => query.includes('tables%2F&uploads')
  const sweeps = () => world.proxy.seen.filter(isOfSweep).length
  const startedAt = async () => (await store.db.selectFrom('chores').select('started_at').execute())[0]?.started_at ?? 0

  it('is done by the first server, and by those that start later once it is a day old', async () => {
    await until(() => sweeps() === 1, 'the first sweep')
    const first = await startedAt()
    const old = { level: 'key', id: 'a key', started_at: 1, taken: 1 } as const
    await store.db.insertInto('call_windows').values(old).execute()
    await restart()
    const left = () => store.db.selectFrom('call_windows').select('id').where('id', '=', old.id).execute()
    await until(async () => (await left()).length === 0, 'the chore before')
    assert.equal(await world.query(PROJECT_IDS.early), 1)
    assert.equal(sweeps(), 0)
    assert.equal(await startedAt(), first)
    await store.db
      .updateTable('chores')
      .set({ started_at: first - DAY_MS })
      .execute()
    await restart()
    await until(() => sweeps() === 1, 'the next sweep')
  })

  it('is tried again when it failed', async () => {
    await store.db.deleteFrom('chores').execute()
    await stop(world.server.child)
    world.proxy.heal()
    world.proxy.fate = request => (isOfSweep(request) ? 'forbidden' : 'pass')
    world.server = await world.start()
    const told = /removing the files of removed snapshots failed/
    await until(() => told.test(world.server.log()), 'the failure')
    assert.equal(await startedAt(), 0)
    world.proxy.heal()
    await restart()
    await until(() => sweeps() === 1, 'the sweep')
  })
})
