import assert from 'node:assert/strict'
import { join } from 'node:path'
import { sql } from 'kysely'
import { moveStore } from '#server/database/copy-store.js'
import { openStore, type Store } from '#server/database/store.js'
import { addOrganization } from '#server/store/organizations.js'
import { addProject } from '#server/store/projects.js'
import { scratchFolder } from '../../server/command.js'
import { postgresUrl, storeInPostgres } from '../../server/stores.js'

type Row = Record<string, unknown>
const ROWS = 1201 // of each table: more than two statements' worth
/** The tables that refer to projects. */
const OF_PROJECTS = ['assessments', 'newest_snapshots', 'saved_queries']
const scratch = scratchFolder()

/** The names of all tables of the embedded store but that of the migrations, as SQLite lists them. */
async function tablesOf({ db }: Store): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(db)
  return rows.map(({ name }) => name).filter(name => name !== 'migrations' && !name.startsWith('sqlite_'))
}

/** The rows of a table, sorted, with the same columns in both databases. */
async function rowsOf({ db }: Store, table: string): Promise<string[]> {
  const { rows } = await sql<Row>`select * from ${sql.table(table)}`.execute(db)
  return rows.map(row => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))).sort()
}

/** Fills every table that SQLite lists, by the types of its columns, so that a table added later is filled too. */
async function fill(store: Store): Promise<void> {
  await sql`pragma foreign_keys = off`.execute(store.db)
  for (const table of await tablesOf(store)) {
    const { rows: columns } = await sql<{ name: string; type: string }>`
      select name, type from pragma_table_info(${table})`.execute(store.db)
    const values = columns.map(({ name, type }) => {
      if (name === 'state') return sql`'completed'`
      return /int/i.test(type) ? sql`n` : sql`cast(n as text)`
    })
    await sql`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${ROWS})
      insert into ${sql.table(table)} (${sql.join(columns.map(({ name }) => sql.ref(name)))})
      select ${sql.join(values)} from numbers`.execute(store.db)
  }
}

describe('the tables of a store that is moved to PostgreSQL', () => {
  let source: Store
  let url: string
  let number = 0

  before(function () {
    if (!postgresUrl) this.skip()
  })

  beforeEach(async () => {
    number += 1
    source = await openStore(join(scratch.path, `${number}.db`))
    url = await storeInPostgres(join(scratch.path, `${number}`))
  })

  afterEach(() => source?.close())

  it('all arrive, with every row, and their sequences continue', async () => {
    await fill(source)
    for (const table of OF_PROJECTS)
      await sql`delete from ${sql.table(table)} where project_id = ${String(ROWS)}`.execute(source.db)
    await sql`delete from projects where sequence = ${ROWS}`.execute(source.db)
    const tables = await tablesOf(source)
    assert.ok(tables.length >= 19)
    const moved = await moveStore(source, url)
    assert.deepEqual(Object.keys(moved).sort(), tables.sort())
    const target = await openStore(url)
    try {
      for (const table of tables) {
        const rows = await rowsOf(source, table)
        const lacksOne = ['projects', ...OF_PROJECTS].includes(table)
        assert.equal(rows.length, lacksOne ? ROWS - 1 : ROWS, table)
        const arrived = await rowsOf(target, table)
        const isRecord = (row: string) => table === 'audit' && row.includes('"store.moved"')
        assert.equal(arrived.filter(isRecord).length, table === 'audit' ? 1 : 0, 'the move is recorded where it ends')
        assert.deepEqual(
          arrived.filter(row => !isRecord(row)),
          rows,
          table,
        )
      }
      const { sequence } = await addProject(target, { organization: '1', name: 'Next' })
      assert.equal(sequence, ROWS + 1, 'the number of a removed project is not used again')
    } finally {
      await target.close()
    }
  })

  it('stay where they are if a copy has fewer rows, and can be moved later', async () => {
    await fill(source)
    const target = await openStore(url)
    try {
      await sql`create rule swallow as on insert to sessions do instead nothing`.execute(target.db)
      await assert.rejects(moveStore(source, url), /stored 0 of the 1201 rows of "sessions", so nothing was copied/)
      for (const table of await tablesOf(source)) assert.deepEqual(await rowsOf(target, table), [], table)
      await addOrganization(source, { key: 'still', name: 'Used' })
      await sql`drop rule swallow on sessions`.execute(target.db)
      assert.equal((await moveStore(source, url)).organizations, ROWS + 1)
    } finally {
      await target.close()
    }
  })

  it('cannot be changed any more by a process that has the old store open', async () => {
    await addOrganization(source, { key: 'north', name: 'North' })
    const other = await openStore(join(scratch.path, `${number}.db`))
    try {
      await moveStore(source, url)
      await assert.rejects(addOrganization(other, { key: 'south', name: 'South' }), /was just moved to PostgreSQL: set/)
      await assert.rejects(openStore(join(scratch.path, `${number}.db`)), /was moved to PostgreSQL: name its database/)
    } finally {
      await other.close()
    }
  })
})
