/**
 * What the reference server finds in this package: webhooks, with their tables, command and pages, and what delivers.
 *
 * @module foldgate-webhooks/server
 * @internal
 */

import type {
  CommandAddition,
  PageAddition,
  ServingAddition,
  SettingAddition,
  StoreAddition,
} from 'foldgate-server/parts'
import { webhookCommands } from './commands.js'
import { hear } from './hear.js'
import { forgetDeliveries } from './outbox/ended-deliveries.js'
import { webhookRoutes } from './pages/routes.js'
import { WEBHOOK_ALLOW_SETTING } from './settings.js'
import { createWebhooks } from './tables.js'
import { removeWebhooks, webhooksOf } from './webhooks.js'

export const addition: CommandAddition & PageAddition & ServingAddition & SettingAddition & StoreAddition = {
  settings: [WEBHOOK_ALLOW_SETTING],
  addCommands: webhookCommands,
  migrations: [{ name: 'foldgate-webhooks/0001-start', up: createWebhooks }],
  hear,
  holding: {
    field: 'webhooks',
    one: 'webhook',
    several: 'webhooks',
    goesWith: ['user', 'organization'],
    count: async (store, going) => (await webhooksOf(store, going)).length,
    async removeOf(within, userId) {
      const ids = await webhooksOf(within, { user: userId })
      await removeWebhooks(within, ids)
      return ids.length
    },
  },
  addPages: webhookRoutes,
  link: { at: 'webhooks', path: '/webhooks', words: 'Webhooks' },
  async serve(running) {
    // Commands do without what connects to receivers.
    const { serveWebhooks } = await import('./sending/serve.js')
    return serveWebhooks(running)
  },
  chores: store => [
    { what: 'removing deliveries that have ended', run: signal => forgetDeliveries(store, signal) },
  ],
}
