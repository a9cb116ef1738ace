import type { QueryExecutorProvider, SchemaModule } from 'kysely'
import type { Dialect } from './dialect.js'

/** Creates the table of the audit, whose rows cannot be changed. */
export async function createAudit(
  schema: SchemaModule,
  dialect: Dialect,
  db: QueryExecutorProvider,
): Promise<void> {
  await schema
    .createTable('audit')
    .addColumn('sequence', dialect.sequence.type, dialect.sequence.column)
    .addColumn('at', 'bigint', column => column.notNull())
    .addColumn('action', 'text', column => column.notNull())
    .addColumn('who', 'text', column => column.notNull())
    .addColumn('origin', 'text')
    .addColumn('subject', 'text', column => column.notNull())
    .addColumn('organizations', 'text', column => column.notNull())
    .addColumn('project_id', 'text')
    .addColumn('details', 'text', column => column.notNull())
    .execute()
  await schema.createIndex('audit_by_time').on('audit').column('at').execute()
  await dialect.refuseUpdates(db, 'audit')
}
