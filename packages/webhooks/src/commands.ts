import type { Command } from 'commander'
import {
  addCommand,
  addGroup,
  type CommonOptions,
  chosenCatalogue,
  confirmRemoval,
  formatInstant,
  instantOrNull,
  listCounts,
  organizationOption,
  print,
  printList,
  readSetting,
  settingOption,
  withStore,
  withYes,
  wordsOf,
} from 'foldgate-server/parts'
import { type Delivery, listDeliveries } from './outbox/deliveries.js'
import { eventsOf, type WebhookEvent } from './outbox/webhook-events.js'
import { checkReceiver } from './sending/receiver.js'
import { WEBHOOK_ALLOW_SETTING } from './settings.js'
import { enableWebhook } from './switch.js'
import {
  checkWebhookEvent,
  createWebhook,
  listWebhooks,
  removeWebhook,
  requireWebhook,
  testWebhook,
  type Webhook,
} from './webhooks.js'

interface WebhookOptions extends CommonOptions {
  organization: string[]
  event?: string[]
  webhookAllow?: string
}

const MOST_LISTED = 1000

/** `foldgate webhook …` */
export function webhookCommands(program: Command): void {
  const group = addGroup(
    program,
    'webhook',
    'Manage webhooks: they notify the receivers of a user of events.',
  )
  addCommand(
    group,
    'add <email> <url>',
    'Add a webhook for a user; print its id and, only this once, the secret that its receiver needs.',
  )
    .addOption(organizationOption('Organization whose events it receives while the user reads it.'))
    .option(
      '--event <type>',
      'Type of event, such as snapshot.sealed. May be repeated. Default: all.',
      (type: string, types: string[] | undefined) => [...(types ?? []), type],
    )
    .addOption(settingOption(WEBHOOK_ALLOW_SETTING))
    .action((user: string, text: string, options: WebhookOptions) =>
      withStore(options, async store => {
        const allowed = readSetting(WEBHOOK_ALLOW_SETTING, options.webhookAllow) ?? []
        const { href: url } = checkReceiver(text, allowed)
        const known = [...eventsOf(wordsOf(await chosenCatalogue(options))).keys()]
        const events = options.event?.map(each => checkWebhookEvent(each, known)) ?? known
        const wanted: { events: WebhookEvent[]; organizations: string[] } = {
          events,
          organizations: options.organization,
        }
        const { secret, ...created } = await createWebhook(store, { user, url, ...wanted })
        print(options, { ...asJson(created), secret }, `${created.id}\n${secret}`)
      }),
    )
  addCommand(group, 'list', 'List all webhooks, and the events of each.').action((options: CommonOptions) =>
    withStore(options, async store => {
      const webhooks = (await listWebhooks(store)).map(asJson)
      await printList(options, webhooks, {
        ID: each => each.id,
        USER: each => each.user,
        URL: each => each.url,
        EVENTS: each => each.events.join(', '),
        READS: each => each.reads.join(', ') || '-',
        CREATED: each => each.createdAt,
        'SWITCHED OFF': each => each.disabledAt ?? '-',
        WHY: each => each.disabledFor ?? '-',
      })
    }),
  )
  withYes(addCommand(group, 'remove <id>', 'Remove a webhook: nothing more is sent to it.')).action(
    (id: string, options: CommonOptions & { yes?: boolean }) =>
      withStore(options, async store => {
        const webhook = await requireWebhook(store, id)
        const waiting = (await listDeliveries(store, webhook.id, MOST_LISTED)).filter(
          each => each.state === 'pending',
        )
        const goes = listCounts([[waiting.length, 'pending delivery', 'pending deliveries']])
        await confirmRemoval(
          `The webhook ${webhook.id} of ${webhook.user} will be removed ${goes}`,
          options.yes ?? false,
        )
        const removed = asJson(await removeWebhook(store, id))
        print(options, removed, `The webhook ${removed.id} is removed`)
      }),
  )
  addCommand(
    group,
    'enable <id>',
    'Switch a webhook on again that was switched off because its receiver failed.',
  ).action((id: string, options: CommonOptions) =>
    withStore(options, async store => {
      const enabled = asJson(await enableWebhook(store, id))
      print(options, enabled, `The webhook ${enabled.id} is switched on`)
    }),
  )
  addCommand(
    group,
    'deliveries <id>',
    'List what was sent to a webhook in the last 30 days, newest first.',
  ).action((id: string, options: CommonOptions) =>
    withStore(options, async store => {
      const webhook = await requireWebhook(store, id)
      const deliveries = (await listDeliveries(store, webhook.id, MOST_LISTED)).map(deliveryAsJson)
      await printList(options, deliveries, {
        ID: each => each.id,
        EVENT: each => each.event,
        CREATED: each => each.createdAt,
        STATE: each => each.state,
        ATTEMPTS: each => String(each.attempts),
        NEXT: each => each.nextAt ?? '-',
        OUTCOME: each => each.outcome ?? '-',
      })
    }),
  )
  addCommand(
    group,
    'test <id>',
    'Send a "webhook.test" event to a webhook; "deliveries" shows its outcome.',
  ).action((id: string, options: CommonOptions) =>
    withStore(options, async store => {
      const delivery = await testWebhook(store, id)
      print(options, { id: delivery }, delivery)
    }),
  )
}

function asJson(webhook: Webhook) {
  const { createdAt, disabledAt } = webhook
  return { ...webhook, createdAt: formatInstant(createdAt), disabledAt: instantOrNull(disabledAt) }
}

function deliveryAsJson(delivery: Delivery) {
  return {
    ...delivery,
    createdAt: formatInstant(delivery.createdAt),
    nextAt: instantOrNull(delivery.nextAt),
    endedAt: instantOrNull(delivery.endedAt),
  }
}
