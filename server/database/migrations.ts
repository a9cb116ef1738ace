import { type Kysely, type QueryExecutorProvider, type SchemaModule, sql } from 'kysely'
import { Refusal } from '../input/refusal.js'
import { addWebhookFailures, createCallWindows } from './bounds-tables.js'
import type { Dialect } from './dialect.js'
import { createRemoval } from './removal-tables.js'
import { createWebhooks } from './webhook-tables.js'

/** A step from one schema of the store to the next. New steps are only ever appended. */
interface Migration {
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
]

/** The table that lists the applied migrations. */
export const MIGRATIONS_TABLE = 'migrations'

/** Listed in place of a migration in an embedded store that was moved to PostgreSQL. */
export const MOVED = 'moved-to-postgresql'

interface Applied {
  migrations: { name: string; applied_at: number }
}

/**
 * Applies the migrations that a store lacks; several processes may do so at once. Throws a {@link Refusal} that names
 * the migration if a newer version has changed the store.
 */
export async function migrate(store: Kysely<unknown>, dialect: Dialect, now: number): Promise<void> {
  const db = store as Kysely<Applied>
  const found = await missing(db).catch(cause => {
    if (dialect.lacksTable(cause)) return MIGRATIONS
    throw cause
  })
  if (found.length === 0) return
  await db.transaction().execute(async within => {
    await dialect.keepOthersOut(within)
    await within.schema
      .createTable(MIGRATIONS_TABLE)
      .ifNotExists()
      .addColumn('name', 'text', column => column.primaryKey())
      .addColumn('applied_at', 'bigint', column => column.notNull())
      .execute()
    for (const migration of await missing(within)) {
      await migration.up(within.schema, dialect, within)
      await within.insertInto('migrations').values({ name: migration.name, applied_at: now }).execute()
    }
  })
}

async function missing(db: Kysely<Applied>): Promise<readonly Migration[]> {
  const applied = (await db.selectFrom('migrations').select('name').orderBy('name').execute()).map(row => row.name)
  if (applied.includes(MOVED)) {
    throw new Refusal(
      'The control store of this data folder was moved to PostgreSQL: name its database with --store or FOLDGATE_STORE',
    )
  }
  const unknown = applied.find(name => !MIGRATIONS.some(migration => migration.name === name))
  if (unknown) {
    throw new Refusal(
      `The control store was changed by a newer version of foldgate (change "${unknown}"): run that version, or name ` +
        'another data folder with --data or another store with --store',
    )
  }
  return MIGRATIONS.filter(migration => !applied.includes(migration.name))
}

async function createFirstTables(schema: SchemaModule, dialect: Dialect): Promise<void> {
  await schema
    .createTable('organizations')
    .addColumn('key', 'text', column => column.primaryKey())
    .addColumn('name', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .execute()
  await schema
    .createTable('users')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('email', 'text', column => column.notNull().unique())
    .addColumn('password_hash', 'text')
    .addColumn('created_at', 'bigint', column => column.notNull())
    .execute()
  await schema
    .createTable('memberships')
    .addColumn('user_id', 'text', column => column.notNull().references('users.id'))
    .addColumn('organization_key', 'text', column => column.notNull().references('organizations.key'))
    .addPrimaryKeyConstraint('memberships_pk', ['user_id', 'organization_key'])
    .execute()
  await schema
    .createTable('keys')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('user_id', 'text', column => column.notNull().references('users.id'))
    .addColumn('name', 'text', column => column.notNull())
    .addColumn('hash', 'text', column => column.notNull().unique())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute()
  await schema
    .createTable('key_organizations')
    .addColumn('key_id', 'text', column => column.notNull().references('keys.id'))
    .addColumn('organization_key', 'text', column => column.notNull().references('organizations.key'))
    .addPrimaryKeyConstraint('key_organizations_pk', ['key_id', 'organization_key'])
    .execute()
  await schema
    .createTable('projects')
    .addColumn('sequence', dialect.sequence.type, dialect.sequence.column)
    .addColumn('id', 'text', column => column.notNull().unique())
    .addColumn('organization_key', 'text', column => column.notNull().references('organizations.key'))
    .addColumn('name', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .execute()
  await schema
    .createIndex('projects_of_organization')
    .on('projects')
    .columns(['organization_key', 'sequence'])
    .execute()
  await schema
    .createTable('assessments')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('project_id', 'text', column => column.notNull().references('projects.id'))
    .addColumn('state', 'text', column => column.notNull().check(sql`state IN ('running', 'completed', 'failed')`))
    .addColumn('started_at', 'bigint', column => column.notNull())
    .addColumn('ended_at', 'bigint')
    .execute()
  await schema.createIndex('assessments_of_project').on('assessments').columns(['project_id', 'state']).execute()
  await schema
    .createIndex('one_running_assessment')
    .unique()
    .on('assessments')
    .column('project_id')
    .where(sql.ref('state'), '=', sql.lit('running'))
    .execute()
  await schema
    .createTable('secrets')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('value', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .execute()
}

async function createUsage(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('usage')
    .addColumn('key_id', 'text', column => column.notNull().references('keys.id'))
    .addColumn('day', 'text', column => column.notNull())
    .addColumn('method', 'text', column => column.notNull())
    .addColumn('outcome', 'text', column => column.notNull())
    .addColumn('calls', 'bigint', column => column.notNull())
    .addColumn('rows', 'bigint', column => column.notNull())
    .addColumn('bytes', 'bigint', column => column.notNull())
    .addColumn('last_at', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('usage_pk', ['key_id', 'day', 'method', 'outcome'])
    .execute()
}

async function createQuotaWindows(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('quota_windows')
    .addColumn('key_id', 'text', column => column.primaryKey().references('keys.id'))
    .addColumn('started_at', 'bigint', column => column.notNull())
    .addColumn('taken', 'bigint', column => column.notNull())
    .execute()
}

async function createSessions(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('sessions')
    .addColumn('hash', 'text', column => column.primaryKey())
    .addColumn('user_id', 'text', column => column.notNull().references('users.id'))
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('seen_at', 'bigint', column => column.notNull())
    .execute()
  await schema.createIndex('sessions_of_user').on('sessions').column('user_id').execute()
}

async function createSnapshots(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('newest_snapshots')
    .ifNotExists()
    .addColumn('project_id', 'text', column => column.primaryKey().references('projects.id').onDelete('cascade'))
    .addColumn('snapshot_id', 'text', column => column.notNull())
    .execute()
  await schema
    .createTable('shared_folders')
    .ifNotExists()
    .addColumn('id', 'text', column => column.primaryKey())
    .execute()
}

async function createEngines(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('project_engines')
    .ifNotExists()
    .addColumn('project_id', 'text', column => column.primaryKey())
    .addColumn('engine', 'text', column => column.notNull())
    .execute()
}

async function createSavedQueries(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('saved_queries')
    .ifNotExists()
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('user_id', 'text', column => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('project_id', 'text', column => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('organization_key', 'text', column => column.references('organizations.key').onDelete('cascade'))
    .addColumn('name', 'text', column => column.notNull())
    .addColumn('sql', 'text', column => column.notNull())
    .addColumn('saved_at', 'bigint', column => column.notNull())
    .addUniqueConstraint('saved_query_of_name', ['user_id', 'project_id', 'name'])
    .execute()
  await schema
    .createIndex('saved_queries_of_organization')
    .ifNotExists()
    .on('saved_queries')
    .column('organization_key')
    .execute()
}

/** Indexes with all that a list of saved queries shows: reading their rows takes long, since they have the SQL. */
async function indexSavedQueries(schema: SchemaModule): Promise<void> {
  const indexes = {
    saved_queries_of_user: ['user_id', 'project_id', 'saved_at', 'id', 'organization_key', 'name'],
    saved_queries_shared: ['organization_key', 'project_id', 'saved_at', 'id', 'user_id', 'name'],
  }
  for (const [name, columns] of Object.entries(indexes))
    await schema.createIndex(name).ifNotExists().on('saved_queries').columns(columns).execute()
}
