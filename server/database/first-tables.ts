import { type SchemaModule, sql } from 'kysely'
import type { Dialect } from './dialect.js'

/** Creates the tables of organizations, users, keys, projects, assessments and secrets. */
export async function createFirstTables(schema: SchemaModule, dialect: Dialect): Promise<void> {
  await schema
    .createTable('organizations')
    .addColumn('key', 'text', column => column.primaryKey())
    .addColumn('name', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .execute()
  await schema
    .createTable('users')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('email', 'text', column => column.notNull().unique())
    .addColumn('password_hash', 'text')
    .addColumn('created_at', 'bigint', column => column.notNull())
    .execute()
  await schema
    .createTable('memberships')
    .addColumn('user_id', 'text', column => column.notNull().references('users.id'))
    .addColumn('organization_key', 'text', column => column.notNull().references('organizations.key'))
    .addPrimaryKeyConstraint('memberships_pk', ['user_id', 'organization_key'])
    .execute()
  await schema
    .createTable('keys')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('user_id', 'text', column => column.notNull().references('users.id'))
    .addColumn('name', 'text', column => column.notNull())
    .addColumn('hash', 'text', column => column.notNull().unique())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute()
  await schema
    .createTable('key_organizations')
    .addColumn('key_id', 'text', column => column.notNull().references('keys.id'))
    .addColumn('organization_key', 'text', column => column.notNull().references('organizations.key'))
    .addPrimaryKeyConstraint('key_organizations_pk', ['key_id', 'organization_key'])
    .execute()
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
  await schema
    .createTable('secrets')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('value', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .execute()
}

/** Creates the table of what keys were used for. */
export async function createUsage(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('usage')
    .addColumn('key_id', 'text', column => column.notNull().references('keys.id'))
    .addColumn('day', 'text', column => column.notNull())
    .addColumn('method', 'text', column => column.notNull())
    .addColumn('outcome', 'text', column => column.notNull())
    .addColumn('calls', 'bigint', column => column.notNull())
    .addColumn('rows', 'bigint', column => column.notNull())
    .addColumn('bytes', 'bigint', column => column.notNull())
    .addColumn('last_at', 'bigint', column => column.notNull())
    .addPrimaryKeyConstraint('usage_pk', ['key_id', 'day', 'method', 'outcome'])
    .execute()
}

/** Creates the table of quota windows of keys, which `call_windows` replaces. */
export async function createQuotaWindows(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('quota_windows')
    .addColumn('key_id', 'text', column => column.primaryKey().references('keys.id'))
    .addColumn('started_at', 'bigint', column => column.notNull())
    .addColumn('taken', 'bigint', column => column.notNull())
    .execute()
}

/** Creates the table of logins. */
export async function createSessions(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('sessions')
    .addColumn('hash', 'text', column => column.primaryKey())
    .addColumn('user_id', 'text', column => column.notNull().references('users.id'))
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('seen_at', 'bigint', column => column.notNull())
    .execute()
  await schema.createIndex('sessions_of_user').on('sessions').column('user_id').execute()
}

/** Creates the tables of the newest snapshots, and of the shared folder that has them. */
export async function createSnapshots(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('newest_snapshots')
    .ifNotExists()
    .addColumn('project_id', 'text', column =>
      column.primaryKey().references('projects.id').onDelete('cascade'),
    )
    .addColumn('snapshot_id', 'text', column => column.notNull())
    .execute()
  await schema
    .createTable('shared_folders')
    .ifNotExists()
    .addColumn('id', 'text', column => column.primaryKey())
    .execute()
}
