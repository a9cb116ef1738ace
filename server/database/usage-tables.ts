import type { SchemaModule } from 'kysely'

/** Creates the tables of what keys were used for, of quota windows, and of chores that one of several servers does. */
export async function createUsage(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('usage')
    .addColumn('key_id', 'text', column => column.notNull()) // without references: tokens have no row of a key
    .addColumn('day', 'text', column => column.notNull())
    .addColumn('method', 'text', column => column.notNull())
    .addColumn('outcome', 'text', column => column.notNull())
    .addColumn('calls', 'bigint', column => column.notNull())
    .addColumn('rows', 'bigint', column => column.notNull())
    .addColumn('bytes', 'bigint', column => column.notNull())
    .addColumn('last_at', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('usage_pk', ['key_id', 'day', 'method', 'outcome'])
    .execute()
  await schema.createIndex('usage_of_day').on('usage').columns(['day', 'key_id']).execute()
  await schema
    .createTable('call_windows')
    .addColumn('level', 'text', column => column.notNull())
    .addColumn('id', 'text', column => column.notNull())
    .addColumn('started_at', 'bigint', column => column.notNull())
    .addColumn('taken', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('call_windows_pk', ['level', 'id'])
    .execute()
  await schema
    .createTable('chores')
    .addColumn('name', 'text', column => column.primaryKey())
    .addColumn('started_at', 'bigint', column => column.notNull())
    .execute()
}
