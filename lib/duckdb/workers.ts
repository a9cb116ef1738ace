import { join } from 'node:path'
import type { AnalyticsEvent, ReplacedReason } from '../events.js'
import { isByOthers, type ProcessExit, whyEnded } from '../flow/death.js'
import { RecentMap } from '../flow/recent.js'
import { Worker, type WorkerOptions } from './worker.js'

const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5_000

/** What happened to a worker, for the host's log. */
export type WorkerEvent = Extract<AnalyticsEvent, { type: 'engine' }>

/** How many workers the pool runs and keeps. */
export interface WorkerCounts {
  /** Jobs that run at once. */
  connections: number
  /** Resident workers, each with the data of one organization. */
  residents: number
  /** Blank workers, kept beside the residents for organizations that have no worker. */
  spares: number
}

/** What jobs that wait need. */
interface Demand {
  /** How many of them need a blank worker. */
  newcomers: number
  /** Their organizations. */
  waiting: ReadonlySet<string>
  /** Whether a connection is free, and no job has just started. */
  isQuiet: boolean
}

/** Memory that is planned per resident. */
export const RESIDENT_BYTES = 128 * 1024 ** 2
/** What a worker needs that holds nothing. */
const IDLE_BYTES = 80 * 1024 ** 2

/**
 * The workers: those bound to an organization, of which the least used are evicted first, and blank ones started in
 * advance for the next organizations. A worker that ends is replaced.
 */
export class Workers {
  readonly #counts: WorkerCounts
  readonly #options: WorkerOptions
  readonly #scratch: string
  readonly #onEvent: (event: WorkerEvent) => void
  readonly #onChange: () => void
  readonly #all = new Set<Worker>()
  /** Evicted workers: killed, but not ended yet. */
  readonly #leaving = new Set<Worker>()
  readonly #uses = new Uses()
  #isClosed = false
  /** Whether a worker has become ready; until then only one starts at a time. */
  #isUp = false
  #started = 0
  /** Why workers ended that are not replaced yet, the first one first; evicted ones do not count. */
  readonly #ended: Pick<WorkerEvent & { what: 'replaced' }, 'reason' | 'heldBytes' | 'limitBytes'>[] = []
  #failures = 0
  #retry: NodeJS.Timeout | null = null
  /** Workers that replaced one that had ended. */
  restarts = 0

  constructor(
    counts: WorkerCounts,
    options: WorkerOptions,
    scratch: string,
    onEvent: (event: WorkerEvent) => void,
    onChange: () => void,
  ) {
    this.#counts = counts
    this.#options = options
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
   * The best idle worker for a project: one of its organization and reach that has the project open; else one that can
   * open it beside the others that it has open; else a blank one, while the organization keeps fewer than its share; else
   * the longest idle one of the organization and reach; else a blank one.
   */
  choose(idle: readonly Worker[], organization: string, reach: string, projectId: string): Worker | null {
    const own = idle.filter(worker => worker.organization === organization && worker.reach === reach)
    const known = own.find(worker => worker.knows(projectId)) ?? own.find(worker => worker.hasRoom)
    if (known) return known
    const blank = idle.find(worker => worker.organization === null) ?? null
    const [oldest] = [...own].sort((a, b) => a.usedAt - b.usedAt)
    return (blank && !this.#hasItsShare(organization) ? blank : (oldest ?? blank)) ?? null
  }

  /** Binds a worker to an organization and a reach, for a job. */
  take(worker: Worker, organization: string, reach: string): void {
    worker.serve(organization, reach)
    this.#uses.add(organization)
  }

  /**
   * Starts blank workers: at least one, one per waiting newcomer, and one per connection that has no bound
   * worker; then, in quiet, one after the other until there are as many as the spares. Evicts
   * `idle` workers when there would be more than the residents and the spares, or when those beyond the ones
   * used last, which may hold all of their memory limit, hold more than is planned for them.
   */
  provide({ newcomers, waiting, isQuiet }: Demand, idle: readonly Worker[]): void {
    if (this.#isClosed || this.#retry) return
    const { connections, residents, spares } = this.#counts
    const blanks = [...this.#all].filter(worker => worker.organization === null)
    const bound = this.#all.size - blanks.length
    const wanted = this.#isUp ? Math.max(1, connections - bound, newcomers) : 1
    const leaving = idle.filter(worker => worker.organization !== null).sort((a, b) => a.usedAt - b.usedAt)
    const over = Math.max(0, bound + Math.max(wanted, blanks.length, spares) - (residents + spares))
    const first = over > 0 ? this.#fullSharesFirst(this.#byUse(leaving, waiting)) : []
    for (const worker of first.slice(0, over)) this.#evict(worker)

    const kept = leaving.filter(worker => this.#all.has(worker))
    const usedLast = connections + 1
    const beyond = kept.slice(0, Math.max(0, bound - (leaving.length - kept.length) - usedLast))
    let overBytes = bytesOf(beyond) - (residents - usedLast) * RESIDENT_BYTES
    for (const worker of overBytes > 0 ? this.#fullSharesFirst(beyond) : []) {
      if (overBytes <= 0) break
      overBytes -= bytesOf([worker])
      this.#evict(worker)
    }
    for (let count = blanks.length; count < wanted; count++) this.#add()
    // A start takes a core for a moment: from no more jobs than necessary.
    const areReady = blanks.length >= wanted && blanks.every(worker => worker.isReady)
    if (isQuiet && areReady && blanks.length < spares) this.#add()
  }

  /** Workers of organizations with the fewest jobs per worker of late first, those whose jobs wait last. */
  #byUse(workers: readonly Worker[], waiting: Demand['waiting']): Worker[] {
    const workersOf = new Map<string, number>()
    for (const { organization: of } of this.#all)
      if (of !== null) workersOf.set(of, (workersOf.get(of) ?? 0) + 1)
    const usesOf = ({ organization: of }: Worker) => {
      if (of === null) return 0
      return waiting.has(of) ? Number.MAX_VALUE : this.#uses.of(of) / (workersOf.get(of) ?? 1)
    }
    return [...workers].sort((a, b) => usesOf(a) - usesOf(b))
  }

  /** Workers of organizations that have their share, then the others, each in the given order. */
  #fullSharesFirst(workers: readonly Worker[]): Worker[] {
    const isFirst = (worker: Worker) => this.#hasItsShare(worker.organization ?? '')
    return [...workers.filter(isFirst), ...workers.filter(worker => !isFirst(worker))]
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#retry) clearTimeout(this.#retry)
    const workers = [...this.#all, ...this.#leaving]
    for (const worker of workers) worker.process.kill()
    await Promise.all(workers.map(worker => worker.exited))
  }

  /** Takes a file away from every worker that was given it. */
  async withdraw(name: string): Promise<void> {
    await Promise.all([...this.#all].map(worker => worker.withdraw(name)))
  }

  /**
   * Whether an organization keeps as much as it may: a quarter of the residents, or half of the memory that
   * is planned for them; but one worker per connection in any case.
   */
  #hasItsShare(organization: string): boolean {
    const { connections, residents } = this.#counts
    const kept = [...this.#all].filter(worker => worker.organization === organization)
    if (kept.length < connections) return false
    return kept.length >= residents / 4 || bytesOf(kept) > (residents * RESIDENT_BYTES) / 2
  }

  #evict(worker: Worker): void {
    this.#all.delete(worker)
    this.#leaving.add(worker)
    worker.process.kill()
  }

  #add(): Worker {
    const folder = join(this.#scratch, String(this.#started++))
    const worker = new Worker(folder, this.#options, () => this.#onChange())
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
    const type = 'engine'
    const detail = `pid ${worker.process.pid}`
    const replacement = this.#ended.shift()
    this.restarts += Number(replacement !== undefined)
    this.#onEvent(
      replacement ? { type, what: 'replaced', detail, ...replacement } : { type, what: 'started', detail },
    )
    this.#onChange()
  }

  /** Replaces a worker at once; when it never became ready, after a delay that grows with each failure. */
  #gone(worker: Worker, exit: ProcessExit): void {
    this.#leaving.delete(worker)
    if (!this.#all.delete(worker) || this.#isClosed) return
    const { heldBytes } = exit.recycled ?? worker.process
    this.#ended.push({
      reason: reasonOf(worker, exit),
      heldBytes: isByOthers(exit) ? (exit.heldBytes ?? heldBytes) : heldBytes,
      limitBytes: exit.limitBytes,
    })
    if (exit.recycled === null) {
      const said = `${exit.signal ?? `status ${exit.code}`} ${exit.stderr}`.trim()
      const detail = isByOthers(exit) ? `it ${whyEnded(exit)}` : said
      this.#onEvent({ type: 'engine', what: 'died', detail })
    }
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

/** Memory of these workers, as far as they have reported it. */
function bytesOf(workers: readonly Worker[]): number {
  return workers.reduce((sum, { process }) => sum + IDLE_BYTES + process.heldBytes, 0)
}

function reasonOf(worker: Worker, { recycled, endedBy, breach }: ProcessExit): ReplacedReason {
  if (breach !== null) return 'protocol'
  const ended = endedBy === 'host' || endedBy === 'itself' ? 'crash' : endedBy
  return worker.killedFor ?? recycled?.reason ?? ended
}

const HALF_LIFE_MS = 60_000
const MOST_ORGANIZATIONS = 1024

/** How often each organization was served of late: the number of its jobs, where a job counts half as much each minute. */
class Uses {
  readonly #counts = new RecentMap<string, { count: number; at: number }>(MOST_ORGANIZATIONS)

  /** Counts a job. */
  add(organization: string): void {
    this.#counts.set(organization, { count: this.of(organization) + 1, at: performance.now() })
  }

  of(organization: string): number {
    const { count, at } = this.#counts.get(organization) ?? { count: 0, at: 0 }
    return count * 2 ** ((at - performance.now()) / HALF_LIFE_MS)
  }
}
