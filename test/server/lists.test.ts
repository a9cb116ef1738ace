import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openStore, type Store } from '#server/database/store.js'
import { createKey } from '#server/store/keys.js'
import { output, outputJson, scratchFolder } from './command.js'
import { storeAt } from './stores.js'

const scratch = scratchFolder()
/** More than two of the pages that are read and printed. */
const MANY = 2_500
const START = Date.UTC(2026, 0, 1)

describe('a list of thousands', () => {
  let folder: string
  let keyIds: string[]
  let projectIds: string[]

  before(async () => {
    folder = scratch.path
    await output(folder, 'organization', 'add', 'north', '--name', 'North')
    await output(folder, 'user', 'add', 'ada@example.org', '--organization', 'north')
    const store = await openStore(await storeAt(join(folder, 'foldgate-data', 'control.db')))
    await createKey(store, { user: 'ada@example.org', organizations: ['north'] })
    keyIds = await addKeys(store)
    projectIds = Array.from({ length: MANY }, () => randomUUID())
    for (let from = 0; from < MANY; from += 500)
      await store.db
        .insertInto('projects')
        .values(
          projectIds
            .slice(from, from + 500)
            .map((id, at) => ({ id, organization_key: 'north', name: 'x'.repeat(1 + (at % 30)), created_at: START })),
        )
        .execute()
    await store.close()
  })

  /** Adds keys, with usage of two days: ten were created at a time, so their ids order them. */
  async function addKeys({ db }: Store): Promise<string[]> {
    const [made] = await db.selectFrom('keys').selectAll().execute()
    if (!made) throw new Error('there is a key')
    await db
      .updateTable('keys')
      .set({ created_at: START - 1 })
      .execute()
    const day = new Date().toISOString().slice(0, 10)
    const keys = Array.from({ length: MANY }, (_, at) => ({
      ...made,
      id: `${String(Math.floor(at / 10)).padStart(6, '0')}-${at % 10}`,
      hash: `${at}`,
      created_at: START + Math.floor(at / 10),
    }))
    const spent = { wait_ms: 0, build_ms: 0, run_ms: 0, engine_ms: 0, last_at: START }
    const of = { method: 'projects/list', organization: '', project_id: '', relation: '' }
    const used = { ...of, ...spent, calls: 2, rows: 3, bytes: 4 }
    for (let from = 0; from < MANY; from += 500) {
      const some = keys.slice(from, from + 500)
      await db.insertInto('keys').values(some).execute()
      for (const outcome of ['OK', 'INTERNAL'])
        await db
          .insertInto('usage')
          .values(some.map(({ id }) => ({ ...used, key_id: id, day, outcome })))
          .execute()
    }
    return [made.id, ...keys.map(({ id }) => id)]
  }

  it('has every key once, oldest first, as JSON and as a table', async () => {
    const keys = await outputJson<{ id: string }[]>(folder, 'key', 'list')
    assert.deepEqual(
      keys.map(({ id }) => id),
      keyIds,
    )
    const lines = (await output(folder, 'key', 'list')).split('\n')
    assert.deepEqual(
      lines.map(line => line.split(' ')[0]),
      ['ID', ...keyIds],
    )
    const places = new Set(lines.map(line => (line.startsWith('ID') ? line.indexOf('USER') : line.indexOf('ada@'))))
    assert.equal(places.size, 1, 'columns are aligned')
  })

  it('has every project once, in order of registration', async () => {
    const projects = await outputJson<{ id: string }[]>(folder, 'project', 'list')
    assert.deepEqual(
      projects.map(({ id }) => id),
      projectIds,
    )
  })

  it('has the usage of every key once', async () => {
    const usage = await outputJson<{ id: string; calls: number; failed: number }[]>(folder, 'usage', '--days', '2')
    assert.deepEqual(
      usage.map(({ id, calls, failed }) => [id, calls, failed]),
      keyIds.slice(1).map(id => [id, 4, 2]),
    )
  })

  it('is empty as JSON, and has only headings as a table, when there is nothing', async () => {
    const none = ['usage', '--key', keyIds[0] ?? '']
    assert.equal(await output(folder, ...none, '--json'), '[]')
    assert.match(await output(folder, ...none), /^DAY {2}KEY {2}NAME {2}CALLS .*DOWNLOADS$/)
  })
})
