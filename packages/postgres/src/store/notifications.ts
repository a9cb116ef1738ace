import { randomUUID } from 'node:crypto'
import { RecentMap, SingleFlight, waitForWork } from 'foldgate/internal'
import type { Report, StoreChanges } from 'foldgate-server/parts'
import { type Kysely, sql } from 'kysely'
import { Listener } from './connections.js'
import { ANYTHING, CHANNEL } from './triggers.js'

/**
 * Kept rows are used for this long after the database was asked for changes, so that a connection that hangs delays a
 * revocation no longer.
 */
const LEASE_MS = 90
/** After this long, the database is asked again beside calls. */
const RENEW_AFTER_MS = 50
/** How long the first notification may take: a notification that never comes was lost by a pooler. */
const FIRST_MS = 2000
const CONNECT_AGAIN_AFTER_MS = 1000
/** Everything is read again after this long, in case changes were made while triggers were off. */
const KEEP_MS = 60_000
/** Ids of which it is remembered when they changed last. */
const MOST_REMEMBERED = 10_000

/**
 * The changes of a PostgreSQL store, which its triggers tell. The connection that listens is asked in short intervals
 * while calls come: it delivers what was told before it answers. Without such a connection, no rows are kept.
 */
export class Notifications implements StoreChanges {
  readonly #url: string
  readonly #db: Kysely<unknown>
  readonly #report: Report
  readonly #keepMs: number
  readonly #changed = new RecentMap<string, number>(MOST_REMEMBERED, {
    onDrop: at => {
      this.#floor = Math.max(this.#floor, at)
    },
  })
  #moment = 0
  /** Everything may have changed before this moment. */
  #floor = 0
  #listener: Listener | null = null
  /** When the listener was asked to which it has answered. */
  #provenAt = Number.NEGATIVE_INFINITY
  /** When the listener was asked last. */
  #askedAt = Number.NEGATIVE_INFINITY
  readonly #proving = new SingleFlight<number | null>()
  #connecting: Promise<void> | null = null
  #connectAt = 0
  #forgottenAt = 0
  #isFailing = false
  #isClosed = false

  constructor(url: string, db: Kysely<unknown>, report: Report, keepMs = KEEP_MS) {
    this.#url = url
    this.#db = db
    this.#report = report
    this.#keepMs = keepMs
  }

  moment(): Promise<number | null> | number | null {
    const now = performance.now()
    if (now - this.#forgottenAt > this.#keepMs) this.#forgetAll()
    const age = now - this.#provenAt
    if (age < RENEW_AFTER_MS) return this.#moment
    const listener = this.#listener
    if (!listener) {
      this.#connect()
      return null
    }
    if (age >= LEASE_MS && now - this.#askedAt >= LEASE_MS) return this.#proveAfterNow(listener)
    const proving = this.#proving.join('', {}, () => this.#prove(listener))
    return age < LEASE_MS ? this.#moment : proving
  }

  hasChanged(ids: readonly string[], since: number): boolean {
    return since < this.#floor || ids.some(id => (this.#changed.peek(id) ?? 0) > since)
  }

  async settle(): Promise<void> {
    const listener = this.#listener
    if (listener) await this.#proveAfterNow(listener)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#listener?.end()
    await this.#connecting
  }

  /** An answer to what was asked before may come late, and miss what has changed since. */
  #proveAfterNow(listener: Listener): Promise<number | null> {
    return this.#proving.joinNext('', {}, () => this.#prove(listener))
  }

  async #prove(listener: Listener): Promise<number | null> {
    if (listener !== this.#listener) return null
    const askedAt = performance.now()
    this.#askedAt = askedAt
    try {
      await listener.prove()
      if (listener !== this.#listener) return null
      this.#provenAt = askedAt
      return this.#moment
    } catch {
      listener.end()
      return null
    }
  }

  /** Connects in the background: calls need not wait for it. */
  #connect(): void {
    if (this.#connecting || this.#isClosed || performance.now() < this.#connectAt) return
    this.#connecting = this.#connectNow()
      .then(
        () => {
          this.#isFailing = false
        },
        cause => {
          if (!this.#isFailing && !this.#isClosed)
            this.#report('listening for changes of the control store', cause)
          this.#isFailing = true
        },
      )
      .finally(() => {
        this.#connecting = null
        this.#connectAt = performance.now() + CONNECT_AGAIN_AFTER_MS
      })
  }

  async #connectNow(): Promise<void> {
    const first = randomUUID()
    let isFirstHeard = () => {}
    const heard = new Promise<void>(resolve => {
      isFirstHeard = resolve
    })
    const listener = new Listener(this.#url, {
      onTold: id => (id === first ? isFirstHeard() : this.#note(id)),
      onEnd: () => this.#lose(listener),
    })
    try {
      const { rows } = await sql<{ channel: string }>`select ${CHANNEL} as channel`.execute(this.#db)
      await listener.listen(rows[0]?.channel ?? '')
      await sql`select pg_notify(${CHANNEL}, ${first})`.execute(this.#db)
      await waitForWork({ ms: FIRST_MS }, heard).catch(cause => {
        throw new Error('no notification arrives: set the pooler to session mode, or name the database', {
          cause,
        })
      })
    } catch (cause) {
      listener.end()
      throw cause
    }
    if (this.#isClosed) return listener.end()
    this.#forgetAll()
    this.#listener = listener
  }

  #lose(listener: Listener): void {
    if (listener !== this.#listener) return
    this.#listener = null
    this.#provenAt = Number.NEGATIVE_INFINITY
    this.#connectAt = 0
  }

  #note(id: string): void {
    if (id === ANYTHING) {
      this.#forgetAll()
      return
    }
    this.#moment += 1
    this.#changed.set(id, this.#moment)
  }

  #forgetAll(): void {
    this.#forgottenAt = performance.now()
    this.#moment += 1
    this.#floor = this.#moment
    this.#changed.clear()
  }
}
