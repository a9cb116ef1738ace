import type { Store, StoreSchema } from 'foldgate-server/parts'
import type { Kysely, SchemaModule } from 'kysely'

/** The table of this package in the store of the server. Instants are epoch milliseconds, ids are strings. */
export type ExploreTables = {
  /**
   * Queries that users saved. Queries with an `organization_key`, which is that of their project, are shared with all
   * who read it.
   */
  saved_queries: {
    id: string
    user_id: string
    project_id: string
    organization_key: string | null
    name: string
    sql: string
    /** JSON of what was typed for its parameters; null without any. */
    parameters: string | null
    saved_at: number
  }
}

/** The database of a store, with the table of this package. */
export function dbOf({ db }: Pick<Store, 'db'>): Kysely<StoreSchema & ExploreTables> {
  return db.withTables<ExploreTables>()
}

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
