import type { SchemaModule } from 'kysely'

/** Creates the tables of what is suspended, removed, or has files that are removed with it. */
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
