import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { sql } from 'kysely'
import { openStore } from '#server/database/store.js'
import { createKey } from '#server/store/keys.js'
import { addOrganization } from '#server/store/organizations.js'
import { keyPort } from '#server/store/ports.js'
import { addUser } from '#server/store/users.js'
import { scratchFolder } from '../../server/command.js'
import { call, serve, stop } from '../../server/server.js'
import { postgresUrl, storeInPostgres } from '../../server/stores.js'

const ROUNDS = 3
const KEYS_A_ROUND = 60
const scratch = scratchFolder()
const { signal } = new AbortController()
const OWNER = { user: 'ada@example.org', organizations: ['north'] }
/** Others, since a user has at most 100 keys. */
const OWNERS = Array.from({ length: 20 }, (_, index) => `${index}@example.org`)

const STORES: Record<string, () => Promise<string> | null> = {
  'in the data folder': async () => join(scratch.path, 'foldgate-data', 'control.db'),
  'in PostgreSQL': () => (postgresUrl ? storeInPostgres(scratch.path) : null),
}

/** Starts a process that creates keys as fast as possible and prints each one once it is stored. */
function makeKeys(location: string): ChildProcess {
  const module = (name: string) => JSON.stringify(new URL(`../../../server/dist/${name}.js`, import.meta.url))
  const script = `
    const { openStore } = await import(${module('database/store')})
    const { createKey } = await import(${module('store/keys')})
    const store = await openStore(${JSON.stringify(location)})
    const users = ${JSON.stringify(OWNERS)}
    for (let made = 0; ; made++) {
      const { key } = await createKey(store, { user: users[made % users.length], organizations: ['north'] })
      process.stdout.write(key + '\\n')
    }`
  return spawn(process.execPath, ['--input-type=module', '--eval', script])
}

for (const [where, locate] of Object.entries(STORES)) {
  describe(`a control store ${where}`, () => {
    it('loses nothing that was reported when all its writers are killed repeatedly', async function () {
      const location = await locate()
      if (location === null) return this.skip()
      const flags = location.startsWith('postgres') ? ['--store', location, '--data', 'other'] : []
      // The first server creates the tables.
      let server = await serve(scratch.path, ...flags)
      const before = await openStore(location)
      await addOrganization(before, { key: 'north', name: 'North' })
      for (const email of [OWNER.user, ...OWNERS]) await addUser(before, { email, organizations: OWNER.organizations })
      const { key: caller } = await createKey(before, OWNER)
      await before.close()

      const reported: string[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const makers = [makeKeys(location), makeKeys(location)]
        let isOver = false
        // Calls write too: their quota and usage.
        const calls = async () => {
          while (!isOver) await call(server.url, caller, 'list').catch(() => {})
        }
        const calling = [calls(), calls()]
        const enough = reported.length + KEYS_A_ROUND * makers.length
        const printed = makers.map(async maker => {
          assert.ok(maker.stdout)
          for await (const key of createInterface(maker.stdout)) {
            reported.push(key)
            if (reported.length !== enough + round) continue
            for (const each of [server.child, ...makers]) each.kill('SIGKILL')
          }
        })
        await Promise.all([once(server.child, 'close'), ...makers.map(maker => once(maker, 'close')), ...printed])
        isOver = true
        await Promise.all(calling)
        server = await serve(scratch.path, ...flags)
        for (const key of reported.slice(-KEYS_A_ROUND)) assert.equal((await call(server.url, key, 'list')).status, 200)
      }
      assert.ok(reported.length > KEYS_A_ROUND * ROUNDS)
      assert.equal(await stop(server.child), 0)

      const after = await openStore(location)
      for (const key of reported) assert.ok(await keyPort(after).authenticate(key, signal))
      const keys = await after.db
        .selectFrom('keys')
        .select(({ fn }) => fn.countAll<number>().as('made'))
        .executeTakeFirst()
      assert.ok(Number(keys?.made) >= reported.length + 1)
      // Transactions are atomic: no key lacks its organizations.
      const halves = after.db
        .selectFrom('keys')
        .leftJoin('key_organizations', 'key_organizations.key_id', 'keys.id')
        .where('key_organizations.key_id', 'is', null)
        .selectAll('keys')
      assert.deepEqual(await halves.execute(), [])
      if (flags.length === 0) {
        const { rows } = await sql<{ integrity_check: string }>`PRAGMA integrity_check`.execute(after.db)
        assert.deepEqual(rows, [{ integrity_check: 'ok' }])
      }
      await after.close()
    })
  })
}
