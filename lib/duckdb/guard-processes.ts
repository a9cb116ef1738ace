import { join } from 'node:path'
import { RecentMap } from '../flow/recent.js'
import type { Verdict } from '../guard/verdict.js'
import { GuardProcess, type GuardProcessOptions, type UncheckedStatement } from './guard-process.js'

/** A check that takes longer is slow. */
const TURN_MS = 250
/** The time of slow checks of an organization counts half after this long. */
const HALF_LIFE_MS = 60_000
const MOST_SLOW = 1_024
/** Beside an organization whose slow checks have taken so many times as long, another one's are checked. */
const TIMES = 4

/**
 * The processes that read statements: one, and a second one from the first check that is slow. Neither an organization
 * nor several that are about as slow hold both, so that the statements of others are checked meanwhile.
 */
export class GuardProcesses {
  readonly #options: GuardProcessOptions
  readonly #freed: () => void
  readonly #first: GuardProcess
  #second: GuardProcess | null = null
  /** Processes that check nothing, and are not starting again. */
  readonly #free: GuardProcess[]
  /** Organizations whose statements are being checked. */
  readonly #served = new Set<string>()
  /** How long the slow checks of an organization have taken, and when that was counted. */
  readonly #slow = new RecentMap<string, { ms: number; at: number }>(MOST_SLOW)

  /** `freed` is called when statements that were not admitted may be. */
  constructor(options: GuardProcessOptions, freed: () => void) {
    this.#options = options
    this.#freed = freed
    this.#first = new GuardProcess(options)
    this.#free = [this.#first]
  }

  get ready(): Promise<void> {
    return this.#first.ready
  }

  get isClosed(): boolean {
    return this.#first.isClosed
  }

  /** Whether statements of this organization may be checked now. */
  admits(organization: string): boolean {
    if (this.#free.length === 0 || this.#served.has(organization)) return false
    const ms = this.#slowMs(organization)
    const served = [...this.#served].map(each => this.#slowMs(each))
    return ms < TURN_MS || !served.some(each => each >= TURN_MS && each < TIMES * ms)
  }

  /** The verdicts on statements of an organization that is admitted, see {@link GuardProcess.check}. */
  async check(organization: string, asked: readonly UncheckedStatement[]): Promise<Verdict[] | null> {
    const process = this.#free.shift() as GuardProcess
    this.#served.add(organization)
    let overranAt: number | undefined
    try {
      return await process.check(asked, TURN_MS, () => {
        overranAt ??= performance.now()
        this.#startSecond()
      })
    } finally {
      if (overranAt !== undefined) this.#charge(organization, TURN_MS + performance.now() - overranAt)
      void this.#release(process, organization)
    }
  }

  /** Whether the first process answers in time, or statements are being checked. */
  async answers(withinMs: number): Promise<boolean> {
    return this.#served.size > 0 || this.#first.answers(withinMs)
  }

  async close(): Promise<void> {
    await Promise.all([this.#first.close(), this.#second?.close()])
  }

  #slowMs(organization: string): number {
    const { ms, at } = this.#slow.get(organization) ?? { ms: 0, at: 0 }
    return ms * 2 ** ((at - performance.now()) / HALF_LIFE_MS)
  }

  #charge(organization: string, ms: number): void {
    this.#slow.set(organization, { ms: this.#slowMs(organization) + ms, at: performance.now() })
  }

  #startSecond(): void {
    if (this.#second) return
    const { folder } = this.#options
    this.#second = new GuardProcess({ ...this.#options, folder: join(folder, 'second') })
    void this.#release(this.#second)
  }

  /**
   * Makes a process free once it is ready: a process that the last statement ended holds up only its own organization.
   */
  async #release(process: GuardProcess, organization?: string): Promise<void> {
    await process.ready.catch(() => {}) // the next check starts another one
    if (organization !== undefined) this.#served.delete(organization)
    this.#free.push(process)
    this.#freed()
  }
}
