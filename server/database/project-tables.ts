import { type SchemaModule, sql } from 'kysely'
import type { Dialect } from './dialect.js'

/** Creates the tables of projects, and of their engines, assessments, snapshots and exports. */
export async function createProjects(schema: SchemaModule, dialect: Dialect): Promise<void> {
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
    .createTable('removed_projects')
    .addColumn('project_id', 'text', column => column.primaryKey())
    .addColumn('removed_at', 'bigint', column => column.notNull())
    .execute()
  await schema
    .createTable('project_engines')
    .addColumn('project_id', 'text', column => column.primaryKey())
    .addColumn('engine', 'text', column => column.notNull())
    .execute()
  await createAssessments(schema)
  await createSnapshots(schema)
  // Without references: an export may outlive its project until its file is removed.
  await schema
    .createTable('exports')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('project_id', 'text', column => column.notNull())
    .addColumn('user_id', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .execute()
  await schema.createIndex('exports_by_age').on('exports').column('created_at').execute()
}

async function createAssessments(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('assessments')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('project_id', 'text', column => column.notNull().references('projects.id'))
    .addColumn('state', 'text', column =>
      column.notNull().check(sql`state IN ('running', 'completed', 'failed')`),
    )
    .addColumn('started_at', 'bigint', column => column.notNull())
    .addColumn('ended_at', 'bigint')
    .execute()
  await schema
    .createIndex('assessments_of_project')
    .on('assessments')
    .columns(['project_id', 'state'])
    .execute()
  await schema
    .createIndex('one_running_assessment')
    .unique()
    .on('assessments')
    .column('project_id')
    .where(sql.ref('state'), '=', sql.lit('running'))
    .execute()
}

async function createSnapshots(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('newest_snapshots')
    .addColumn('project_id', 'text', column =>
      column.primaryKey().references('projects.id').onDelete('cascade'),
    )
    .addColumn('snapshot_id', 'text', column => column.notNull())
    .addColumn('revision', 'bigint', column => column.notNull().defaultTo(0))
    .addColumn('checked_at', 'bigint', column => column.notNull())
    .execute()
  await schema.createIndex('revisions_of_snapshots').on('newest_snapshots').column('revision').execute()
  await schema.createIndex('checks_of_snapshots').on('newest_snapshots').column('checked_at').execute()
  await schema
    .createTable('shared_folders')
    .addColumn('id', 'text', column => column.primaryKey())
    .execute()
}
