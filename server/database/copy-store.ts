import { rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { EMBEDDED } from './dialect.js'
import { MIGRATIONS_TABLE, MOVED } from './migrations.js'
import { openStore, type Store } from './store.js'

/** Rows per statement: with a dozen columns, well below the limit on parameters. */
const ROWS_PER_STATEMENT = 500
/** Has a row as soon as any command has used a store, so it does not show whether a store is empty. */
const FOLDERS = 'shared_folders'
const MOVED_AWAY =
  'The control store was just moved to PostgreSQL: set FOLDGATE_STORE and run the command again'

/** A table of the embedded store, as its catalogue describes it. */
interface Table {
  name: string
  columns: string[]
  /** The column that numbers the rows, and the largest number that it has had; null when there is none. */
  sequence: { column: string; largest: number } | null
  rows: number
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
      const tables = await tablesOf(from.db as unknown as Kysely<AnyTables>)
      if (tables.every(({ name, rows }) => rows === 0 || name === FOLDERS))
        throw new Refusal(
          'The control store in the data folder is empty: name the data folder to move with --data',
        )
      // Written first and committed last: if the process is killed in between, both stores are complete.
      await close(from, tables)
      const target = await openStore(url)
      try {
        await target.transaction(to => copyTables(from, to, tables))
      } finally {
        await target.close()
      }
      return Object.fromEntries(tables.map(({ name, rows }) => [name, rows]))
    }),
  )
}

async function copyTables(from: Store, to: Store, tables: readonly Table[]): Promise<void> {
  const [source, target] = [from, to].map(store => store.db as unknown as Kysely<AnyTables>) as [
    Kysely<AnyTables>,
    Kysely<AnyTables>,
  ]
  await target.deleteFrom(FOLDERS).execute()
  for (const { name } of tables) {
    if ((await countRows(target, name)) === 0) continue
    throw new Refusal(
      `The PostgreSQL database has a control store already (its table ${quoted(name)} has rows): name an empty one`,
    )
  }
  for (const table of tables) {
    for await (const rows of readRows(source, table))
      await target.insertInto(table.name).values(rows).execute()
    const { sequence } = table
    if (sequence)
      await sql`select setval(pg_get_serial_sequence(${table.name}, ${sequence.column}), ${sequence.largest})`.execute(
        target,
      )
    const copied = await countRows(target, table.name)
    if (copied === table.rows) continue
    throw new Refusal(
      `PostgreSQL has stored ${copied} of the ${table.rows} rows of ${quoted(table.name)}, so nothing was moved: remove ` +
        'the rules and triggers of that table, or name another database',
    )
  }
}

/** Lists the tables, so that each comes after those that it refers to. */
async function tablesOf(db: Kysely<AnyTables>): Promise<Table[]> {
  const found = (await db.introspection.getTables()).filter(({ name }) => name !== MIGRATIONS_TABLE)
  const { rows: references } = await sql<{ name: string; refersTo: string }>`
    select m.name, f."table" as "refersTo" from sqlite_master m, pragma_foreign_key_list(m.name) f
    where m.type = 'table'`.execute(db)
  const { rows: sequences } = await sql<{ name: string; seq: number }>`
    select name, seq from sqlite_sequence`.execute(db)
  const ordered = new Set<string>()
  const visited = new Set<string>()
  const add = (name: string) => {
    if (visited.has(name)) return
    visited.add(name)
    for (const each of references) if (each.name === name) add(each.refersTo)
    ordered.add(name)
  }
  for (const { name } of found) add(name)
  return Promise.all(
    [...ordered].map(async name => {
      const columns = found.find(table => table.name === name)?.columns ?? []
      const counter = columns.find(column => column.isAutoIncrementing)?.name
      const largest = sequences.find(sequence => sequence.name === name)?.seq ?? 0
      return {
        name,
        columns: columns.map(column => column.name),
        sequence: counter !== undefined && largest > 0 ? { column: counter, largest } : null,
        rows: await countRows(db, name),
      }
    }),
  )
}

async function countRows(db: QueryExecutorProvider, table: string): Promise<number> {
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`.execute(db)
  return rows[0]?.rows ?? 0
}

async function* readRows(
  db: QueryExecutorProvider,
  { name, columns }: Table,
): AsyncGenerator<Record<string, unknown>[]> {
  for (let after = 0; ; ) {
    const { rows } = await sql<Record<string, unknown>>`
      select rowid as "the rowid", ${sql.join(columns.map(column => sql.ref(column)))} from ${sql.table(name)}
      where rowid > ${after} order by rowid limit ${ROWS_PER_STATEMENT}`.execute(db)
    if (rows.length === 0) return
    after = Number(rows.at(-1)?.['the rowid'])
    // Column by column, since the driver adds members of its own to some rows.
    yield rows.map(row => Object.fromEntries(columns.map(column => [column, row[column]])))
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
 * Copies a consistent state of the embedded store to a new file, while other processes use the store. Throws
 * a Refusal when the file exists or cannot be written, and when the store is in PostgreSQL.
 */
export async function copyStore(store: Store, file: string): Promise<void> {
  if (store.dialect !== EMBEDDED)
    throw new Refusal('The control store is in PostgreSQL: copy it with pg_dump, see docs/operate.md')
  if (await stat(file).catch(() => null))
    throw new Refusal(`The file ${quoted(file)} already exists: name another`)
  const draft = `${resolve(file)}.draft`
  try {
    await rm(draft, { force: true })
    await sql`VACUUM INTO ${draft}`.execute(store.db)
    await rename(draft, file)
  } catch (cause) {
    await rm(draft, { force: true })
    throw new Refusal(`The file ${quoted(file)} cannot be written: name one in a folder that has room`, {
      cause,
    })
  }
}
