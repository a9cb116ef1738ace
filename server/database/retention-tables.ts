import { type SchemaModule, sql } from 'kysely'
import { type Dialect, EMBEDDED } from './dialect.js'

/**
 * Adds what is needed to forget: when a key was forgotten, the last use that is no longer in the table of usage, the
 * chores that one of several servers does, and indexes for what is old. Drops the quota windows of servers before 0.2,
 * except in PostgreSQL: such servers run beside newer ones until they are upgraded too, and take quota there. Keys can be
 * removed all the same.
 */
export async function prepareRetention(schema: SchemaModule, dialect: Dialect): Promise<void> {
  if (dialect === EMBEDDED) await schema.dropTable('quota_windows').execute()
  else
    await schema.alterTable('quota_windows').dropConstraint('quota_windows_key_id_fkey').ifExists().execute()
  for (const column of ['forgotten_at', 'last_used_at'])
    await schema.alterTable('keys').addColumn(column, 'bigint').execute()
  await schema
    .createTable('chores')
    .ifNotExists()
    .addColumn('name', 'text', column => column.primaryKey())
    .addColumn('started_at', 'bigint', column => column.notNull())
    .execute()
  await schema.createIndex('usage_of_day').ifNotExists().on('usage').columns(['day', 'key_id']).execute()
  for (const column of ['revoked_at', 'expires_at'])
    await schema
      .createIndex(`keys_to_forget_by_${column}`)
      .ifNotExists()
      .on('keys')
      .column(column)
      .where(sql.ref(column), 'is not', null)
      .where(sql.ref('forgotten_at'), 'is', null)
      .execute()
  await schema
    .createIndex('keys_of_user')
    .ifNotExists()
    .on('keys')
    .columns(['user_id', 'created_at'])
    .execute()
  await schema.createIndex('keys_in_order').ifNotExists().on('keys').columns(['created_at', 'id']).execute()
}

/** Adds an index for deliveries that ended long ago. */
export async function indexEndedDeliveries(schema: SchemaModule): Promise<void> {
  await schema
    .createIndex('ended_deliveries')
    .ifNotExists()
    .on('webhook_deliveries')
    .column('ended_at')
    .where(sql.ref('ended_at'), 'is not', null)
    .execute()
}

/** Adds an index for exports whose retention is over. */
export async function indexExports(schema: SchemaModule): Promise<void> {
  await schema.createIndex('exports_by_age').ifNotExists().on('exports').column('created_at').execute()
}
