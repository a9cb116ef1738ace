import pg from 'pg'

/** Processes with the same number exclude each other. Any number will do, if nothing else in the database uses it. */
const LOCK = 7_236_110

const TIMEOUT_MS = 10_000

/**
 * An advisory lock of PostgreSQL, which one process has for as long as its connection lives. It is a connection of its
 * own, since one of a pool would be lent to others. PostgreSQL releases the lock when the process dies.
 */
export class RefreshLock {
  readonly #url: string
  #held: { client: pg.Client; lost: AbortController } | null = null

  constructor(url: string) {
    this.#url = url
  }

  get isHeld(): boolean {
    return this.#held !== null
  }

  /**
   * Takes the lock, or checks that this process still has it. Returns a signal that fires when it is lost, and null
   * when another process has it.
   */
  async take(): Promise<AbortSignal | null> {
    if (this.#held) await this.#held.client.query('SELECT 1').catch(cause => this.#lose(cause))
    if (this.#held) return this.#held.lost.signal
    const client = new pg.Client({
      connectionString: this.#url,
      keepAlive: true, // a firewall drops connections that are silent between refreshes
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
    })
    const held = { client, lost: new AbortController() }
    const lose = (cause?: Error) => this.#held === held && this.#lose(cause)
    client.on('error', lose).on('end', lose)
    try {
      await client.connect()
      const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS is_taken', [LOCK])
      if (rows[0].is_taken) this.#held = held
      return this.#held && held.lost.signal
    } finally {
      if (!this.#held) await client.end().catch(() => {})
    }
  }

  /** Gives it back. */
  async close(): Promise<void> {
    const held = this.#held
    this.#held = null
    await held?.client.end().catch(() => {})
  }

  #lose(cause?: Error): void {
    const held = this.#held
    this.#held = null
    held?.lost.abort(
      new Error('The connection with the lock has ended: another process may refresh', { cause }),
    )
    held?.client.end().catch(() => {})
  }
}
