import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { EMBEDDED, type Log, type Report, type Store } from 'foldgate-server/parts'
import { boundPendingOfHosts } from '../outbox/bounds.js'
import {
  type Claimed,
  claimDeliveries,
  endDelivery,
  pendingDeliveries,
  receiverOf,
  releaseAll,
} from '../outbox/deliveries.js'
import { type Attempted, type SendOptions, send } from './send.js'
import { type DeliveryOutcome, settle } from './settle.js'

const LOOK_EVERY_MS = 1_000
/** The pause after a look, as a multiple of the time that the look took. */
const PAUSE_FACTOR = 10
/** Counting takes long when many are pending. */
const COUNT_EVERY_MS = 10_000
/** How long attempts in progress may continue when the server stops. */
const STOP_MS = 2_000
/** Concurrent attempts, at most one per webhook and five per user. */
const MOST_AT_ONCE = 50
/**
 * Concurrent attempts to webhooks whose last attempt failed: receivers that hang must not delay the others.
 */
const MOST_AGAIN = 25
/** Number of webhooks that are remembered as failing: a statement has a limited number of parameters. */
const MOST_FAILING = 5_000

/** Pending deliveries of the whole store. */
export interface PendingDeliveries {
  count: number
  /** Epoch milliseconds; null when there are none. */
  oldestAt: number | null
}

/** Where a worker reports what happens. */
export interface Reporting {
  log: Log
  report: Report
  count?: ((outcome: DeliveryOutcome) => void) | undefined
}

/** Sends queued deliveries to webhooks, each at least once. Several servers may share one store. */
export class WebhookWorker {
  readonly #store: Store
  readonly #log: Log
  readonly #report: Report
  readonly #count: (outcome: DeliveryOutcome) => void
  readonly #sending: SendOptions
  /** The deliveries under way, by webhook. */
  readonly #inHand = new Map<string, { userId: string; delivered: Promise<void> }>()
  /** The webhooks whose last attempt failed, ordered by the time of that attempt, earliest first. */
  readonly #failing = new Set<string>()
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | null = null
  /** The next look, while it is scheduled. */
  #soon: Promise<void> | null = null
  /** How long the last look took. */
  #tookMs = 0
  #isAsked = false
  #isFailing = false
  #isStopped = false
  #pending: PendingDeliveries | null = null
  #countedAt = Number.NEGATIVE_INFINITY

  constructor(store: Store, sending: SendOptions, { log, report, count = () => {} }: Reporting) {
    this.#store = store
    this.#sending = sending
    this.#log = log
    this.#report = report
    this.#count = count
    setMaxListeners(0, this.#stopping.signal) // each attempt under way listens
  }

  /** Looks for deliveries that are due, now and every second. */
  async start(): Promise<void> {
    if (this.#store.dialect === EMBEDDED) await releaseAll(this.#store)
    this.#timer = setInterval(() => void this.look(), LOOK_EVERY_MS)
    this.#timer.unref()
    void this.look()
  }

  /** The pending deliveries, counted every ten seconds; null before. */
  get pending(): PendingDeliveries | null {
    return this.#pending
  }

  /** Starts to send what is due; resolves once it is claimed. Calls at the same time share one look. */
  look(): Promise<void> {
    if (this.#isStopped) return Promise.resolve()
    this.#looking ??= this.#lookWhileAsked().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  /** Resolves once nothing is being sent. */
  async idle(): Promise<void> {
    while (this.#looking || this.#soon || this.#inHand.size > 0)
      await Promise.all([
        this.#looking,
        this.#soon,
        ...[...this.#inHand.values()].map(({ delivered }) => delivered),
      ])
  }

  /**
   * Claims no more deliveries, and gives attempts two seconds to end; aborted attempts are repeated later.
   */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#timer)
    const late = setTimeout(() => this.#stopping.abort(), STOP_MS)
    await this.idle()
    clearTimeout(late)
  }

  async #lookWhileAsked(): Promise<void> {
    do {
      this.#isAsked = false
      await this.#look()
    } while (this.#isAsked && !this.#isStopped)
  }

  /**
   * Looks again after a pause: a look takes long when many webhooks have
   * deliveries, and calls share its thread.
   */
  async #lookSoon(): Promise<void> {
    await sleep(Math.min(LOOK_EVERY_MS, PAUSE_FACTOR * this.#tookMs))
    this.#soon = null
    this.#isAsked = true // a look under way may have left out what is no longer in hand
    await this.look()
  }

  async #look(): Promise<void> {
    const begunAt = performance.now()
    try {
      const again = [...this.#failing]
      await this.#begin({ busy: again, most: MOST_AT_ONCE })
      const room = MOST_AGAIN - again.filter(id => this.#inHand.has(id)).length
      if (again.length > 0)
        await this.#begin({ again, most: Math.min(MOST_AT_ONCE, this.#inHand.size + room) })
      if (performance.now() - this.#countedAt > COUNT_EVERY_MS) {
        this.#countedAt = performance.now()
        await boundPendingOfHosts(this.#store)
        this.#pending = await pendingDeliveries(this.#store)
      }
      this.#isFailing = false
    } catch (error) {
      this.#fail(error)
    }
    this.#tookMs = performance.now() - begunAt
  }

  /**
   * Starts to send what is due until there are `most` in hand; `again` is the order of webhooks that failed.
   */
  async #begin({
    busy = [],
    again = [],
    most,
  }: {
    busy?: string[]
    again?: string[]
    most: number
  }): Promise<void> {
    if (this.#inHand.size >= most) return
    const inHand = new Map<string, number>()
    for (const { userId } of this.#inHand.values()) inHand.set(userId, (inHand.get(userId) ?? 0) + 1)
    const claim = { busy: [...this.#inHand.keys(), ...busy], again, inHand, most: most - this.#inHand.size }
    for (const each of await claimDeliveries(this.#store, claim)) {
      const delivered = this.#deliver(each)
        .catch(error => this.#fail(error)) // sent again once its lease has ended
        .finally(() => {
          this.#inHand.delete(each.webhookId)
          this.#soon ??= this.#lookSoon()
        })
      this.#inHand.set(each.webhookId, { userId: each.userId, delivered })
    }
  }

  async #deliver(claimed: Claimed): Promise<void> {
    const receiver = await receiverOf(this.#store, claimed)
    if (typeof receiver === 'string') {
      await endDelivery(this.#store, claimed, { state: 'cancelled', status: null, outcome: receiver })
      return this.#count('cancelled')
    }
    const now = this.#store.clock.now()
    const attempted = await send(claimed, receiver, {
      ...this.#sending,
      now,
      stopping: this.#stopping.signal,
    })
    this.#remember(claimed.webhookId, attempted.is)
    await settle(claimed, receiver, attempted, { store: this.#store, log: this.#log, count: this.#count })
  }

  /** Records whether the last attempt to a webhook failed. */
  #remember(webhookId: string, is: Attempted['is']): void {
    if (is === 'interrupted') return
    this.#failing.delete(webhookId)
    if (is !== 'delivered' && this.#failing.size < MOST_FAILING) this.#failing.add(webhookId)
  }

  #fail(error: unknown): void {
    if (!this.#isFailing) this.#report('delivering webhooks', error)
    this.#isFailing = true
  }
}
