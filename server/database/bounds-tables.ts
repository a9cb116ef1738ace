import { type QueryExecutorProvider, type SchemaModule, sql } from 'kysely'
import type { Dialect } from './dialect.js'

/** Creates the table of quota windows, with those that run. */
export async function createCallWindows(schema: SchemaModule, _: Dialect, db: QueryExecutorProvider): Promise<void> {
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

/** Adds since when a webhook fails, and why it was disabled. */
export async function addWebhookFailures(schema: SchemaModule): Promise<void> {
  await schema.alterTable('webhooks').addColumn('failing_since', 'bigint').execute()
  await schema.alterTable('webhooks').addColumn('disabled_for', 'text').execute()
}
