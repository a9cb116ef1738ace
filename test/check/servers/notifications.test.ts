import assert from 'node:assert/strict'
import { type Kysely, sql } from 'kysely'
import { Notifications } from '#postgres/store/notifications.js'
import { openStore, type Store } from '#server/database/store.js'
import { createKey, revokeKey } from '#server/store/keys.js'
import { addOrganization } from '#server/store/organizations.js'
import { keyPort, projectPort } from '#server/store/ports.js'
import { addProject, renameProject } from '#server/store/projects.js'
import { addUser } from '#server/store/users.js'
import { scratchFolder } from '../../server/command.js'
import { postgresUrl, storeInPostgres } from '../../server/stores.js'
import { until } from '../../until.js'
import { Pooler } from './pooler.js'

const { signal } = new AbortController()
const LONGEST_MS = 100

describe('a server that listens for changes of a store in PostgreSQL', () => {
  const scratch = scratchFolder()
  let pooler: Pooler
  let store: Store
  let operator: Store
  let reported: string[]
  let projectId: string
  let url: string
  let pooled: string

  before(function () {
    if (!postgresUrl) this.skip()
  })

  beforeEach(async function () {
    url = await storeInPostgres(`${scratch.path}/${this.currentTest?.title}`)
    operator = await openStore(url)
    await addOrganization(operator, { key: 'north', name: 'North' })
    await addUser(operator, { email: 'ada@example.org', organizations: ['north'] })
    projectId = (await addProject(operator, { organization: 'north', name: 'One' })).projectId
    pooler = new Pooler(new URL(url))
    reported = []
    pooled = await pooler.open(url)
    store = await openStore(pooled, { report: (what, cause) => reported.push(`${what}: ${cause}`) })
  })

  afterEach(async () => {
    await store?.close()
    await operator?.close()
    pooler?.close()
  })

  const makeKey = () => createKey(operator, { user: 'ada@example.org', organizations: ['north'] })

  /** Statements that some calls ask. */
  async function statementsOf(calls: () => Promise<unknown>): Promise<number> {
    const before = pooler.asked
    await calls()
    return pooler.asked - before
  }

  /** Calls until nothing but the question whether the connection lives is asked for them. */
  const untilKept = async (call: () => Promise<unknown>) => {
    const twice = async () => {
      await call()
      await call()
    }
    await until(async () => (await statementsOf(twice)) <= 1, 'reads are kept')
  }

  /** Calls until a call is refused: all that begin more than 100 ms from now have to be. */
  async function assertRefusedInTime(call: () => Promise<unknown>): Promise<void> {
    const revokedAt = performance.now()
    for (let began = revokedAt; (await call()) !== null; began = performance.now())
      assert.ok(began - revokedAt < LONGEST_MS, 'a call that began later was answered')
  }

  it('asks no statement for keys and projects that have not changed', async () => {
    const { key } = await makeKey()
    const [keys, projects] = [keyPort(store), projectPort(store)]
    const call = async () => {
      assert.ok(await keys.authenticate(key, signal))
      assert.equal((await projects.find(projectId, signal))?.name, 'One')
      const page = { organizations: ['north'], after: 0, limit: 10 }
      assert.equal((await projects.list(page, signal)).length, 1)
    }
    await untilKept(call)
    const startedAt = performance.now()
    const asked = await statementsOf(async () => {
      for (let time = 0; time < 1000; time++) await call()
    })
    assert.ok(asked <= 1 + (performance.now() - startedAt) / 50, `${asked} statements`)
    assert.deepEqual(reported, [])
  })

  it('refuses a key within 100 ms of its revocation, while calls come', async () => {
    const { authenticate } = keyPort(store)
    for (let time = 0; time < 10; time++) {
      const { key, id } = await makeKey()
      await untilKept(() => authenticate(key, signal))
      await revokeKey(operator, id)
      await assertRefusedInTime(() => authenticate(key, signal))
    }
  })

  it('hears of every other change that takes something away, also by hand', async () => {
    const changes: [what: string, statement: ReturnType<typeof sql>][] = [
      ['the owner is suspended', sql`insert into suspended_users (user_id, suspended_at) select id, 0 from users`],
      ['the owner has left', sql`delete from memberships`],
      ['the organization is taken from the key', sql`delete from key_organizations`],
      ['the key is limited', sql`update keys set limits = '{"projects":[]}'`],
      ['the key has expired', sql`update keys set expires_at = 1`],
      ['the key has another secret', sql`update keys set hash = 'another ' || id`],
    ]
    const { authenticate } = keyPort(store)
    for (const [what, statement] of changes) {
      const { key } = await makeKey()
      const first = await authenticate(key, signal)
      assert.deepEqual(first?.organizations, ['north'], what)
      await untilKept(() => authenticate(key, signal))
      await statement.execute(operator.db)
      await assertRefusedInTime(async () => {
        const found = await authenticate(key, signal)
        return JSON.stringify(found) === JSON.stringify(first) ? found : null
      })
      // As it was, for the next change.
      await sql`delete from suspended_users`.execute(operator.db)
      await sql`insert into memberships (user_id, organization_key) select id, 'north' from users
        on conflict do nothing`.execute(operator.db)
      await sql`update keys set revoked_at = 1, hash = id`.execute(operator.db)
    }
  })

  it('refuses it as soon if the connection that listens has gone silent', async () => {
    const { key, id } = await makeKey()
    const { authenticate } = keyPort(store)
    await untilKept(() => authenticate(key, signal))
    pooler.state = 'stalled'
    await revokeKey(operator, id)
    await assertRefusedInTime(() => authenticate(key, signal))
  })

  it('refuses it if an answer to an earlier question arrives late', async () => {
    const { key, id } = await makeKey()
    const { authenticate } = keyPort(store)
    await untilKept(() => authenticate(key, signal))
    pooler.state = 'late'
    await until(async () => {
      await authenticate(key, signal)
      return pooler.deliver !== null
    }, 'the answer is kept back')
    await revokeKey(operator, id)
    const revokedAt = performance.now()
    await until(() => performance.now() - revokedAt > LONGEST_MS, 'calls may not be answered any more')
    const answered = authenticate(key, signal)
    pooler.deliver?.()
    assert.equal(await answered, null)
  })

  it('hears of changes when a schema that precedes its own in the search path is added', async () => {
    const schema = /search_path=(\w+)/.exec(new URL(url).searchParams.get('options') ?? '')?.[1] ?? ''
    const earlier = `${schema}_earlier`
    const both = new URL(pooled)
    both.searchParams.set('options', `-c search_path=${earlier},${schema}`)
    const server = await openStore(both.href)
    await sql`create schema ${sql.id(earlier)}`.execute(operator.db)
    try {
      const { key, id } = await makeKey()
      const { authenticate } = keyPort(server)
      await untilKept(() => authenticate(key, signal))
      await revokeKey(operator, id)
      await assertRefusedInTime(() => authenticate(key, signal))
    } finally {
      await server.close()
      await sql`drop schema ${sql.id(earlier)}`.execute(operator.db)
    }
  })

  it('reads for each call while it does not listen, and listens again', async () => {
    const { key, id } = await makeKey()
    const { authenticate } = keyPort(store)
    await untilKept(() => authenticate(key, signal))
    pooler.disconnect()
    await revokeKey(operator, id)
    await until(async () => (await authenticate(key, signal)) === null, 'the key is refused')
    const next = await makeKey()
    await untilKept(() => authenticate(next.key, signal))
    assert.deepEqual(reported, [])
  })

  it('reads for each call behind a pooler that delivers no notifications, and says so once', async () => {
    pooler.state = 'without notifications'
    const { key, id } = await makeKey()
    const { authenticate } = keyPort(store)
    await until(async () => (await authenticate(key, signal)) !== null && reported.length > 0, 'it is reported')
    assert.deepEqual(reported, [
      'listening for changes of the control store: Error: no notification arrives: set the pooler to session mode, or name the database',
    ])
    assert.ok((await statementsOf(() => authenticate(key, signal))) > 0)
    await revokeKey(operator, id)
    assert.equal(await authenticate(key, signal), null)
  })

  it('keeps nothing of before a statement that changes many rows, or truncates a table', async () => {
    const { find } = projectPort(store)
    const { key } = await makeKey()
    const { authenticate } = keyPort(store)
    await sql`
      insert into projects (id, organization_key, name, created_at)
      select gen_random_uuid()::text, 'north', 'Many', 0 from generate_series(1, 5000)`.execute(operator.db)
    await untilKept(() => Promise.all([find(projectId, signal), authenticate(key, signal)]))
    await sql`update projects set name = 'Renamed'`.execute(operator.db)
    await until(async () => (await find(projectId, signal))?.name === 'Renamed', 'the project is read again')
    await sql`truncate key_organizations`.execute(operator.db)
    const organizations = async () => (await authenticate(key, signal))?.organizations.length
    await until(async () => (await organizations()) === 0, 'the key reads nothing')
  })

  it('reads what it keeps again after a while, in case a change was not told', async () => {
    const changes = new Notifications(url, operator.db as Kysely<unknown>, assert.fail, 50)
    const { authenticate } = keyPort({ ...operator, changes })
    try {
      const { key, id } = await makeKey()
      const heard = async () => (await changes.moment()) !== null && (await authenticate(key, signal)) !== null
      await until(heard, 'the key is kept')
      await sql`alter table keys disable trigger user`.execute(operator.db)
      await revokeKey(operator, id)
      await until(async () => (await authenticate(key, signal)) === null, 'the key is refused')
    } finally {
      await changes.close()
    }
  })

  it('keeps what has not changed while other rows change', async () => {
    const { find } = projectPort(store)
    await untilKept(() => find(projectId, signal))
    const other = await addProject(operator, { organization: 'north', name: 'Other' })
    for (let time = 0; time < 50; time++) await renameProject(operator, other.projectId, `Renamed ${time}`)
    const startedAt = performance.now()
    const asked = await statementsOf(async () => {
      for (let time = 0; time < 100; time++) await find(projectId, signal)
    })
    assert.ok(asked <= 1 + (performance.now() - startedAt) / 50, `${asked} statements`)
  })
})
