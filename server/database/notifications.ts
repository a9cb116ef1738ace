import { randomUUID } from 'node:crypto'
import { Socket } from 'node:net'
import { SingleFlight, waitForWork } from 'foldgate/internal'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import type { StoreChanges } from './changes.js'
import { ANYTHING, CHANNEL } from './triggers.js'
import type { Report } from './write-behind.js'

/**
 * What is kept is used for this long after the database was asked whether it had changed, so that a connection that
 * hangs delays a revocation no longer.
 */
const LEASE_MS = 80
/** After this long, the database is asked again beside calls. */
const RENEW_AFTER_MS = 30
/** A connection that has not answered for this long is given up. */
const ANSWER_MS = 500
const CONNECT_MS = 5000
/** How long the first notification may take: one that never comes was lost by a pooler. */
const FIRST_MS = 2000
const CONNECT_AGAIN_AFTER_MS = 1000
/** Everything is read again after this long, in case changes were made while triggers were off. */
const KEEP_MS = 60_000
/** Ids of which it is remembered when they changed last. */
const MOST_REMEMBERED = 10_000

/**
 * The changes of a PostgreSQL store, which its triggers tell. The connection that listens is asked in short intervals
 * while calls come: it delivers what was told before it answers. While there is none, nothing is kept.
 */
export class Notifications implements StoreChanges {
  readonly #url: string
  readonly #db: Kysely<unknown>
  readonly #report: Report
  readonly #keepMs: number
  readonly #changed = new Map<string, number>()
  #moment = 0
  /** Everything may have changed before this moment. */
  #floor = 0
  #listener: Listener | null = null
  /** When the listener was asked to which it has answered. */
  #provenAt = Number.NEGATIVE_INFINITY
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
    const proving = this.#proving.join('', {}, () => this.#prove(listener))
    return age < LEASE_MS ? this.#moment : proving
  }

  hasChanged(ids: readonly string[], since: number): boolean {
    return since < this.#floor || ids.some(id => (this.#changed.get(id) ?? 0) > since)
  }

  async settle(): Promise<void> {
    const listener = this.#listener
    if (listener) await this.#proving.joinNext('', {}, () => this.#prove(listener))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#listener?.end()
    await this.#connecting
  }

  async #prove(listener: Listener): Promise<number | null> {
    const askedAt = performance.now()
    try {
      await listener.ask()
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
      onChange: id => (id === first ? isFirstHeard() : this.#note(id)),
      onEnd: () => this.#lose(listener),
    })
    try {
      await listener.open(this.#db)
      await sql`select pg_notify(${CHANNEL}, ${first})`.execute(this.#db)
      await waitForWork({ ms: FIRST_MS }, heard).catch(cause => {
        throw new Error('no notification arrives: name the database itself, not a pooler', { cause })
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
    if (id === ANYTHING) this.#forgetAll()
    this.#moment += 1
    this.#changed.delete(id)
    this.#changed.set(id, this.#moment)
    if (this.#changed.size <= MOST_REMEMBERED) return
    const [oldest, at] = this.#changed.entries().next().value as [string, number]
    this.#changed.delete(oldest)
    this.#floor = at
  }

  #forgetAll(): void {
    this.#forgottenAt = performance.now()
    this.#moment += 1
    this.#floor = this.#moment
    this.#changed.clear()
  }
}

/** A connection that listens. */
class Listener {
  readonly #socket = new Socket()
  readonly #client: pg.Client
  readonly #onEnd: () => void
  #isEnded = false

  constructor(url: string, { onChange, onEnd }: { onChange(id: string): void; onEnd(): void }) {
    this.#onEnd = onEnd
    this.#client = new pg.Client({
      connectionString: url,
      stream: () => this.#socket,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      fallback_application_name: 'foldgate',
    })
    this.#client.on('notification', ({ payload = '' }) => onChange(payload))
    this.#client.on('error', () => this.end())
    this.#client.on('end', () => this.end())
  }

  async open(db: Kysely<unknown>): Promise<void> {
    await this.#client.connect()
    const { rows } = await sql<{ channel: string }>`select ${CHANNEL} as channel`.execute(db)
    await this.#query(`listen ${pg.escapeIdentifier(rows[0]?.channel ?? '')}`)
  }

  /** Resolves once the database has answered, and has delivered whatever was told before it was asked. */
  ask(): Promise<unknown> {
    return this.#query('select 1')
  }

  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#socket.destroy() // closing in order would wait for a database that hangs
    this.#onEnd()
  }

  #query(statement: string): Promise<unknown> {
    return waitForWork({ ms: ANSWER_MS }, this.#client.query(statement))
  }
}
