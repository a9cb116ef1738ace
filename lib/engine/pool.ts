import { JobFailed, ProcessDied } from '../process/parent.js'
import { EngineFailure } from './failure.js'
import type { EngineSettings, Job, JobFailure } from './jobs.js'
import { type JobOptions, Queue } from './queue.js'
import type { PoolStats } from './stats.js'
import type { Worker } from './worker.js'
import { type WorkerCounts, type WorkerEvent, Workers } from './workers.js'

/** Time that a job has to stop once it is told to, before its process is killed. */
const GRACE_MS = 1_000

/** A job at work; it counts for its project until its process is free again or has ended. */
interface Running {
  worker: Worker
  options: JobOptions
}

const NOT_TAKEN = Symbol('not taken')

/** Runs jobs in workers, one each at a time: `connections` at once, taken from a queue fair by organization and project. */
export class Pool {
  readonly #connections: number
  readonly #workers: Workers
  readonly #running = new Set<Running>()
  readonly #queue = new Queue<Running>()
  #isClosed = false

  constructor(
    { connections, residents }: WorkerCounts,
    settings: Omit<EngineSettings, 'scratch'>,
    scratch: string,
    onEvent: WorkerEvent,
  ) {
    this.#connections = connections
    // A job beyond the connections, see #mayStart, needs a worker too.
    const counts = { connections, residents: Math.max(residents, connections === 1 ? 1 : connections + 1) }
    this.#workers = new Workers(counts, settings, scratch, onEvent, () => this.#dispatch())
  }

  /** Fulfilled when the first worker takes jobs, or has ended before, and another one starts in its place. */
  start(): Promise<void> {
    return this.#workers.start()
  }

  get stats(): PoolStats {
    return {
      connections: this.#connections,
      ready: Math.min(this.#connections, this.#workers.ready.length),
      busy: this.#running.size,
      waiting: this.#queue.length,
      restarts: this.#workers.restarts,
    }
  }

  /** How many connections have a process: those at work, which end in time or are killed, and those that say so in time. */
  async answering(withinMs: number): Promise<number> {
    const busy = this.#busy()
    const answers = this.#workers.ready.map(worker => busy.has(worker) || worker.process.answers(withinMs))
    return Math.min(this.#connections, (await Promise.all(answers)).filter(isHere => isHere).length)
  }

  /** Ids of the processes that run now. */
  get pids(): number[] {
    return this.#workers.ready.map(worker => worker.process.pid as number)
  }

  /**
   * Runs a job. `finish` makes the answer of the job's outcome while its process still holds still; it is told when
   * nobody wants the outcome any more.
   */
  async run<Outcome, Value>(
    job: Job,
    options: JobOptions,
    finish: (outcome: Outcome, wanted: boolean) => Promise<Value> | Value,
  ): Promise<Value> {
    const { phases } = options
    for (;;) {
      if (this.#isClosed) throw closed()
      const waiting = this.#queue.join(options, () => this.#dispatch())
      const running = await phases.of('wait', waiting)
      const value: Value | typeof NOT_TAKEN = await phases.of('query', this.#execute(running, job, finish))
      if (value !== NOT_TAKEN) return value
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#queue.clear(closed())
    await this.#workers.close()
  }

  #execute<Outcome, Value>(
    running: Running,
    job: Job,
    finish: (outcome: Outcome, wanted: boolean) => Promise<Value> | Value,
  ): Promise<Value | typeof NOT_TAKEN> {
    const { worker, options } = running
    const { signal, timeoutMs } = options
    return new Promise((resolve, reject) => {
      let isStopped = false
      let kill: NodeJS.Timeout | undefined
      const stop = (failure: EngineFailure) => {
        isStopped = true
        kill ??= setTimeout(() => worker.kill(), GRACE_MS)
        worker.process.interrupt()
        reject(failure) // the caller is answered now, whenever the engine hears of it
      }
      const deadline = setTimeout(() => stop(new EngineFailure('timeout', 'The time is over.')), timeoutMs)
      const cancel = () => stop(new EngineFailure('cancelled', 'The caller has left.'))
      signal.addEventListener('abort', cancel, { once: true })
      // A build makes its process forget the snapshot that it knew.
      worker.folder = 'view' in job && job.kind !== 'build' ? job.view.folder : null
      worker.process
        .run<Outcome>(job)
        .then(async outcome => resolve(await finish(outcome, !isStopped)))
        .catch(cause => {
          const failure = this.#isClosed ? closed() : failureOf(cause)
          if (failure.kind === 'fault' && worker.process.alive) worker.kill()
          if (cause instanceof ProcessDied && !cause.started) resolve(NOT_TAKEN)
          else reject(failure)
        })
        .finally(() => {
          clearTimeout(deadline)
          clearTimeout(kill)
          signal.removeEventListener('abort', cancel)
          worker.usedAt = performance.now()
          this.#running.delete(running)
          this.#dispatch()
        })
      if (signal.aborted) cancel()
    })
  }

  /** Starts what may start, each on the worker that suits it best; then sees to blank workers for the others. */
  #dispatch(): void {
    if (this.#isClosed) return
    const hasWorker = (options: JobOptions) => this.#mayStart(options) && this.#workerFor(options) !== null
    const take = (options: JobOptions) => {
      const running = { worker: this.#workerFor(options) as Worker, options }
      running.worker.serve(options.organization)
      this.#running.add(running)
      return running
    }
    while (this.#queue.startNext(hasWorker, take));
    const newcomers = this.#queue.count(options => this.#mayStart(options) && this.#workerFor(options) === null)
    this.#workers.provide(Math.min(newcomers, this.#connections + 1 - this.#running.size), this.#idle())
  }

  /**
   * Whether it may run beside what is at work. Where one organization or one project holds every connection, another is
   * not kept waiting by it: it runs beyond them.
   */
  #mayStart({ purpose, organization, projectId }: JobOptions): boolean {
    const held = [...this.#running].map(({ options }) => options)
    if (held.length < this.#connections) {
      const apart = held.filter(options => options.purpose !== 'call').length
      return purpose === 'call' || apart < Math.max(1, this.#connections - 1)
    }
    if (purpose === 'prefetch' || this.#connections === 1 || held.length > this.#connections) return false
    const [holder] = held
    const byOrganization = held.every(options => options.organization === holder?.organization)
    const byProject = held.every(options => options.projectId === holder?.projectId)
    return (byOrganization && organization !== holder?.organization) || (byProject && projectId !== holder?.projectId)
  }

  #workerFor({ organization, projectId }: JobOptions): Worker | null {
    return this.#workers.choose(this.#idle(), organization, projectId)
  }

  #idle(): Worker[] {
    const busy = this.#busy()
    return this.#workers.ready.filter(worker => !busy.has(worker))
  }

  #busy(): Set<Worker> {
    return new Set([...this.#running].map(({ worker }) => worker))
  }
}

function closed(): EngineFailure {
  return new EngineFailure('cancelled', 'The engine is closed.')
}

function failureOf(cause: unknown): EngineFailure {
  if (cause instanceof JobFailed) {
    const { kind, text, offset, cause: detail } = cause.failure as JobFailure
    return new EngineFailure(kind, text, { offset, cause: detail })
  }
  if (cause instanceof ProcessDied) {
    const kind = cause.exit.outOfMemory ? 'memory' : 'fault'
    return new EngineFailure(kind, 'The query ended its engine process.', { cause, processDied: true })
  }
  return new EngineFailure('fault', 'The engine failed.', { cause })
}
