import assert from 'node:assert/strict'
import { openStore, type Store } from '#server/database/store.js'
import { createKey } from '#server/store/keys.js'
import { addOrganization } from '#server/store/organizations.js'
import { readUsage, usagePort } from '#server/store/usage.js'
import { addUser } from '#server/store/users.js'
import { scratchFolder } from '../../server/command.js'
import { postgresUrl, storeInPostgres, unexpected } from '../../server/stores.js'
import { used } from '../../server/used.js'

const scratch = scratchFolder()
/** Several statements of a transaction. */
const ROWS = 1_200

describe('usage in PostgreSQL', () => {
  const today = Date.UTC(2026, 10, 21, 12)
  let stores: Store[] = []
  let keyId: string

  before(async function () {
    if (!postgresUrl) this.skip()
    const url = await storeInPostgres(scratch.path)
    const open = () => openStore(url, { clock: { now: () => today } })
    const store = await open()
    stores = [store, await open()]
    await addOrganization(store, { key: 'north', name: 'North' })
    await addUser(store, { email: 'ada@example.org', organizations: ['north'] })
    keyId = (await createKey(store, { user: 'ada@example.org', organizations: ['north'] })).id
  })
  beforeEach(() => stores[0]?.db.deleteFrom('usage').execute())
  after(() => Promise.all(stores.map(store => store.close())))

  const calling = (method: string) => used({ keyId, method, rows: 1, bytes: 2, at: today })

  it('is written while another process locks out all writers', async () => {
    const [store, other] = stores as [Store, Store]
    await other.transaction(async () => {
      const usage = usagePort(store, unexpected)
      usage.record(calling('projects/list'))
      await usage.close()
      assert.deepEqual(
        (await readUsage(store, { days: 1 })).map(({ calls }) => calls),
        [1],
      )
    })
  })

  it('is complete when two servers write the same counters, which they counted in opposite orders', async () => {
    const methods = Array.from({ length: ROWS }, (_, at) => `m${at}`)
    for (let round = 1; round <= 3; round++) {
      const ports = stores.map(store => usagePort(store, unexpected))
      for (const [at, usage] of ports.entries())
        for (const method of at === 0 ? methods : methods.toReversed()) usage.record(calling(method))
      await Promise.all(ports.map(usage => usage.close()))
      const [day] = await readUsage(stores[0] as Store, { days: 1 })
      assert.equal(Object.keys(day?.methods ?? {}).length, ROWS)
      assert.ok(Object.values(day?.methods ?? {}).every(({ calls }) => calls === 2 * round))
      assert.deepEqual([day?.rows, day?.bytes], [2 * round * ROWS, 4 * round * ROWS])
    }
  })
})
