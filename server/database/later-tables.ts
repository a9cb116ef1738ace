import { type QueryExecutorProvider, type SchemaModule, sql } from 'kysely'
import type { Dialect } from './dialect.js'

/** Creates the tables of webhooks and of what is delivered to them. */
export async function createWebhooks(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('webhooks')
    .ifNotExists()
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('user_id', 'text', column => column.notNull().references('users.id'))
    .addColumn('url', 'text', column => column.notNull())
    .addColumn('secret', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('disabled_at', 'bigint')
    .addColumn('removed_at', 'bigint')
    .execute()
  await schema.createIndex('webhooks_of_user').ifNotExists().on('webhooks').column('user_id').execute()
  await schema
    .createTable('webhook_organizations')
    .ifNotExists()
    .addColumn('webhook_id', 'text', column => column.notNull().references('webhooks.id'))
    .addColumn('organization_key', 'text', column => column.notNull().references('organizations.key'))
    .addPrimaryKeyConstraint('webhook_organizations_pk', ['webhook_id', 'organization_key'])
    .execute()
  await schema
    .createTable('webhook_events')
    .ifNotExists()
    .addColumn('webhook_id', 'text', column => column.notNull().references('webhooks.id'))
    .addColumn('event', 'text', column => column.notNull())
    .addPrimaryKeyConstraint('webhook_events_pk', ['webhook_id', 'event'])
    .execute()
  await schema
    .createTable('webhook_deliveries')
    .ifNotExists()
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('webhook_id', 'text', column => column.notNull().references('webhooks.id'))
    .addColumn('event', 'text', column => column.notNull())
    .addColumn('subject', 'text', column => column.notNull())
    .addColumn('organization_key', 'text', column => column.references('organizations.key'))
    .addColumn('body', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('state', 'text', column => column.notNull())
    .addColumn('attempts', 'bigint', column => column.notNull())
    .addColumn('next_at', 'bigint')
    .addColumn('claimed_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('status', 'bigint')
    .addColumn('outcome', 'text')
    .execute()
  // A webhook receives an event once, even when two processes find the same snapshot.
  await schema
    .createIndex('one_delivery_of_event')
    .ifNotExists()
    .unique()
    .on('webhook_deliveries')
    .columns(['webhook_id', 'event', 'subject'])
    .execute()
  await schema
    .createIndex('due_deliveries')
    .ifNotExists()
    .on('webhook_deliveries')
    .columns(['state', 'next_at'])
    .execute()
  await schema
    .createIndex('due_deliveries_of_webhook')
    .ifNotExists()
    .on('webhook_deliveries')
    .columns(['webhook_id', 'state', 'next_at'])
    .execute()
}

/** Creates the table of projects that another engine runs. */
export async function createEngines(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('project_engines')
    .ifNotExists()
    .addColumn('project_id', 'text', column => column.primaryKey())
    .addColumn('engine', 'text', column => column.notNull())
    .execute()
}

/** Creates the table of saved queries. */
export async function createSavedQueries(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('saved_queries')
    .ifNotExists()
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('user_id', 'text', column => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('project_id', 'text', column => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('organization_key', 'text', column =>
      column.references('organizations.key').onDelete('cascade'),
    )
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

/**
 * Indexes with all that a list of saved queries shows: reading their rows takes
 * long, since they have the SQL.
 */
export async function indexSavedQueries(schema: SchemaModule): Promise<void> {
  const indexes = {
    saved_queries_of_user: ['user_id', 'project_id', 'saved_at', 'id', 'organization_key', 'name'],
    saved_queries_shared: ['organization_key', 'project_id', 'saved_at', 'id', 'user_id', 'name'],
  }
  for (const [name, columns] of Object.entries(indexes))
    await schema.createIndex(name).ifNotExists().on('saved_queries').columns(columns).execute()
}

/** Adds what users typed for the parameters of saved queries, as JSON; null for queries without parameters. */
export async function addSavedParameters(schema: SchemaModule): Promise<void> {
  await schema.alterTable('saved_queries').addColumn('parameters', 'text').execute()
}

/** Creates the table of quota windows, and copies the current windows of keys into it. */
export async function createCallWindows(
  schema: SchemaModule,
  _: Dialect,
  db: QueryExecutorProvider,
): Promise<void> {
  await schema
    .createTable('call_windows')
    .ifNotExists()
    .addColumn('level', 'text', column => column.notNull())
    .addColumn('id', 'text', column => column.notNull())
    .addColumn('started_at', 'bigint', column => column.notNull())
    .addColumn('taken', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('call_windows_pk', ['level', 'id'])
    .execute()
  await sql`
    insert into call_windows (level, id, started_at, taken)
    select 'key', key_id, started_at, taken from quota_windows where true
    on conflict do nothing`.execute(db)
}

/** Adds when a webhook began to fail, and why it was switched off. */
export async function addWebhookFailures(schema: SchemaModule): Promise<void> {
  await schema.alterTable('webhooks').addColumn('failing_since', 'bigint').execute()
  await schema.alterTable('webhooks').addColumn('disabled_for', 'text').execute()
}

/** Adds the limits of keys. */
export async function addKeyLimits(schema: SchemaModule): Promise<void> {
  await schema.alterTable('keys').addColumn('limits', 'text').execute()
}

/** Creates the tables of suspended users, of removed users and projects, and of exports. */
export async function createRemoval(schema: SchemaModule): Promise<void> {
  for (const [table, instant] of [
    ['suspended_users', 'suspended_at'],
    ['removed_users', 'removed_at'],
  ] as const)
    await schema
      .createTable(table)
      .ifNotExists()
      .addColumn('user_id', 'text', column => column.primaryKey().references('users.id'))
      .addColumn(instant, 'bigint', column => column.notNull())
      .execute()
  await schema
    .createTable('removed_projects')
    .ifNotExists()
    .addColumn('project_id', 'text', column => column.primaryKey())
    .addColumn('removed_at', 'bigint', column => column.notNull())
    .execute()
  // Without references: an export may outlive its project until its file is removed.
  await schema
    .createTable('exports')
    .ifNotExists()
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('project_id', 'text', column => column.notNull())
    .addColumn('user_id', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .execute()
}

/** Numbers the changes of snapshots, as far as the store knows them, and makes PostgreSQL tell changes. */
export async function tellChanges(
  schema: SchemaModule,
  dialect: Dialect,
  db: QueryExecutorProvider,
): Promise<void> {
  await schema
    .alterTable('newest_snapshots')
    .addColumn('revision', 'bigint', column => column.notNull().defaultTo(0))
    .execute()
  await schema
    .createIndex('revisions_of_snapshots')
    .ifNotExists()
    .on('newest_snapshots')
    .column('revision')
    .execute()
  await dialect.tellChanges(db)
}
