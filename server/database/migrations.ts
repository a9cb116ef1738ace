import type { Kysely, QueryExecutorProvider, SchemaModule } from 'kysely'
import { Refusal } from '../input/refusal.js'
import type { Dialect } from './dialect.js'
import {
  createFirstTables,
  createQuotaWindows,
  createSessions,
  createSnapshots,
  createUsage,
} from './first-tables.js'
import {
  addKeyLimits,
  addSavedParameters,
  addWebhookFailures,
  createCallWindows,
  createEngines,
  createRemoval,
  createSavedQueries,
  createWebhooks,
  indexSavedQueries,
  tellChanges,
} from './later-tables.js'
import { indexEndedDeliveries, indexExports, prepareRetention } from './retention-tables.js'

/** Runs work on a connection whose statements may take long. */
export type Patiently = (work: (db: Kysely<unknown>) => Promise<void>) => Promise<void>

/** A step from one schema of the store to the next. New steps are only ever appended. */
export interface Migration {
  /** Of a package's: after its name, as `foldgate-webhooks/0001-start`. */
  name: string
  up(schema: SchemaModule, dialect: Dialect, db: QueryExecutorProvider): Promise<void>
}

const MIGRATIONS: readonly Migration[] = [
  { name: '0001-start', up: createFirstTables },
  { name: '0002-usage', up: createUsage },
  { name: '0003-quota', up: createQuotaWindows },
  { name: '0004-sessions', up: createSessions },
  { name: '0005-snapshots', up: createSnapshots },
  { name: '0006-webhooks', up: createWebhooks },
  { name: '0007-engines', up: createEngines },
  { name: '0008-saved-queries', up: createSavedQueries },
  { name: '0009-saved-query-lists', up: indexSavedQueries },
  { name: '0010-call-windows', up: createCallWindows },
  { name: '0011-failing-webhooks', up: addWebhookFailures },
  { name: '0012-removal', up: createRemoval },
  { name: '0013-key-limits', up: addKeyLimits },
  { name: '0014-saved-parameters', up: addSavedParameters },
  { name: '0015-changes', up: tellChanges },
  { name: '0016-retention', up: prepareRetention },
  { name: '0017-ended-deliveries', up: indexEndedDeliveries },
  { name: '0018-exports', up: indexExports },
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
  if (ofPackage !== undefined)
    throw new Refusal(
      `The control store has tables of the package ${owner}: install it beside foldgate-server`,
    )
  if (unknown) {
    throw new Refusal(
      `The control store was changed by a newer version of foldgate (change "${unknown}"): run that version, or name ` +
        'another data folder with --data or another store with --store',
    )
  }
  return all.filter(migration => !applied.includes(migration.name))
}
