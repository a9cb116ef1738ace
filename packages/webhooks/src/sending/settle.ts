import type { Log, Store } from 'foldgate-server/parts'
import {
  type Claimed,
  endDelivery,
  postponeDelivery,
  type Receiver,
  releaseDelivery,
} from '../outbox/deliveries.js'
import { disableWebhook, noteFailure, noteSuccess } from '../switch.js'
import type { Attempted } from './send.js'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** The pauses between attempts: with the first one, there are nine, over a day. */
const PAUSES_MS = [
  ...[5 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS],
  ...[2 * HOUR_MS, 5 * HOUR_MS, 8 * HOUR_MS, 10 * HOUR_MS],
]
/**
 * Each pause is up to a fifth longer, at random, so that deliveries that failed
 * together are not repeated together.
 */
const JITTER = 0.2

/** What the metrics count; `retried` is a failed attempt that will be repeated. */
export type DeliveryOutcome = 'delivered' | 'retried' | 'failed' | 'cancelled'

/**
 * Records the result of an attempt: ends the delivery or plans its next attempt, counts and logs it, and
 * switches the webhook off when its receiver is gone or has failed for a day.
 */
export async function settle(
  claimed: Claimed,
  receiver: Receiver,
  { is, ...last }: Attempted,
  { store, log, count }: { store: Store; log: Log; count: (outcome: DeliveryOutcome) => void },
): Promise<void> {
  const { id: deliveryId, webhookId, event, attempts } = claimed
  if (is === 'interrupted') return releaseDelivery(store, claimed)
  if (is === 'delivered') {
    await endDelivery(store, claimed, { state: 'delivered', ...last })
    if (receiver.failingSince) await noteSuccess(store, webhookId)
    return count('delivered')
  }
  const pause = is === 'gone' ? undefined : PAUSES_MS[attempts - 1]
  if (pause === undefined) {
    await endDelivery(store, claimed, { state: 'failed', ...last })
    if (is === 'gone') await disableWebhook(store, webhookId)
  } else {
    const afterMs = Math.round(pause * (1 + JITTER * Math.random()))
    await postponeDelivery(store, claimed, { afterMs, ...last })
  }
  count(pause === undefined ? 'failed' : 'retried')
  // The path and query of the URL may be secrets of the receiver.
  const { host } = new URL(receiver.url)
  const fields = { type: 'webhook', webhookId, deliveryId, event, attempts, host }
  const then = pause === undefined ? 'it is not repeated' : 'it is repeated later'
  log[pause === undefined ? 'warn' : 'info'](fields, `delivery failed, and ${then}: ${last.outcome}`)
  if (is !== 'gone' && (await noteFailure(store, webhookId, last.outcome)))
    log.warn(
      fields,
      `webhook switched off: all its deliveries of a day failed, the last one: ${last.outcome}`,
    )
}
