import type { Gauged, Measures, Running } from 'foldgate-server/parts'
import { WEBHOOK_ALLOW_SETTING } from '../settings.js'
import type { DeliveryOutcome } from './settle.js'
import { type PendingDeliveries, WebhookWorker } from './webhook-worker.js'

const OF_PENDING: readonly Gauged<PendingDeliveries>[] = [
  ['webhook_pending', 'Deliveries to webhooks that wait, of all servers.', pending => pending.count],
  [
    'webhook_oldest_pending_seconds',
    'How long the oldest delivery to a webhook has waited.',
    ({ oldestAt: at }) => (at === null ? 0 : Math.max(0, Date.now() - at) / 1000),
  ],
]

/** Adds the metrics of deliveries, and returns what counts one that has ended, or whose attempt has failed. */
export function measureDeliveries(
  { counter, gauges }: Measures,
  pending: () => PendingDeliveries | null,
): (outcome: DeliveryOutcome) => void {
  const deliveries = counter('webhook_deliveries', 'Deliveries to webhooks, by outcome.', 'outcome')
  gauges(OF_PENDING, pending)
  return outcome => deliveries.inc({ outcome })
}

/** Sends deliveries for as long as a server runs. */
export async function serveWebhooks({ store, log, report, metrics, read }: Running): Promise<WebhookWorker> {
  const count = metrics ? measureDeliveries(metrics, () => worker.pending) : undefined
  const allowed = read(WEBHOOK_ALLOW_SETTING) ?? []
  const worker: WebhookWorker = new WebhookWorker(store, { allowed }, { log, report, count })
  await worker.start()
  return worker
}
