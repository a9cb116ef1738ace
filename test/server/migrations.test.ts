import assert from 'node:assert/strict'
import { type Kysely, sql } from 'kysely'
import { type Migration, migrate } from '#server/database/migrations.js'
import { openStore, type Store, type StoreAddition } from '#server/database/store.js'
import { additions } from '#server/input/installed.js'
import { listOrganizations } from '#server/store/organizations.js'
import { ControlStore } from './control.js'

/** A step that makes a table, which fails when it runs a second time. */
const madeBy = (name: string, table: string): Migration => ({
  name,
  up: schema => schema.createTable(table).addColumn('id', 'text').execute(),
})
const NEXT = madeBy('0002-next', 'next_things')
const OF_A_PACKAGE = madeBy('foldgate-things/0001-start', 'things')

/** Applies these steps behind those of the server, and of the packages that are installed. */
const apply = async (store: Store, more: readonly Migration[]) => {
  const added = [...(await additions<StoreAddition>()).flatMap(({ migrations = [] }) => migrations), ...more]
  const db = store.db as unknown as Kysely<unknown>
  return migrate(db, { dialect: store.dialect, now: 0, patiently: work => work(db), added })
}

describe('the steps of the store', () => {
  const control = new ControlStore()
  const has = (table: string) =>
    sql`select 1 from ${sql.table(table)}`.execute(control.store.db).then(
      () => true,
      () => false,
    )

  it('that a store lacks are applied to it, and its contents stay', async () => {
    await control.addOrganizations('north')
    await apply(control.store, [NEXT])
    assert.ok(await has('next_things'))
    assert.equal((await listOrganizations(control.store)).length, 1)
    await apply(control.store, [NEXT, madeBy('0003-later', 'later_things')])
    assert.ok(await has('later_things'))
  })

  it('are applied once by two that open the store together', async () => {
    const other = await openStore(control.file)
    try {
      await Promise.all([apply(control.store, [NEXT]), apply(other, [NEXT])])
    } finally {
      await other.close()
    }
    const { rows } = await sql<{ name: string }>`select name from migrations`.execute(control.store.db)
    assert.equal(rows.filter(({ name }) => name === NEXT.name).length, 1)
  })

  it('of a package are applied whenever the package is installed, however new the store is', async () => {
    await apply(control.store, [NEXT])
    await apply(control.store, [NEXT, OF_A_PACKAGE])
    assert.ok(await has('things'))
  })

  it('of a package that is no longer installed make the store refused, by the name of the package', async () => {
    await apply(control.store, [OF_A_PACKAGE])
    await assert.rejects(
      openStore(control.file),
      /The control store has tables of the package foldgate-things: install it beside foldgate-server/,
    )
  })

  it('of another version of a package make the store refused, by the package and its step', async () => {
    await apply(control.store, [OF_A_PACKAGE, madeBy('foldgate-things/0002-more', 'more_things')])
    await assert.rejects(
      apply(control.store, [OF_A_PACKAGE]),
      /was changed by another version of foldgate-things \(change "foldgate-things\/0002-more"\)/,
    )
  })

  it('are all undone when one fails', async () => {
    const failing: Migration = { name: '0003-fails', up: () => Promise.reject(new Error('no such luck')) }
    await assert.rejects(apply(control.store, [NEXT, failing]), /no such luck/)
    assert.ok(!(await has('next_things')))
  })
})
