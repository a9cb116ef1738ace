import { join } from 'node:path'
import { LIMITS } from '../../call/limits.js'
import type { KnownRelation } from '../../engine/claim.js'
import type { Statement } from '../../engine/port.js'
import { isByOthers } from '../../flow/death.js'
import { type JobAnswer, JobFailed, ProcessDied } from '../../flow/parent.js'
import type { Column } from '../../model.js'
import type { Sandbox } from '../../sandbox/sandbox.js'
import { childScript } from '../../sandbox/script.js'
import { type Guard, openGuard } from '../guard.js'
import { moveFile } from '../home.js'
import {
  type Gift,
  type Job,
  type JobFailure,
  type JobOf,
  type JobResult,
  jobStatement,
  type View,
} from '../jobs.js'
import { builtFile, closure, type PlannedRelation } from '../plan.js'
import { Worker, type WorkerOptions } from '../worker.js'

const MEMORY_LIMIT_BYTES = 1024 ** 3
/** Nothing takes long over tables without rows. */
const JOB_ENDS_MS = 30_000
/** Processes to try when they end before they take a job, or others end them. */
const MAX_ATTEMPTS = 3
/** Large enough for the tree of any statement. */
const ROW_BYTES = 64 * 1024 ** 2
/** Name of the folder with the built relations, as jobs have it. */
const FOLDER = 'built'

/** What a trial is opened with. */
interface TrialOptions {
  /** An empty folder of its own. */
  folder: string
  sandbox: Sandbox
  /** Relations that callers can name. */
  relations: Iterable<string>
  /** Functions that callers can use besides those that are there by default. */
  functions: Iterable<string>
  /** What the catalogue says of them. */
  described: readonly KnownRelation[]
}

/**
 * A process of each kind that a service has, for relations over tables without rows: a guard, and a worker that
 * builds them and runs statements. Its jobs run one at a time.
 */
export class Trial {
  readonly guard: Guard
  readonly #folder: string
  readonly #options: WorkerOptions
  #worker: Worker
  #started = 0
  #isOver = false
  /** Paths of the built relations, by their aliases. */
  readonly #built = new Map<string, string>()

  constructor({ folder, sandbox, ...names }: TrialOptions) {
    this.#folder = folder
    this.#options = {
      threads: 1,
      memoryLimitBytes: MEMORY_LIMIT_BYTES,
      spillBytes: MEMORY_LIMIT_BYTES,
      sandbox,
    }
    this.#worker = this.#start()
    this.guard = openGuard({
      script: childScript('../child/guard-main.js', import.meta.url),
      ...names,
      folder,
      sandbox,
      waitMs: LIMITS.buildTimeoutMs.default,
    })
  }

  /**
   * Builds relations, and what they read, as far as they are not built yet; returns their columns by their
   * names. Rejects with a {@link JobFailed}, also when only one of them fails: then none is built.
   */
  async build(relations: readonly PlannedRelation[]): Promise<Map<string, readonly Column[]>> {
    const all = [...closure(relations).values()]
    const steps = all.filter(({ alias }) => !this.#built.has(alias))
    const ready = all.filter(({ alias }) => this.#built.has(alias))
    const { value: made } = await this.#run<'build'>(
      {
        kind: 'build',
        view: viewOf(ready),
        steps: steps.map(step => {
          return { file: builtFile(step), reads: step.reads.map(read => read.alias), from: step.from }
        }),
      },
      ready,
    )
    for (const step of steps) {
      const [file = ''] = builtFile(step).files
      const taken = await this.#worker.take(file)
      this.#built.set(step.alias, await moveFile(taken, join(this.#folder, FOLDER, file)))
    }
    return new Map(steps.map(({ name }, at) => [name, made[at]?.columns ?? []]))
  }

  /** Runs a statement over relations that are built; returns its rows, up to `limit`. */
  async rows(
    sql: string,
    relations: readonly PlannedRelation[],
    limit: number,
  ): Promise<Record<string, unknown>[]> {
    const range = { offset: 0, limit, rowBytes: ROW_BYTES, pageBytes: ROW_BYTES }
    const job = {
      kind: 'rows' as const,
      view: viewOf(relations),
      statement: { sql },
      ...range,
    }
    const { bytes } = await this.#run<'rows'>(job, relations)
    return JSON.parse(`[${bytes.toString()}]`) as Record<string, unknown>[]
  }

  /** The columns of a statement over relations that are built, without running it. */
  async bind(statement: Statement, relations: readonly PlannedRelation[]): Promise<Column[]> {
    const reads = relations.map(({ alias }) => alias)
    const job = {
      kind: 'bind' as const,
      view: viewOf(relations),
      unbuilt: [],
      reads,
      statement: jobStatement(statement),
    }
    return (await this.#run<'bind'>(job, relations)).value
  }

  /** Ends its processes; jobs under way fail. */
  async close(): Promise<void> {
    this.#isOver = true
    this.#worker.process.kill()
    await Promise.all([this.#worker.exited, this.guard.close()])
  }

  async #run<Kind extends Job['kind']>(
    job: JobOf<Kind>,
    relations: readonly PlannedRelation[],
  ): Promise<JobAnswer<JobResult<Kind>>> {
    for (let attempt = 1; ; attempt++) {
      if (!this.#worker.process.alive && !this.#isOver) this.#worker = this.#start()
      const worker = this.#worker
      try {
        return await this.#runOn(worker, job, relations)
      } catch (cause) {
        // A process that ends after the job before it has not taken this one, and one that others end says nothing of it.
        if (!(cause instanceof ProcessDied) || this.#isOver) throw cause
        if (cause.started && !isByOthers(cause.exit)) throw new JobFailed<JobFailure>(endedBy(cause, worker))
        if (attempt === MAX_ATTEMPTS) throw cause
      }
    }
  }

  async #runOn<Kind extends Job['kind']>(
    worker: Worker,
    job: JobOf<Kind>,
    relations: readonly PlannedRelation[],
  ): Promise<JobAnswer<JobResult<Kind>>> {
    await worker.process.ready
    const gifts = relations.map((relation): Gift => {
      const { alias, files } = builtFile(relation)
      const missing = { kind: 'view', text: alias } as const
      const from = this.#built.get(alias) ?? ''
      return { name: join(FOLDER, files[0] ?? ''), from, version: alias, missing }
    })
    await worker.prepare(job.kind, gifts)
    const late = setTimeout(() => worker.kill('deadline'), JOB_ENDS_MS)
    try {
      return await worker.run(job)
    } finally {
      clearTimeout(late)
    }
  }

  #start(): Worker {
    return new Worker(join(this.#folder, `worker-${this.#started++}`), this.#options, () => {})
  }
}

function endedBy({ exit }: ProcessDied, { killedFor }: Worker): JobFailure {
  if (killedFor === 'deadline')
    return { kind: 'interrupted', text: `It has not ended after ${JOB_ENDS_MS / 1000} seconds.` }
  if (exit.endedBy === 'memory-limit') return { kind: 'memory', text: 'It runs out of memory.' }
  return { kind: 'assertion', text: 'It ends the process of the engine.' }
}

function viewOf(relations: readonly PlannedRelation[]): View {
  return { folder: FOLDER, files: relations.map(builtFile) }
}
