import assert from 'node:assert/strict'
import { join } from 'node:path'
import { openStore, type Store } from '#server/database/store.js'
import { type CreatedKey, createKey, revokeKey } from '#server/store/keys.js'
import { readUsage } from '#server/store/usage.js'
import { addUser } from '#server/store/users.js'
import { scratchFolder } from '../../server/command.js'
import { PROJECT_IDS, writePackage } from '../../server/package.js'
import { call } from '../../server/server.js'
import { postgresUrl, storeInPostgres } from '../../server/stores.js'
import { PostgresProcesses } from './postgres-processes.js'
import { Service } from './service.js'

const scratch = scratchFolder()
const FROZEN_MS = 10_000
/** As the limit `dependencyTimeout` says, and what a busy machine may add. */
const TIMEOUT_MS = 2000
const GRACE_MS = 2000
const RECOVERED_MS = 20_000
/** A revoked key is refused after this long, by every server. */
const REVOKED_MS = 250
const QUOTA = 120
const CALLERS = 3
const NAMES = ['one', 'two']
const OWNER = { user: 'ada@example.org', organizations: ['north', 'south'] }

/** A call as its caller saw it. */
interface Seen {
  key: CreatedKey
  status: number
  startedAt: number
  endedAt: number
}

describe('a PostgreSQL that is frozen for ten seconds', () => {
  let postgres: PostgresProcesses
  let service: Service
  let store: Store
  let keys: CreatedKey[]
  const seen: Seen[] = []

  before(async function () {
    const found = postgresUrl ? await PostgresProcesses.find() : null
    if (!found) {
      if (postgresUrl) process.stdout.write('    left out: the processes of PostgreSQL cannot be stopped from here\n')
      return this.skip()
    }
    postgres = found
    const url = await storeInPostgres(scratch.path)
    service = new Service(scratch.path, url, { dependencyTimeout: `${TIMEOUT_MS}ms`, quota: `${QUOTA}/1h` })
    await writePackage(join(scratch.path, 'package'))
    await service.command('import', join(scratch.path, 'package'))
    store = await openStore(url)
    await addUser(store, { email: OWNER.user, organizations: OWNER.organizations })
    keys = [await createKey(store, OWNER), await createKey(store, OWNER)]
    await Promise.all(NAMES.map(name => service.start(name)))
  })
  after(async () => {
    postgres?.thaw()
    service?.killAll()
    await store?.close()
  })

  const query = (key: CreatedKey, url: string) =>
    call(url, key.key, 'query', { projectId: PROJECT_IDS.late, sql: 'SELECT count(*) AS n FROM sites' })
  /** Calls a server, and checks what it answers. */
  async function ask(key: CreatedKey, server: number): Promise<Seen> {
    const url = service.urls[server % NAMES.length] ?? ''
    const startedAt = performance.now()
    const { status, class: failure, items, headers } = await query(key, url)
    const endedAt = performance.now()
    assert.ok(endedAt - startedAt < TIMEOUT_MS + GRACE_MS, `a call took ${endedAt - startedAt} ms`)
    if (status === 200) assert.deepEqual(items, [{ n: 1 }])
    else if (status === 503) assert.ok(failure === 'UNAVAILABLE' && Number(headers.get('retry-after')) >= 1)
    const found = { key, status, startedAt, endedAt }
    seen.push(found)
    return found
  }
  /** Calls both servers with a key until it is told to stop. */
  async function callUntil(key: CreatedKey, isOver: (last: Seen, count: number) => boolean): Promise<void> {
    const loops = Array.from({ length: CALLERS }, async (_, caller) => {
      for (let count = 1; ; count++) if (isOver(await ask(key, caller + count), count)) return
    })
    await Promise.all(loops)
  }

  it('makes calls UNAVAILABLE in time, and servers recover without a wrong quota, key or count', async () => {
    const revoked = await createKey(store, OWNER)
    const revokedMeanwhile = await createKey(store, OWNER)
    const all = [...keys, revoked, revokedMeanwhile]
    await Promise.all(all.map(key => callUntil(key, ({ status }, count) => status !== 200 || count === 5)))
    assert.deepEqual([...new Set(seen.map(({ status }) => status))], [200])

    await revokeKey(store, revoked.id)
    const revokedAt = new Map([[revoked, performance.now()]])
    await postgres.freeze()
    const thawAt = performance.now() + FROZEN_MS
    const revoking = revokeKey(store, revokedMeanwhile.id).catch(() => null)
    await Promise.all(all.map(key => callUntil(key, () => performance.now() > thawAt)))
    assert.ok(seen.some(({ startedAt, status }) => startedAt > thawAt - FROZEN_MS / 2 && status === 503))
    postgres.thaw()
    const thawedAt = performance.now()
    if (!(await revoking)) await revokeKey(store, revokedMeanwhile.id)
    revokedAt.set(revokedMeanwhile, performance.now())

    const isRecovered = ({ status, startedAt }: Seen) => {
      assert.ok(performance.now() - thawedAt < RECOVERED_MS, `still ${status}`)
      return status !== 503 && startedAt > thawedAt + 2 * REVOKED_MS
    }
    await Promise.all(all.map(key => callUntil(key, isRecovered)))
    for (const url of service.urls) {
      const response = await fetch(`${url}/ready?details`)
      assert.deepEqual([response.status, ((await response.json()) as { down: unknown }).down], [200, []])
    }
    for (const [key, at] of revokedAt) {
      const late = seen.filter(each => each.key === key && each.startedAt > at + REVOKED_MS)
      assert.ok(late.length > 0)
      assert.deepEqual(
        [...new Set(late.map(({ status }) => status))].filter(status => status !== 503),
        [401],
      )
    }

    await Promise.all(keys.map(key => callUntil(key, ({ status }) => status === 429)))
    for (const name of NAMES) assert.equal(await service.stop(name), 0)
    const used = await readUsage(store, { days: 2 })
    for (const key of all) {
      const count = (status: number) => seen.filter(each => each.key === key && each.status === status).length
      const [answered, unavailable] = [count(200), count(503)]
      if (keys.includes(key)) {
        assert.ok(answered <= QUOTA, `${answered} calls were answered`)
        // A unit may have been taken for a call whose answer came too late.
        assert.ok(answered + unavailable >= QUOTA, `${answered} answered, ${unavailable} not`)
      }
      const own = used.filter(({ keyId }) => keyId === key.id)
      const ok = own.reduce((sum, { calls, failed }) => sum + calls - failed, 0)
      assert.equal(ok, answered, 'every answered call is counted once')
    }
  }).timeout(60_000)
})
