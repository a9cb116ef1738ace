import { noConnection } from '../engine/failure.js'
import { cancelled, EngineFailure, type PoolStats } from '../engine/port.js'
import { isNoSpace, noSpaceIn } from '../files/no-space.js'
import { isByOthers } from '../flow/death.js'
import { JobFailed, ProcessDied } from '../flow/parent.js'
import { Queue, type Waiting } from '../flow/queue.js'
import { TimeIsOver, waitForWork } from '../flow/waiting.js'
import type { RunningProcess, Work } from '../flow/work.js'
import { WorldGone } from '../sandbox/world.js'
import { workersOf } from './fit.js'
import { buildsFiles, type Gift, type Job, type JobFailure, type JobOf, type JobResult } from './jobs.js'
import type { Worker, WorkerOptions } from './worker.js'
import { type WorkerCounts, type WorkerEvent, Workers } from './workers.js'

/** The tenant, the caller, the files and the time limits of a job. */
interface JobOptions extends Work {
  /** No other organization shares its workers. */
  organization: string
  /** Tells the jobs of an organization that share workers from others; see `reachOf`. */
  reach: string
  projectId: string
  /** Files of the host that the job reads. */
  gifts: readonly Gift[]
  waitMs: number
  timeoutMs: number
  /** Whether nobody waits for it: it lets all others pass, as long as {@link BEHIND_MS}. */
  isBehind?: boolean
  /** Is told how long it has run, in milliseconds, however it has ended. */
  onRun?(tookMs: number): void
}

/** What the outcome of a job is finished with. */
interface FinishContext {
  /** Whether the caller still waits: it has not left, and the time is not over. */
  isWanted: boolean
  /** The bytes that came with the outcome. */
  bytes: Buffer
  /** Takes a file that the job has made, see {@link World.take}. */
  take(name: string): Promise<string>
}

/** Turns the outcome of a job into what is returned, before the worker takes another job. */
export type Finish<Outcome, Value> = (outcome: Outcome, context: FinishContext) => Promise<Value> | Value

/** A queued or running job; groups are organizations, subgroups are projects. */
interface QueuedJob extends Waiting {
  isBuild: boolean
  reach: string
  /** Until when it starts only where it keeps no other waiting, as `performance.now()`. */
  behindUntil: number
}

/** A running job; it counts for its project until its worker is free again or has ended. */
interface RunningJob extends QueuedJob {
  worker: Worker
}

/** How long a job for which nobody waits lets others pass; on a machine that is never idle it has its turn then. */
const BEHIND_MS = 5_000
/** Time from interrupting a job to killing its worker. */
const GRACE_MS = 1_000

/**
 * Runs up to `connections` jobs at once, one per worker, from a queue that is fair to organizations and
 * projects.
 */
export class Pool {
  readonly #connections: number
  readonly #workers: Workers
  readonly #scratch: string
  readonly #running = new Set<RunningJob>()
  readonly #queue = new Queue<QueuedJob, RunningJob>()
  #isClosed = false

  constructor(
    { connections, residents, spares }: WorkerCounts,
    options: WorkerOptions,
    scratch: string,
    onEvent: (event: WorkerEvent) => void,
  ) {
    this.#connections = connections
    this.#scratch = scratch
    // The job beyond the connections that #mayStart allows needs a worker too.
    const least = workersOf(connections)
    const counts = { connections, residents: Math.max(residents, least), spares }
    this.#workers = new Workers(counts, options, scratch, onEvent, () => this.#dispatch())
  }

  /** Resolves when the first worker is ready or has ended; in that case another one starts. */
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

  /**
   * How many connections have a worker that is busy (its job ends or is killed in time) or answers in time.
   */
  async answering(withinMs: number): Promise<number> {
    const busy = this.#busy()
    const answers = this.#workers.ready.map(worker => busy.has(worker) || worker.process.answers(withinMs))
    return Math.min(this.#connections, (await Promise.all(answers)).filter(isHere => isHere).length)
  }

  /** Process ids of the workers that have started. */
  get pids(): number[] {
    return this.#workers.ready.map(worker => worker.process.pid as number)
  }

  /** Takes a file away from the workers that were given it. */
  withdraw(name: string): Promise<void> {
    return this.#workers.withdraw(name)
  }

  /**
   * Runs a job, and once more when others have ended its process. That is safe, since a job that has not ended has
   * returned nothing; and bounded, since a statement for which the kernel kills again and again gets no more than a
   * second call would.
   */
  async run<Kind extends Job['kind'], Value>(
    job: JobOf<Kind>,
    options: JobOptions,
    finish: Finish<JobResult<Kind>, Value>,
  ): Promise<Value> {
    const { organization, reach, projectId, gifts, waitMs, timeoutMs, signal, phases, isBehind, onRun } =
      options
    const entry: QueuedJob = {
      group: organization,
      subgroup: projectId,
      reach,
      isBuild: buildsFiles(job),
      behindUntil: isBehind ? performance.now() + BEHIND_MS : 0,
      signal,
      ms: waitMs,
    }
    let leftMs = timeoutMs
    for (let killed: EngineFailure | null = null; ; ) {
      if (this.#isClosed) throw closed()
      const running = await phases.of(
        'wait',
        this.#queue.join(entry, () => this.#dispatch()).catch(noConnection),
      )
      const patience = { signal, ms: leftMs }
      const startedAt = performance.now()
      const process = watched(running.worker, job)
      phases.begin(process)
      const onFree = () => phases.end(process, process.made().processorMs)
      try {
        const taken = await phases
          .of('query', this.#execute(running, { job, gifts, onFree }, patience, finish))
          .finally(() => onRun?.(performance.now() - startedAt))
        if (taken) return taken.value // else the worker ended before it took the job
      } catch (cause) {
        const kind = cause instanceof EngineFailure ? cause.kind : null
        if (killed && kind === 'timeout') throw killed // it had less time than the statement may take
        leftMs -= performance.now() - startedAt
        if (killed || kind !== 'killed' || leftMs <= 0) throw cause
        killed = cause as EngineFailure
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#queue.clear(closed())
    await this.#workers.close()
  }

  async #execute<Kind extends Job['kind'], Value>(
    running: RunningJob,
    { job, gifts, onFree }: { job: JobOf<Kind>; gifts: readonly Gift[]; onFree(): void },
    patience: { signal: AbortSignal; ms: number },
    finish: Finish<JobResult<Kind>, Value>,
  ): Promise<{ value: Value } | null> {
    const { worker } = running
    let isStopped = false
    let isOver = false
    let kill: NodeJS.Timeout | undefined
    worker.opens(buildsFiles(job) ? null : job.view.folder)
    const take = (name: string) => worker.take(name)
    const done = worker
      .prepare(job.kind, gifts)
      .then(() => worker.run(job))
      .then(
        async ({ value, bytes }) => ({
          value: await finish(value, { isWanted: !isStopped, bytes, take }),
        }),
        async cause => {
          if (cause instanceof ProcessDied && !cause.started) return null
          const isGone = cause instanceof WorldGone
          if (isGone) worker.kill('crash')
          if (isGone && !isStopped) return null
          const failure = this.#isClosed ? closed() : await failureOf(cause, this.#scratch)
          const isLost = failure.kind === 'disk' && !(await worker.hasFolder())
          if (failure.kind === 'fault' || isLost) worker.kill('crash')
          throw failure
        },
      )
      .finally(async () => {
        await worker.tidy(gifts).catch(() => {}) // else removed with its folder
        isOver = true
        onFree()
        clearTimeout(kill)
        worker.usedAt = performance.now()
        this.#running.delete(running)
        this.#dispatch()
      })
    try {
      return await waitForWork(patience, done)
    } catch (cause) {
      if (cause instanceof EngineFailure) throw cause
      isStopped = true
      // The caller gets an answer now, even if DuckDB takes longer to stop.
      if (!isOver) {
        kill = setTimeout(() => worker.kill('deadline'), GRACE_MS)
        worker.process.interrupt()
      }
      throw cause instanceof TimeIsOver
        ? new EngineFailure('timeout', 'The time is over.', { cause })
        : cancelled()
    }
  }

  /** Starts the jobs that may start, each on the best worker; then provides blank workers for the others. */
  #dispatch(): void {
    if (this.#isClosed) return
    let idle = this.#idle()
    const workerFor = (entry: QueuedJob) =>
      this.#mayStart(entry) ? this.#workers.choose(idle, entry.group, entry.reach, entry.subgroup) : null
    let chosen: Worker | null = null
    let hasStarted = false
    const hasWorker = (entry: QueuedJob) => {
      chosen = workerFor(entry)
      return chosen !== null
    }
    const take = (entry: QueuedJob) => {
      const running = { ...entry, worker: chosen as Worker }
      idle = idle.filter(worker => worker !== running.worker)
      this.#workers.take(running.worker, entry.group, entry.reach)
      this.#running.add(running)
      hasStarted = true
      return running
    }
    while (this.#queue.startNext(hasWorker, take));
    const waiting = new Set<string>()
    const newcomers = this.#queue.count(entry => {
      waiting.add(entry.group)
      return this.#mayStart(entry) && workerFor(entry) === null
    })
    const free = this.#connections - this.#running.size
    // A spare process takes a core from a job that has just started: it starts when that has ended.
    const demand = { newcomers: Math.min(newcomers, free + 1), waiting, isQuiet: free > 0 && !hasStarted }
    this.#workers.provide(demand, idle)
  }

  /**
   * Whether a job may start now. Builds leave at least one connection to queries, unless there is only one.
   * When one organization or project holds every connection, one job of another organization or project runs
   * beyond them.
   */
  #mayStart({ isBuild, behindUntil, group, subgroup }: QueuedJob): boolean {
    const held = [...this.#running]
    const now = performance.now()
    if (now < behindUntil && (held.length > 0 || this.#queue.count(entry => now >= entry.behindUntil) > 0))
      return false
    if (held.length < this.#connections) {
      const builds = held.filter(running => running.isBuild).length
      return !isBuild || builds < Math.max(1, this.#connections - 1)
    }
    if (this.#connections === 1 || held.length > this.#connections) return false
    const [holder] = held
    const byGroup = held.every(running => running.group === holder?.group)
    const bySubgroup = held.every(running => running.subgroup === holder?.subgroup)
    return (byGroup && group !== holder?.group) || (bySubgroup && subgroup !== holder?.subgroup)
  }

  #idle(): Worker[] {
    const busy = this.#busy()
    return this.#workers.ready.filter(worker => !busy.has(worker))
  }

  #busy(): Set<Worker> {
    return new Set([...this.#running].map(({ worker }) => worker))
  }
}

/** What a worker has taken and made since now, for the job that it begins. */
function watched(worker: Worker, job: Job): RunningProcess {
  const { process } = worker
  const startedAt = performance.now()
  const before = process.processorMs()
  const file = 'file' in job ? job.file : null
  return {
    made() {
      const taken = process.processorMs()
      const isTold = before !== null && taken !== null
      const processorMs = isTold ? taken - before : performance.now() - startedAt
      const bytes = file === null ? 0 : worker.sizeOf(file)
      return { pid: process.pid as number, processorMs, rows: process.rows, bytes }
    },
  }
}

/** The failure of jobs when the engine is closed. */
function closed(): EngineFailure {
  return new EngineFailure('cancelled', 'The engine is closed.')
}

/** The failure of a job, whatever it threw; `folder` is named when its disk is full. */
async function failureOf(cause: unknown, folder: string): Promise<EngineFailure> {
  if (cause instanceof EngineFailure) return cause
  if (isNoSpace(cause)) {
    const full = await noSpaceIn([folder], cause)
    return new EngineFailure('disk', full.message, { cause: full })
  }
  if (cause instanceof JobFailed) {
    const { kind, text, offset, atBinding, isFull, cause: detail } = cause.failure as JobFailure
    if (isFull && kind === 'disk') {
      const full = await noSpaceIn([folder], detail)
      return new EngineFailure(kind, full.message, { cause: full })
    }
    return new EngineFailure(kind, text, { offset, atBinding, cause: detail })
  }
  if (cause instanceof ProcessDied) {
    const own = cause.exit.endedBy === 'memory-limit' ? 'memory' : 'fault'
    const kind = isByOthers(cause.exit) ? 'killed' : own
    return new EngineFailure(kind, 'The query ended its engine process.', { cause, processDied: true })
  }
  return new EngineFailure('fault', 'The engine failed.', { cause })
}
