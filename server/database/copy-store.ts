import { chmod, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { EMBEDDED } from './dialect.js'
import { MIGRATIONS_TABLE, MOVED } from './migrations.js'
import { openStore, type Store } from './store.js'

/** Rows per statement: with a dozen columns, well below the limit on parameters. */
const ROWS_PER_STATEMENT = 500
/** Have rows as soon as any command has looked at a store, so they do not show whether a store is empty. */
const OF_ANY_STORE = ['shared_folders', 'chores']
const MOVED_AWAY =
  'The control store was just moved to PostgreSQL: set FOLDGATE_STORE and run the command again'

/** A table of the store, as the catalogue of an embedded one describes it. */
interface Table {
  name: string
  columns: string[]
  /** The columns of its primary key. */
  key: string[]
  /** The column that numbers the rows; null when there is none. */
  counter: string | null
}

type AnyTables = Record<string, Record<string, unknown>>

/**
 * Copies every table of an embedded store to the empty PostgreSQL database at `url`, in one transaction, and
 * makes the embedded store refuse to be opened and written to. Returns the number of rows by table. Throws a
 * Refusal when the source is not embedded or the target is not empty, and when a copy lacks rows; then no row
 * has moved. No server may use the source.
 */
export async function moveStore(source: Store, url: string): Promise<Record<string, number>> {
  if (source.dialect !== EMBEDDED)
    throw new Refusal(
      'The control store is in PostgreSQL already: to move the one in the data folder, run the command without --store ' +
        'and without FOLDGATE_STORE',
    )
  // An import writes in several transactions: all of them have to reach the same store.
  return source.withImportLock(() =>
    source.transaction(async from => {
      const tables = await tablesOf(from)
      let isEmpty = true
      for (const { name } of tables)
        if (!OF_ANY_STORE.includes(name) && (await countRows(tablesIn(from), name)) > 0) isEmpty = false
      if (isEmpty)
        throw new Refusal(
          'The control store in the data folder is empty: name the data folder to move with --data',
        )
      // Written first and committed last: if the process is killed in between, both stores are complete.
      await close(from, tables)
      const target = await openStore(url)
      try {
        return await target.transaction(async within => {
          const rows = await copyRows(from, within)
          const moved = { type: 'store.moved', subject: 'control.db', at: within.clock.now(), data: { rows } }
          await within.tell({ ...moved, concerns: { operator: true } })
          return rows
        })
      } finally {
        await target.close()
      }
    }),
  )
}

/** Throws a Refusal when a store that is to be copied to, from one with the same tables, is not empty. */
export async function requireEmpty(to: Store, from: Store): Promise<void> {
  for (const { name } of await tablesOf(from.dialect === EMBEDDED ? from : to)) {
    if (OF_ANY_STORE.includes(name) || (await countRows(tablesIn(to), name)) === 0) continue
    throw new Refusal(
      `The ${nameOf(to)} has a control store already (its table ${quoted(name)} has rows): name an empty one`,
    )
  }
}

/**
 * Copies every table of a store to an empty store, in one transaction of the target. At least one of both stores is
 * embedded. Returns the
 * number of rows by table. Throws a Refusal when the target is not empty, and when the copy lacks rows.
 */
export async function copyRows(from: Store, to: Store): Promise<Record<string, number>> {
  const tables = await tablesOf(from.dialect === EMBEDDED ? from : to)
  return to.transaction(async within => {
    const [source, target] = [tablesIn(from), tablesIn(within)]
    const copied: Record<string, number> = {}
    for (const name of OF_ANY_STORE) await target.deleteFrom(name).execute()
    await requireEmpty(within, from)
    for (const table of tables) {
      const { name, counter } = table
      for await (const rows of readRows(source, table)) await target.insertInto(name).values(rows).execute()
      if (counter !== null)
        await setCounter(within, { table: name, counter, to: await counterOf(from, table) })
      const had = await countRows(source, name)
      copied[name] = await countRows(target, name)
      if (copied[name] === had) continue
      throw new Refusal(
        `The ${nameOf(to)} has stored ${copied[name]} of the ${had} rows of ${quoted(name)}, so nothing was copied: remove ` +
          'the rules and triggers of that table, or name another one',
      )
    }
    return copied
  })
}

function nameOf({ dialect }: Store): string {
  return dialect === EMBEDDED ? 'data folder' : 'PostgreSQL database'
}

function tablesIn({ db }: Store): Kysely<AnyTables> {
  return db as unknown as Kysely<AnyTables>
}

/** Lists the tables of an embedded store, so that each comes after those that it refers to. */
async function tablesOf(store: Store): Promise<Table[]> {
  const db = tablesIn(store)
  const found = (await db.introspection.getTables()).filter(({ name }) => name !== MIGRATIONS_TABLE)
  const { rows: references } = await sql<{ name: string; refersTo: string }>`
    select m.name, f."table" as "refersTo" from sqlite_master m, pragma_foreign_key_list(m.name) f
    where m.type = 'table'`.execute(db)
  const { rows: keys } = await sql<{ name: string; column: string }>`
    select m.name, c.name as "column" from sqlite_master m, pragma_table_info(m.name) c
    where m.type = 'table' and c.pk > 0 order by m.name, c.pk`.execute(db)
  const ordered = new Set<string>()
  const visited = new Set<string>()
  const add = (name: string) => {
    if (visited.has(name)) return
    visited.add(name)
    for (const each of references) if (each.name === name) add(each.refersTo)
    ordered.add(name)
  }
  for (const { name } of found) add(name)
  return [...ordered].map(name => {
    const columns = found.find(table => table.name === name)?.columns ?? []
    return {
      name,
      columns: columns.map(column => column.name),
      key: keys.filter(each => each.name === name).map(({ column }) => column),
      counter: columns.find(column => column.isAutoIncrementing)?.name ?? null,
    }
  })
}

async function countRows(db: QueryExecutorProvider, table: string): Promise<number> {
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`.execute(db)
  return Number(rows[0]?.rows ?? 0)
}

/** The largest number that rows of a table have had; 0 when it had none. */
async function counterOf({ db, dialect }: Store, { name, counter }: Table): Promise<number> {
  const last =
    dialect === EMBEDDED
      ? sql<{ last: number }>`select seq as last from sqlite_sequence where name = ${name}`
      : sql<{
          last: number
        }>`select pg_sequence_last_value(pg_get_serial_sequence(${name}, ${counter})::regclass) as last`
  return Number((await last.execute(db)).rows[0]?.last ?? 0)
}

async function setCounter(
  { db, dialect }: Store,
  { table, counter, to }: { table: string; counter: string; to: number },
): Promise<void> {
  if (to === 0) return
  if (dialect !== EMBEDDED) {
    await sql`select setval(pg_get_serial_sequence(${table}, ${counter}), ${to})`.execute(db)
    return
  }
  await sql`delete from sqlite_sequence where name = ${table}`.execute(db)
  await sql`insert into sqlite_sequence (name, seq) values (${table}, ${to})`.execute(db)
}

/** Reads the rows of a table in the order of their key, some at a time. */
async function* readRows(
  db: QueryExecutorProvider,
  { name, columns, key }: Table,
): AsyncGenerator<Record<string, unknown>[]> {
  const list = (names: readonly string[]) => sql.join(names.map(each => sql.ref(each)))
  for (let after = sql``; ; ) {
    const { rows } = await sql<Record<string, unknown>>`
      select ${list(columns)} from ${sql.table(name)} ${after} order by ${list(key)}
      limit ${sql.lit(ROWS_PER_STATEMENT)}`.execute(db)
    // Column by column, since the driver adds members of its own to some rows.
    if (rows.length > 0)
      yield rows.map(row => Object.fromEntries(columns.map(column => [column, row[column]])))
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_STATEMENT) return
    after = sql`where (${list(key)}) > (${sql.join(key.map(column => last[column]))})`
  }
}

/** Makes later opens of the store, and writes over open connections, fail. */
async function close(store: Store, tables: readonly Table[]): Promise<void> {
  const moved = { name: MOVED, applied_at: store.clock.now() }
  const db = store.db as unknown as Kysely<AnyTables>
  await db.insertInto(MIGRATIONS_TABLE).values(moved).execute()
  for (const { name } of tables) {
    for (const change of ['insert', 'update', 'delete']) {
      await sql`create trigger ${sql.id(`moved_${name}_${change}`)} before ${sql.raw(change)} on ${sql.table(name)}
        begin select raise(abort, ${sql.lit(MOVED_AWAY)}); end`.execute(db)
    }
  }
}

/**
 * Copies a consistent state of a store to a new file, an embedded store, while other processes use it. Throws a
 * Refusal when the file exists or cannot be written.
 */
export async function copyStore(store: Store, file: string): Promise<void> {
  if (await stat(file).catch(() => null))
    throw new Refusal(`The file ${quoted(file)} already exists: name another`)
  const draft = `${resolve(file)}.draft`
  try {
    await rm(draft, { force: true })
    if (store.dialect === EMBEDDED) await sql`VACUUM INTO ${draft}`.execute(store.db)
    else await copyToFile(store, draft)
    await chmod(draft, 0o600)
    await rename(draft, file)
  } catch (cause) {
    await rm(draft, { force: true })
    throw new Refusal(`The file ${quoted(file)} cannot be written: name one in a folder that has room`, {
      cause,
    })
  }
}

/** Reads all tables as they are at one time, since rows of one refer to those of others. */
async function copyToFile(store: Store, file: string): Promise<void> {
  const scratch = await mkdtemp(`${file}-`)
  const target = await openStore(join(scratch, 'store.db'), { isDurable: false })
  try {
    await store.db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async db => copyRows({ ...store, db }, target))
    await sql`VACUUM INTO ${file}`.execute(target.db) // into one file, without a log beside it
  } finally {
    await target.close()
    await rm(scratch, { recursive: true, force: true })
  }
}
