import type { Store, StoreSchema } from 'foldgate-server/parts'
import { type Kysely, type SchemaModule, sql } from 'kysely'

/** The tables of this package in the store of the server. Instants are epoch milliseconds, ids are strings. */
type WebhookTables = {
  /**
   * Receivers of events. `secret` signs what is sent, and is empty once the webhook is removed. A webhook is
   * disabled when its receiver answers 410, or when all attempts since `failing_since` have failed; then
   * `disabled_for` says why.
   */
  webhooks: {
    id: string
    user_id: string
    url: string
    secret: string
    created_at: number
    disabled_at: number | null
    disabled_for: string | null
    failing_since: number | null
    removed_at: number | null
  }
  /** The organizations chosen for a webhook when it was created. */
  webhook_organizations: { webhook_id: string; organization_key: string }
  /** The types of events that a webhook receives. */
  webhook_events: { webhook_id: string; event: string }
  /**
   * The deliveries to a webhook, one for each `subject` of an event: a snapshot, an assessment or a key. A
   * pending one is due at `next_at`; the server that sends it has set `claimed_at`, and `next_at` to the end
   * of its lease. `status` and `outcome` are those of the last attempt.
   */
  webhook_deliveries: {
    id: string
    webhook_id: string
    event: string
    subject: string
    organization_key: string | null
    body: string
    created_at: number
    state: DeliveryState
    attempts: number
    next_at: number | null
    claimed_at: number | null
    ended_at: number | null
    status: number | null
    outcome: string | null
  }
}

/** State of a delivery: only a pending one is sent. */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'cancelled' | 'dropped'

/** The database of a store, with the tables of this package. */
export function dbOf({ db }: Store): Kysely<StoreSchema & WebhookTables> {
  return db.withTables<WebhookTables>()
}

/** Creates the tables of webhooks and of what is delivered to them. */
export async function createWebhooks(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('webhooks')
    .addColumn('id', 'text', column => column.primaryKey())
    .addColumn('user_id', 'text', column => column.notNull().references('users.id'))
    .addColumn('url', 'text', column => column.notNull())
    .addColumn('secret', 'text', column => column.notNull())
    .addColumn('created_at', 'bigint', column => column.notNull())
    .addColumn('disabled_at', 'bigint')
    .addColumn('removed_at', 'bigint')
    .addColumn('failing_since', 'bigint')
    .addColumn('disabled_for', 'text')
    .execute()
  await schema.createIndex('webhooks_of_user').on('webhooks').column('user_id').execute()
  await schema
    .createTable('webhook_organizations')
    .addColumn('webhook_id', 'text', column => column.notNull().references('webhooks.id'))
    .addColumn('organization_key', 'text', column => column.notNull().references('organizations.key'))
    .addPrimaryKeyConstraint('webhook_organizations_pk', ['webhook_id', 'organization_key'])
    .execute()
  await schema
    .createTable('webhook_events')
    .addColumn('webhook_id', 'text', column => column.notNull().references('webhooks.id'))
    .addColumn('event', 'text', column => column.notNull())
    .addPrimaryKeyConstraint('webhook_events_pk', ['webhook_id', 'event'])
    .execute()
  await createDeliveries(schema)
}

async function createDeliveries(schema: SchemaModule): Promise<void> {
  await schema
    .createTable('webhook_deliveries')
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
  // A webhook receives an event once, even when two processes find the same snapshot.
  await schema
    .createIndex('one_delivery_of_event')
    .unique()
    .on('webhook_deliveries')
    .columns(['webhook_id', 'event', 'subject'])
    .execute()
  await schema.createIndex('due_deliveries').on('webhook_deliveries').columns(['state', 'next_at']).execute()
  await schema
    .createIndex('due_deliveries_of_webhook')
    .on('webhook_deliveries')
    .columns(['webhook_id', 'state', 'next_at'])
    .execute()
  await schema
    .createIndex('ended_deliveries')
    .on('webhook_deliveries')
    .column('ended_at')
    .where(sql.ref('ended_at'), 'is not', null)
    .execute()
}
