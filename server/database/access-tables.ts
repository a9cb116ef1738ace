import { type SchemaModule, sql } from 'kysely'

/** Creates the tables of organizations, users, logins and keys, and of the secrets that sign. */
export async function createAccess(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('organizations')
    .addColumn('key', 'text', column => column.primaryKey())
    .addColumn('name', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .execute()
  await createUsers(schema)
  await createKeys(schema)
  await schema
    .createTable('secrets')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('value', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .execute()
}

async function createUsers(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('users')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('email', 'text', column => column.notNull().unique())
    .addColumn('password_hash', 'text')
    .addColumn('created_at', 'bigint', column => column.notNull())
    .execute()
  for (const [table, instant] of [
    ['suspended_users', 'suspended_at'],
    ['removed_users', 'removed_at'],
  ] as const)
    await schema
      .createTable(table)
      .addColumn('user_id', 'text', column => column.primaryKey().references('users.id'))
      .addColumn(instant, 'bigint', column => column.notNull())
      .execute()
  await schema
    .createTable('memberships')
    .addColumn('user_id', 'text', column => column.notNull().references('users.id'))
    .addColumn('organization_key', 'text', column => column.notNull().references('organizations.key'))
    .addPrimaryKeyConstraint('memberships_pk', ['user_id', 'organization_key'])
    .execute()
  await schema
    .createTable('sessions')
    .addColumn('hash', 'text', column => column.primaryKey())
    .addColumn('user_id', 'text', column => column.notNull().references('users.id'))
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('seen_at', 'bigint', column => column.notNull())
    .execute()
  await schema.createIndex('sessions_of_user').on('sessions').column('user_id').execute()
}

async function createKeys(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('keys')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('user_id', 'text', column => column.notNull().references('users.id'))
    .addColumn('name', 'text', column => column.notNull())
    .addColumn('hash', 'text', column => column.notNull().unique())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('limits', 'text')
    .addColumn('forgotten_at', 'bigint')
    .addColumn('first_used_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .execute()
  for (const column of ['revoked_at', 'expires_at'])
    await schema
      .createIndex(`keys_to_forget_by_${column}`)
      .on('keys')
      .column(column)
      .where(sql.ref(column), 'is not', null)
      .where(sql.ref('forgotten_at'), 'is', null)
      .execute()
  await schema.createIndex('keys_of_user').on('keys').columns(['user_id', 'created_at']).execute()
  await schema.createIndex('keys_in_order').on('keys').columns(['created_at', 'id']).execute()
  await schema
    .createTable('key_organizations')
    .addColumn('key_id', 'text', column => column.notNull().references('keys.id'))
    .addColumn('organization_key', 'text', column => column.notNull().references('organizations.key'))
    .addPrimaryKeyConstraint('key_organizations_pk', ['key_id', 'organization_key'])
    .execute()
}
