import { join } from 'node:path'
import { JobFailed, ProcessDied } from '../process/parent.js'
import { Connection, type ConnectionEvent } from './connection.js'
import { EngineFailure } from './failure.js'
import type { EngineSettings, Job, JobFailure } from './jobs.js'
import { type JobOptions, type Waiter, WaitingLine } from './line.js'
import type { PoolStats } from './stats.js'

/** Time that a job has to stop once it is told to, before its process is killed. */
const GRACE_MS = 1_000

/** A connection taken for one job. */
interface Lease {
  connection: Connection
  options: JobOptions
  /** Ask the job to make room; set while it runs. */
  makeRoom: (() => void) | null
}

const MADE_ROOM = Symbol('made room')
const NOT_TAKEN = Symbol('not taken')

/**
 * The engine processes: each runs one job at a time, almost in the order in which they came. When one project holds every
 * connection and another one waits, the newest call of the first makes room and runs again later.
 */
export class Pool {
  readonly #connections: Connection[]
  readonly #leases = new Set<Lease>()
  readonly #line = new WaitingLine()
  #closed = false

  constructor(count: number, settings: Omit<EngineSettings, 'scratch'>, scratch: string, onEvent: ConnectionEvent) {
    this.#connections = Array.from(
      { length: count },
      (_, index) =>
        new Connection({ ...settings, scratch: join(scratch, String(index)) }, () => this.#dispatch(), onEvent),
    )
  }

  /**
   * Starts every process; fulfilled when the first takes jobs, as the others would only slow its start down, or when it
   * has ended before, and another one starts in its place.
   */
  async start(): Promise<void> {
    const [first, ...others] = this.#connections
    await first?.start()
    for (const connection of others) connection.startBehind()
  }

  get stats(): PoolStats {
    return {
      connections: this.#connections.length,
      ready: this.#connections.filter(connection => connection.ready).length,
      busy: this.#leases.size,
      waiting: this.#line.length,
      restarts: this.#connections.reduce((sum, connection) => sum + connection.replaced, 0),
    }
  }

  /** How many processes are there: those at work, which end in time or are killed, and those that say so in time. */
  async answering(withinMs: number): Promise<number> {
    const busy = new Set([...this.#leases].map(lease => lease.connection))
    const ready = this.#connections.filter(connection => connection.ready)
    const answers = ready.map(connection => busy.has(connection) || connection.process.answers(withinMs))
    return (await Promise.all(answers)).filter(isHere => isHere).length
  }

  /** Ids of the processes that run now. */
  get pids(): number[] {
    return this.#connections.filter(connection => connection.ready).map(connection => connection.process.pid as number)
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
    let restrained = false
    for (;;) {
      const lease: Lease = await phases.of('wait', this.#acquire(options, restrained))
      const value: Value | typeof MADE_ROOM | typeof NOT_TAKEN = await phases.of(
        'query',
        this.#execute(lease, job, finish),
      )
      if (value !== MADE_ROOM && value !== NOT_TAKEN) return value
      if (options.purpose === 'ahead') throw new EngineFailure('cancelled', 'The connection was needed.')
      restrained ||= value === MADE_ROOM
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#line.clear(closed())
    await Promise.all(this.#connections.map(connection => connection.close()))
  }

  #acquire(options: JobOptions, restrained: boolean): Promise<Lease> {
    if (this.#closed) throw closed()
    const take = (connection: Connection): Lease => {
      const lease: Lease = { connection, options, makeRoom: null }
      this.#leases.add(lease)
      return lease
    }
    return this.#line.join(options, restrained, take, () => this.#dispatch())
  }

  #execute<Outcome, Value>(
    lease: Lease,
    job: Job,
    finish: (outcome: Outcome, wanted: boolean) => Promise<Value> | Value,
  ): Promise<Value | typeof MADE_ROOM | typeof NOT_TAKEN> {
    const { process } = lease.connection
    const { signal, timeoutMs } = lease.options
    return new Promise((resolve, reject) => {
      let stopped: 'timeout' | 'cancelled' | 'room' | null = null
      let kill: NodeJS.Timeout | undefined
      const stop = (why: 'timeout' | 'cancelled' | 'room') => {
        if (stopped === null || stopped === 'room') kill ??= setTimeout(() => process.kill(), GRACE_MS)
        stopped = why
        process.interrupt()
        // The caller is answered now, not when the engine feels like it.
        if (why === 'timeout') reject(new EngineFailure('timeout', 'The time is over.'))
        if (why === 'cancelled') reject(new EngineFailure('cancelled', 'The caller has left.'))
      }
      const deadline = setTimeout(() => stop('timeout'), timeoutMs)
      const cancel = () => stop('cancelled')
      signal.addEventListener('abort', cancel, { once: true })
      lease.makeRoom = () => stop('room')
      // A build makes its process forget the snapshot that it knew.
      lease.connection.folder = 'view' in job && job.kind !== 'build' ? job.view.folder : null
      process
        .run<Outcome>(job)
        .then(async outcome => resolve(await finish(outcome, stopped === null || stopped === 'room')))
        .catch(cause => {
          const failure = this.#closed ? closed() : failureOf(cause)
          if (failure.kind === 'fault' && process.alive) process.kill()
          if (stopped === 'room' && (failure.kind === 'interrupted' || !process.alive)) resolve(MADE_ROOM)
          else if (cause instanceof ProcessDied && !cause.started) resolve(NOT_TAKEN)
          else reject(failure)
        })
        .finally(() => {
          clearTimeout(deadline)
          clearTimeout(kill)
          signal.removeEventListener('abort', cancel)
          this.#leases.delete(lease)
          this.#dispatch()
        })
      if (signal.aborted) cancel()
    })
  }

  /** Gives free connections to those who wait; then sees whether somebody has to make room. */
  #dispatch(): void {
    for (let idle = this.#idle(); idle.length > 0; idle = this.#idle()) {
      const isKnown = (waiter: Waiter) => idle.some(connection => knows(connection, waiter))
      const leases = [...this.#leases]
      // A connection is kept for other projects, but not for those that wait and may not start on it either.
      const isKeptForNobody = (candidate: Waiter) =>
        this.#leavesRoom(candidate, leases) && !this.#line.hasOnly(candidate.options.projectId)
      const waiter =
        this.#line.next(candidate => this.#mayStart(candidate, leases), isKnown) ?? this.#line.find(isKeptForNobody)
      if (!waiter) break
      waiter.start(bestOf(idle, waiter))
    }
    this.#makeRoom()
  }

  /** Whether it may start beside these: projects share the connections. */
  #mayStart(waiter: Waiter, leases: readonly Lease[]): boolean {
    if (!this.#leavesRoom(waiter, leases)) return false
    const { projectId } = waiter.options
    const count = this.#connections.length
    const held = leases.filter(lease => lease.options.projectId === projectId).length
    if (count === 1 || held < count - 1) return true
    return !waiter.restrained && this.#line.hasOnly(projectId)
  }

  /** Whether it leaves a connection to calls. */
  #leavesRoom({ options }: Waiter, leases: readonly Lease[]): boolean {
    const apart = leases.filter(lease => lease.options.purpose !== 'call').length
    return options.purpose === 'call' || apart < Math.max(1, this.#connections.length - 1)
  }

  #idle(): Connection[] {
    const busy = new Set([...this.#leases].map(lease => lease.connection))
    return this.#connections.filter(connection => connection.ready && !busy.has(connection))
  }

  /**
   * Stops a job in whose place somebody in line may start: one that is ahead of its time, else the newest call of a project
   * that holds every connection, for another project. What is itself ahead of its time is worth neither.
   */
  #makeRoom(): void {
    const leases = [...this.#leases]
    const holder = leases[0]?.options.projectId
    if (leases.length < this.#connections.length) return
    const ahead = leases.find(lease => lease.options.purpose === 'ahead')
    const held = leases.length > 1 && leases.every(lease => lease.options.projectId === holder)
    const last = ahead ?? (held ? leases.findLast(lease => lease.options.purpose === 'call' && lease.makeRoom) : null)
    const left = leases.filter(lease => lease !== last)
    const next = this.#line.find(waiter => waiter.options.purpose !== 'ahead' && this.#mayStart(waiter, left))
    if (next && (ahead || next.options.projectId !== holder)) last?.makeRoom?.()
  }
}

/** One that knows the snapshot already, else one that knows none. */
function bestOf(idle: readonly Connection[], waiter: Waiter): Connection {
  const known = idle.find(connection => knows(connection, waiter))
  return known ?? idle.find(({ folder }) => folder === null) ?? (idle[0] as Connection)
}

function knows({ folder }: Connection, { options }: Waiter): boolean {
  return folder?.includes(options.projectId) ?? false
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
