import type { SchemaModule } from 'kysely'

/** What a row of usage is of, see {@link StoreSchema}; together its primary key. */
export const USAGE_OF = [
  'key_id',
  'day',
  'method',
  'outcome',
  'organization',
  'project_id',
  'relation',
] as const
/** What it counts. */
export const COUNTED = ['calls', 'rows', 'bytes', 'wait_ms', 'build_ms', 'run_ms', 'engine_ms'] as const

/** Creates the tables of what keys were used for, of quota windows, of running calls, and of chores that one of several servers does. */
export async function createUsage(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('usage')
    .addColumn('key_id', 'text', column => column.notNull()) // without references: tokens have no row of a key
    .addColumn('day', 'text', column => column.notNull())
    .addColumn('method', 'text', column => column.notNull())
    .addColumn('outcome', 'text', column => column.notNull())
    .addColumn('organization', 'text', column => column.notNull())
    .addColumn('project_id', 'text', column => column.notNull())
    .addColumn('relation', 'text', column => column.notNull())
    .addColumn('calls', 'bigint', column => column.notNull())
    .addColumn('rows', 'bigint', column => column.notNull())
    .addColumn('bytes', 'bigint', column => column.notNull())
    .addColumn('wait_ms', 'bigint', column => column.notNull())
    .addColumn('build_ms', 'bigint', column => column.notNull())
    .addColumn('run_ms', 'bigint', column => column.notNull())
    .addColumn('engine_ms', 'bigint', column => column.notNull())
    .addColumn('last_at', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('usage_pk', [...USAGE_OF])
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
    .createTable('running_calls')
    .addColumn('call_id', 'text', column => column.primaryKey())
    .addColumn('server_id', 'text', column => column.notNull())
    .addColumn('told_at', 'bigint', column => column.notNull())
    .addColumn('call', 'text', column => column.notNull())
    .addColumn('ended_at', 'bigint')
    .execute()
  await schema
    .createTable('chores')
    .addColumn('name', 'text', column => column.primaryKey())
    .addColumn('started_at', 'bigint', column => column.notNull())
    .execute()
}
