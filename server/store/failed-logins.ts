import type { Store } from '../database/store.js'
import { formatInstant } from '../input/instants.js'
import type { Report } from '../operation/log.js'
import { currentTag } from '../operation/requests.js'
import { keepDoing } from './chores.js'
import { findUser } from './users.js'

const WINDOW_MS = 15 * 60_000
const LOOK_EVERY_MS = 60_000
/** Addresses and users that are counted apart in the windows of a server, which bounds the records of a flood. */
const MOST_WINDOWS = 1_000
const OTHERS = 'others'
/** Stands for any other name: users type passwords into that field by mistake. */
const UNKNOWN = 'unknown'
const RECORDING = 'recording failed logins'

/** A login that failed, or was refused unchecked after too many attempts. */
export interface FailedLogin {
  /** As it was typed. */
  email: string
  /** The network that attempts are counted for. */
  network: string
  isRefused: boolean
}

/** Failures of one user from one network in a window. */
interface Window {
  startedAt: number
  /** Failures that are not recorded yet. */
  count: number
  action: 'login.failed' | 'login.refused'
  who: string
  /** Id of the user, if there is one of this name. */
  subject: string
  from: string | null
}

/**
 * Records failed logins in the audit. The first of a user from a network is recorded at once, and the others of the
 * quarter of an hour after it are counted in one record at its end. So guessing does not fill the store.
 */
export class FailedLogins {
  readonly #store: Store
  readonly #report: Report
  readonly #mostWindows: number
  readonly #windows = new Map<string, Window>()
  readonly #counting: { stop(): Promise<void> }
  #noting: Promise<void> = Promise.resolve()

  constructor(store: Store, report: Report, mostWindows = MOST_WINDOWS) {
    this.#store = store
    this.#report = report
    this.#mostWindows = mostWindows
    this.#counting = keepDoing(
      [{ what: RECORDING, run: () => this.#recordEnded(store.clock.now() - WINDOW_MS) }],
      report,
      LOOK_EVERY_MS,
    )
  }

  /** Notes a failed login. Nobody waits for its record. */
  note(failed: FailedLogin): void {
    const from = currentTag()?.client ?? failed.network
    this.#noting = this.#noting
      .then(() => this.#note(failed, from))
      .catch(cause => this.#report('recording a failed login', cause))
  }

  /** Records the failures that were counted. Reports it when that fails. */
  async stop(): Promise<void> {
    await this.#counting.stop()
    await this.#noting
    await this.#recordEnded(Number.POSITIVE_INFINITY).catch(cause => this.#report(RECORDING, cause))
  }

  async #note({ email, network, isRefused }: FailedLogin, from: string): Promise<void> {
    // A refused attempt costs no look at the store.
    const user = isRefused ? null : await findUser(this.#store, email.trim().toLowerCase())
    const action = isRefused ? 'login.refused' : 'login.failed'
    const own = [action, network, user?.id ?? ''].join(' ')
    const isOwn = this.#windows.has(own) || this.#windows.size < this.#mostWindows
    const key = isOwn ? own : OTHERS
    const known = this.#windows.get(key)
    if (known) {
      known.count++
      return
    }
    const named = isOwn
      ? { who: user?.email ?? UNKNOWN, subject: user?.id ?? UNKNOWN, from }
      : { who: UNKNOWN, subject: OTHERS, from: null }
    const window: Window = { startedAt: this.#store.clock.now(), count: 1, action, ...named }
    this.#windows.set(key, window)
    await this.#record(window)
  }

  async #recordEnded(before: number): Promise<void> {
    for (const [key, window] of this.#windows) {
      if (window.startedAt > before) continue
      if (window.count > 0) await this.#record(window)
      if (window.count === 0) this.#windows.delete(key) // another login may have failed meanwhile
    }
  }

  async #record(window: Window): Promise<void> {
    const { startedAt, count, action: type, who, subject, from } = window
    const at = this.#store.clock.now()
    const data = { count, since: formatInstant(startedAt) }
    await this.#store.transaction(within =>
      within.tell({ type, subject, at, concerns: { operator: true }, data, who, from }),
    )
    window.count -= count // only now: a record that fails is made later
  }
}
