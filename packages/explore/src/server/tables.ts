import type { SchemaModule } from 'kysely'

/** Creates the table of saved queries. */
export async function createSavedQueries(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('saved_queries')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('user_id', 'text', column => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('project_id', 'text', column => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('organization_key', 'text', column =>
      column.references('organizations.key').onDelete('cascade'),
    )
    .addColumn('name', 'text', column => column.notNull())
    .addColumn('sql', 'text', column => column.notNull())
    .addColumn('saved_at', 'bigint', column => column.notNull())
    .addColumn('parameters', 'text')
    .addUniqueConstraint('saved_query_of_name', ['user_id', 'project_id', 'name'])
    .execute()
  // The indexes have all that a list shows: reading the rows takes long, since they have the SQL.
  for (const [name, columns] of Object.entries({
    saved_queries_of_organization: ['organization_key'],
    saved_queries_of_user: ['user_id', 'project_id', 'saved_at', 'id', 'organization_key', 'name'],
    saved_queries_shared: ['organization_key', 'project_id', 'saved_at', 'id', 'user_id', 'name'],
  }))
    await schema.createIndex(name).on('saved_queries').columns(columns).execute()
}
