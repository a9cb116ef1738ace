import type { Kysely, QueryExecutorProvider, SchemaModule } from 'kysely'
import { Refusal } from '../input/refusal.js'
import { createAccess } from './access-tables.js'
import { createAudit } from './audit-tables.js'
import type { Dialect } from './dialect.js'
import { createProjects } from './project-tables.js'
import { createUsage } from './usage-tables.js'

/** Runs work on a connection whose statements may take long. */
export type Patiently = (work: (db: Kysely<unknown>) => Promise<void>) => Promise<void>

/** A step from one schema of the store to the next. New steps are only ever appended. */
export interface Migration {
  /** Of a package's: after its name, as `foldgate-webhooks/0001-start`. */
  name: string
  up(schema: SchemaModule, dialect: Dialect, db: QueryExecutorProvider): Promise<void>
}

const MIGRATIONS: readonly Migration[] = [
  {
    name: '0001-start',
    async up(schema, dialect, db) {
      await createAccess(schema)
      await createProjects(schema, dialect)
      await createUsage(schema)
      await createAudit(schema, dialect, db)
      await dialect.tellChanges(db)
    },
  },
]

/** The table that lists the applied migrations. */
export const MIGRATIONS_TABLE = 'migrations'

/** Listed in place of a migration in an embedded store that was moved to PostgreSQL. */
export const MOVED = 'moved-to-postgresql'

interface Applied {
  migrations: { name: string; applied_at: number }
}

/**
 * Applies the migrations that a store lacks; several processes may do so at once. Throws a {@link Refusal}
 * that names the migration if a newer version has changed the store.
 */
export async function migrate(
  store: Kysely<unknown>,
  given: { dialect: Dialect; now: number; patiently: Patiently; added?: readonly Migration[] },
): Promise<void> {
  const { dialect, now, patiently, added = [] } = given
  const all = [...MIGRATIONS, ...added]
  const db = store as Kysely<Applied>
  const found = await missing(db, all).catch(cause => {
    if (dialect.lacksTable(cause)) return all
    throw cause
  })
  if (found.length === 0) return
  await patiently(over => applyMissing(over as Kysely<Applied>, all, dialect, now))
}

function applyMissing(
  db: Kysely<Applied>,
  all: readonly Migration[],
  dialect: Dialect,
  now: number,
): Promise<void> {
  return db.transaction().execute(async within => {
    await dialect.lockOutWriters(within)
    await within.schema
      .createTable(MIGRATIONS_TABLE)
      .ifNotExists()
      .addColumn('name', 'text', column => column.primaryKey())
      .addColumn('applied_at', 'bigint', column => column.notNull())
      .execute()
    for (const migration of await missing(within, all)) {
      await migration.up(within.schema, dialect, within)
      await within.insertInto('migrations').values({ name: migration.name, applied_at: now }).execute()
    }
  })
}

async function missing(db: Kysely<Applied>, all: readonly Migration[]): Promise<readonly Migration[]> {
  const applied = (await db.selectFrom('migrations').select('name').orderBy('name').execute()).map(
    row => row.name,
  )
  if (applied.includes(MOVED)) {
    throw new Refusal(
      'The control store of this data folder was moved to PostgreSQL: name its database with --store or FOLDGATE_STORE',
    )
  }
  const unknown = applied.find(name => !all.some(migration => migration.name === name))
  const [owner = '', ofPackage] = unknown?.split('/') ?? []
  if (ofPackage !== undefined && !all.some(({ name }) => name.startsWith(`${owner}/`)))
    throw new Refusal(
      `The control store has tables of the package ${owner}: install it beside foldgate-server`,
    )
  if (unknown) {
    throw new Refusal(
      `The control store was changed by another version of ${ofPackage ? owner : 'foldgate'} (change "${unknown}"): run that version, or name ` +
        'another data folder with --data or another store with --store',
    )
  }
  return all.filter(migration => !applied.includes(migration.name))
}
