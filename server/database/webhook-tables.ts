import type { SchemaModule } from 'kysely'

/** Creates the tables of webhooks and of what is delivered to them. */
export async function createWebhooks(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('webhooks')
    .ifNotExists()
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('user_id', 'text', column => column.notNull().references('users.id'))
    .addColumn('url', 'text', column => column.notNull())
    .addColumn('secret', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('disabled_at', 'bigint')
    .addColumn('removed_at', 'bigint')
    .execute()
  await schema.createIndex('webhooks_of_user').ifNotExists().on('webhooks').column('user_id').execute()
  await schema
    .createTable('webhook_organizations')
    .ifNotExists()
    .addColumn('webhook_id', 'text', column => column.notNull().references('webhooks.id'))
    .addColumn('organization_key', 'text', column => column.notNull().references('organizations.key'))
    .addPrimaryKeyConstraint('webhook_organizations_pk', ['webhook_id', 'organization_key'])
    .execute()
  await schema
    .createTable('webhook_events')
    .ifNotExists()
    .addColumn('webhook_id', 'text', column => column.notNull().references('webhooks.id'))
    .addColumn('event', 'text', column => column.notNull())
    .addPrimaryKeyConstraint('webhook_events_pk', ['webhook_id', 'event'])
    .execute()
  await schema
    .createTable('webhook_deliveries')
    .ifNotExists()
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('webhook_id', 'text', column => column.notNull().references('webhooks.id'))
    .addColumn('event', 'text', column => column.notNull())
    .addColumn('subject', 'text', column => column.notNull())
    .addColumn('organization_key', 'text', column => column.references('organizations.key'))
    .addColumn('body', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('state', 'text', column => column.notNull())
    .addColumn('attempts', 'bigint', column => column.notNull())
    .addColumn('next_at', 'bigint')
    .addColumn('claimed_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('status', 'bigint')
    .addColumn('outcome', 'text')
    .execute()
  // An event is told to a webhook once, also if two processes find the same snapshot.
  await schema
    .createIndex('one_delivery_of_event')
    .ifNotExists()
    .unique()
    .on('webhook_deliveries')
    .columns(['webhook_id', 'event', 'subject'])
    .execute()
  await schema
    .createIndex('due_deliveries')
    .ifNotExists()
    .on('webhook_deliveries')
    .columns(['state', 'next_at'])
    .execute()
  await schema
    .createIndex('due_deliveries_of_webhook')
    .ifNotExists()
    .on('webhook_deliveries')
    .columns(['webhook_id', 'state', 'next_at'])
    .execute()
}
