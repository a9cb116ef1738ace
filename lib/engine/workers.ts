import { join } from 'node:path'
import type { ProcessExit } from '../process/parent.js'
import type { EngineSettings } from './jobs.js'
import { Worker } from './worker.js'

const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5_000

/** Reports what happened to a worker, for the host's log. */
export type WorkerEvent = (what: 'started' | 'died' | 'replaced', detail: string) => void

/** How many workers the pool runs and keeps. */
export interface WorkerCounts {
  /** Jobs that run at once. */
  connections: number
  /** Resident workers, each with the data of one organization. */
  residents: number
}

/**
 * The workers: those bound to an organization, of which the longest idle are evicted first, and a blank one started in
 * advance for the next organization. A worker that ends is replaced.
 */
export class Workers {
  readonly #counts: WorkerCounts
  readonly #settings: Omit<EngineSettings, 'scratch'>
  readonly #scratch: string
  readonly #onEvent: WorkerEvent
  readonly #onChange: () => void
  readonly #all = new Set<Worker>()
  /** Evicted workers: killed, but not ended yet. */
  readonly #leaving = new Set<Worker>()
  #isClosed = false
  /** Whether a worker has become ready; until then only one starts at a time. */
  #isUp = false
  #started = 0
  /** Workers that ended without being evicted and are not replaced yet. */
  #ended = 0
  #failures = 0
  #retry: NodeJS.Timeout | null = null
  /** Workers that replaced one that had ended. */
  restarts = 0

  constructor(
    counts: WorkerCounts,
    settings: Omit<EngineSettings, 'scratch'>,
    scratch: string,
    onEvent: WorkerEvent,
    onChange: () => void,
  ) {
    this.#counts = counts
    this.#settings = settings
    this.#scratch = scratch
    this.#onEvent = onEvent
    this.#onChange = onChange
  }

  /** Starts the first worker; resolves when it is ready or has ended. The others start after it. */
  async start(): Promise<void> {
    await this.#add().process.ready.catch(() => {})
  }

  /** Workers that have started and not ended, busy or idle. */
  get ready(): Worker[] {
    return [...this.#all].filter(worker => worker.isReady)
  }

  /**
   * The best idle worker for a project: one of its organization that has the project open; else a blank one, while the
   * organization keeps fewer than its share; else the organization's longest idle one; else a blank one.
   */
  choose(idle: readonly Worker[], organization: string, projectId: string): Worker | null {
    const own = idle.filter(worker => worker.organization === organization)
    const known = own.find(worker => worker.knows(projectId))
    if (known) return known
    const blank = idle.find(worker => worker.organization === null) ?? null
    const kept = [...this.#all].filter(worker => worker.organization === organization).length
    return (blank && kept < this.#share ? blank : (oldest(own) ?? blank)) ?? null
  }

  /**
   * Starts blank workers: at least one, one per waiting newcomer, and one per connection that has no bound worker.
   * Evicts the longest idle of the `idle` workers when there would be more than the residents and one blank worker.
   */
  provide(newcomers: number, idle: readonly Worker[]): void {
    if (this.#isClosed || this.#retry) return
    const { connections, residents } = this.#counts
    const blank = [...this.#all].filter(worker => worker.organization === null).length
    const bound = this.#all.size - blank
    const wanted = this.#isUp ? Math.max(1, connections - bound, newcomers) : 1
    const leaving = idle.filter(worker => worker.organization !== null).sort((a, b) => a.usedAt - b.usedAt)
    const over = bound + Math.max(wanted, blank) - (residents + 1)
    for (const worker of leaving.slice(0, Math.max(0, over))) this.#evict(worker)
    for (let count = blank; count < wanted; count++) this.#add()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#retry) clearTimeout(this.#retry)
    const workers = [...this.#all, ...this.#leaving]
    for (const worker of workers) worker.process.kill()
    await Promise.all(workers.map(worker => worker.exited))
  }

  /** Workers that one organization may keep: half of the residents, and at least one per connection. */
  get #share(): number {
    return Math.max(this.#counts.connections, Math.floor(this.#counts.residents / 2))
  }

  #evict(worker: Worker): void {
    this.#all.delete(worker)
    this.#leaving.add(worker)
    worker.process.kill()
  }

  #add(): Worker {
    const worker = new Worker({ ...this.#settings, scratch: join(this.#scratch, String(this.#started++)) })
    this.#all.add(worker)
    worker.process.ready.then(
      () => this.#arrived(worker),
      () => {},
    )
    void worker.exited.then(exit => this.#gone(worker, exit))
    return worker
  }

  #arrived(worker: Worker): void {
    if (!this.#all.has(worker)) return
    this.#isUp = true
    this.#failures = 0
    const isReplacement = this.#ended > 0
    this.#ended -= Number(isReplacement)
    this.restarts += Number(isReplacement)
    this.#onEvent(isReplacement ? 'replaced' : 'started', `pid ${worker.process.pid}`)
    this.#onChange()
  }

  /** Replaces a worker at once; when it never became ready, after a delay that grows with each failure. */
  #gone(worker: Worker, exit: ProcessExit): void {
    this.#leaving.delete(worker)
    if (!this.#all.delete(worker) || this.#isClosed) return
    this.#ended += 1
    if (exit.code !== 0) this.#onEvent('died', `${exit.signal ?? `status ${exit.code}`} ${exit.stderr}`.trim())
    if (worker.hasBeenReady) this.#add()
    else {
      const delayMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures++)
      this.#retry ??= setTimeout(() => {
        this.#retry = null
        this.#onChange()
      }, delayMs).unref()
    }
    this.#onChange()
  }
}

function oldest(workers: readonly Worker[]): Worker | null {
  return workers.reduce<Worker | null>(
    (first, worker) => (first && first.usedAt <= worker.usedAt ? first : worker),
    null,
  )
}
