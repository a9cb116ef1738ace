import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { createServer } from 'node:net'
import { type Kysely, sql } from 'kysely'
import { storeDriver } from '#postgres/server.js'
import { type Migration, migrate } from '#server/database/migrations.js'
import { openStore, type Store, type StoreAddition } from '#server/database/store.js'
import { additions } from '#server/input/installed.js'
import { createKey } from '#server/store/keys.js'
import { addOrganization } from '#server/store/organizations.js'
import { projectPort } from '#server/store/ports.js'
import { addProject } from '#server/store/projects.js'
import { addUser } from '#server/store/users.js'
import { run, scratchFolder } from '../../server/command.js'
import { type Answer, call, serve, stop } from '../../server/server.js'
import { ask, postgresUrl, storeInPostgres, unexpected } from '../../server/stores.js'
import { Gate } from './gate.js'

const scratch = scratchFolder()
const LONGEST_OUTAGE_MS = 20_000
const { signal } = new AbortController()

describe('a store in PostgreSQL', () => {
  let url: string
  let store: Store
  let key: string

  before(async function () {
    if (!postgresUrl) this.skip()
    url = await storeInPostgres(scratch.path)
    store = await openStore(url)
    await addOrganization(store, { key: 'north', name: 'North' })
    await addUser(store, { email: 'ada@example.org', organizations: ['north'] })
    key = (await createKey(store, { user: 'ada@example.org', organizations: ['north'] })).key
  })

  after(() => store?.close())

  it('is migrated for as long as that takes, by one of two servers that start together', async () => {
    const older = await storeInPostgres(`${scratch.path} of an older version`)
    await (await openStore(older)).close()
    // What a statement of a server may not take.
    const slow: Migration = {
      name: '0002-slow',
      async up(schema, _, db) {
        await sql`select pg_sleep(11)`.execute(db)
        await schema.createTable('slow_things').addColumn('id', 'text').execute()
      },
    }
    const parts = await additions<StoreAddition>()
    const added = [...parts.flatMap(({ migrations = [] }) => migrations), slow]
    const servers = [1, 2].map(() => storeDriver.connect(older, { isDurable: true, report: unexpected }))
    const { dialect } = storeDriver
    try {
      await Promise.all(servers.map(({ db, patiently }) => migrate(db, { dialect, now: 0, patiently, added })))
      const { rows } = await sql`select * from migrations where name = ${slow.name}`.execute(
        servers[0]?.db as Kysely<unknown>,
      )
      assert.equal(rows.length, 1)
    } finally {
      for (const { db, changes } of servers) {
        await changes.close()
        await db.destroy()
      }
    }
  }).timeout(60_000)

  describe('that loses its connection', () => {
    let gate: Gate
    let server: { url: string; child: ChildProcess }

    before(async () => {
      gate = await Gate.before(url)
      server = await serve(scratch.path, '--store', gate.through(url), { dependencyTimeout: '2s' })
    })

    after(async () => {
      await gate?.close()
      server?.child.kill('SIGKILL')
    })

    const list = () => call(server.url, key, 'list')

    function assertUnavailable({ status, class: failure, headers }: Answer): void {
      assert.deepEqual([status, failure], [503, 'UNAVAILABLE'])
      assert.ok(Number(headers.get('retry-after')) >= 1)
    }

    /** Repeats a call until it succeeds, as callers do. */
    async function untilAnswered(): Promise<void> {
      for (const end = performance.now() + LONGEST_OUTAGE_MS; ; ) {
        const answer = await list()
        if (answer.status === 200) return
        assertUnavailable(answer)
        assert.ok(performance.now() < end, 'no answer for 20 s')
      }
    }

    it('makes calls UNAVAILABLE until PostgreSQL is back', async () => {
      for (let time = 0; time < 2; time++) {
        assert.equal((await list()).status, 200)
        await gate.close()
        for (const answer of await Promise.all(Array.from({ length: 20 }, list))) assertUnavailable(answer)
        await gate.open()
        await untilAnswered()
      }
    })

    it('makes calls UNAVAILABLE in time when connections stay open without answers', async () => {
      assert.equal((await list()).status, 200)
      gate.block()
      const before = performance.now()
      for (const answer of await Promise.all(Array.from({ length: 20 }, list))) assertUnavailable(answer)
      assert.ok(performance.now() - before < 4000, 'the timeout of a dependency is two seconds')
      await gate.close()
      await gate.open()
      await untilAnswered()
    })

    it('costs one retry at most when PostgreSQL ends its connections', async () => {
      const mine = `usename = current_user AND pid <> pg_backend_pid()`
      for (let time = 0; time < 5; time++) {
        const calls = Array.from({ length: 20 }, list)
        await ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${mine}`)
        for (const answer of await Promise.all(calls)) if (answer.status !== 200) assertUnavailable(answer)
        await untilAnswered()
      }
    })

    it('keeps neither the server from stopping nor its counts from being written', async () => {
      assert.equal((await list()).status, 200)
      assert.equal(await stop(server.child), 0)
      const { taken } = await store.db
        .selectFrom('call_windows')
        .select('taken')
        .where('level', '=', 'key')
        .executeTakeFirstOrThrow()
      const usage = store.db.selectFrom('usage').select(({ fn }) => fn.sum<string>('calls').as('calls'))
      assert.ok(taken > 10)
      // If the store's answer was lost, the unit was still taken, and the call was counted as failed.
      assert.ok(Number((await usage.executeTakeFirstOrThrow()).calls) >= taken)
    })

    it('does not keep the server from stopping when connections stay open without answers', async () => {
      server = await serve(scratch.path, '--store', gate.through(url))
      assert.equal((await list()).status, 200)
      gate.block()
      const before = performance.now()
      assert.equal(await stop(server.child), 0)
      assert.ok(performance.now() - before < LONGEST_OUTAGE_MS)
    })
  })

  it('lists every project once during concurrent registrations: sequences become visible in order', async () => {
    const stores = [store, await openStore(url), await openStore(url)]
    const read: number[] = []
    let isOver = false
    const follow = async () => {
      for (let after = 0; ; ) {
        const isLast = isOver // before it asks: what is registered meanwhile is in the next page
        const page = await projectPort(store).list({ organizations: ['north'], after, limit: 10 }, signal)
        read.push(...page.map(project => project.sequence))
        after = page.at(-1)?.sequence ?? after
        if (isLast && page.length === 0) return
      }
    }
    const register = async (each: Store) => {
      for (let time = 0; time < 40; time++) await addProject(each, { organization: 'north', name: `${time}` })
    }
    await Promise.all([follow(), Promise.all(stores.map(register)).then(() => (isOver = true))])
    assert.equal(read.length, 120)
    assert.equal(new Set(read).size, 120)
    await Promise.all(stores.slice(1).map(each => each.close()))
  })

  it('ends a statement that waits too long for a transaction, and works afterwards', async () => {
    const other = await openStore(url)
    const first = store.transaction(async () => {
      const before = performance.now()
      await assert.rejects(addProject(other, { organization: 'north', name: 'kept out' }), /statement timeout/)
      assert.ok(performance.now() - before < 12_000)
    })
    await first
    await addProject(other, { organization: 'north', name: 'let in' })
    await other.close()
  })

  describe('that cannot be opened', () => {
    const secret = 'hunter2'
    const withSecret = (change: (url: URL) => void = () => {}) => {
      const given = new URL(url)
      given.password = secret
      change(given)
      return given.href
    }

    async function refusal(store: string): Promise<string> {
      const { status, stderr, stdout } = await run(scratch.path, ['key', 'list'], {
        environment: { FOLDGATE_STORE: store },
      })
      assert.deepEqual([status, stdout], [1, ''])
      assert.ok(!stderr.includes(secret), stderr)
      return stderr
    }

    it('is reported as unreachable if connections are refused', async () => {
      const gate = await Gate.before(url)
      await gate.close()
      assert.match(
        await refusal(gate.through(withSecret())),
        /^error: .* cannot be reached \(ECONNREFUSED\): start it, or correct the URL of the store\n$/,
      )
    })

    it('is reported as unreachable if it does not answer', async () => {
      const gate = await Gate.before(url)
      gate.block()
      assert.match(await refusal(gate.through(withSecret())), /cannot be reached \(.*timeout.*\): start it/)
      await gate.close()
    })

    it('is reported if the database does not exist', async () => {
      const missing = withSecret(given => {
        given.pathname = '/nowhere'
      })
      assert.match(
        await refusal(missing),
        /has no such database: create it, or name another in the URL of the store \(3D000: database "nowhere" does not exist\)/,
      )
    })

    for (const { what, fields, told } of [
      {
        what: 'the password is wrong',
        fields: ['C28P01', 'Mpassword authentication failed for user "ada"'],
        told: /rejects the password: correct it in the URL of the store, or set PGPASSWORD \(28P01: password authentication failed for user "ada"\)/,
      },
      {
        what: 'a pooler refuses parameters of the session',
        fields: ['C08P01', 'Munsupported startup parameter: statement_timeout'],
        told: /pooler .*refuses .*: let the pooler ignore .*statement_timeout .*ignore_startup_parameters.*\(08P01: unsupported startup parameter: statement_timeout\)/,
      },
    ])
      it(`is reported if ${what}`, async () => {
        const body = Buffer.from(['SFATAL', 'VFATAL', ...fields, ''].map(field => `${field}\0`).join(''))
        const head = Buffer.from(`E\0\0\0\0`)
        head.writeInt32BE(body.length + 4, 1)
        const strict = createServer(socket => socket.once('data', () => socket.end(Buffer.concat([head, body]))))
        await new Promise<void>(resolve => strict.listen(0, '127.0.0.1', resolve))
        const { port } = strict.address() as { port: number }
        assert.match(await refusal(`postgres://ada:${secret}@127.0.0.1:${port}/foldgate`), told)
        strict.close()
      })

    it('is reported if a newer version has changed it', async () => {
      await sql`INSERT INTO migrations VALUES ('9999-from-the-future', 0)`.execute(store.db)
      const message = await refusal(withSecret())
      await sql`DELETE FROM migrations WHERE name = '9999-from-the-future'`.execute(store.db)
      assert.match(message, /another version of foldgate \(change "9999-from-the-future"\): run that version, or name/)
    })
  })
})
