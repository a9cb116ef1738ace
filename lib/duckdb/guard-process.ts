import { join } from 'node:path'
import type { Asker } from '../engine/port.js'
import { isByOthers, type ProcessExit, whyEnded } from '../flow/death.js'
import { ENDED_BY_HOST } from '../flow/exit.js'
import type { Outcome } from '../flow/messages.js'
import { JobProcess, ProcessDied } from '../flow/parent.js'
import { RecentMap } from '../flow/recent.js'
import { waitForWork } from '../flow/waiting.js'
import { VERDICT, type Verdict } from '../guard/verdict.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { World } from '../sandbox/world.js'
import { listOf, object, type Schema, text } from '../schema.js'

const MEMORY_LIMIT_BYTES = 768 * 1024 ** 2
/** It writes no files. */
const DISK_BYTES = 16 * 1024 ** 2
/** Of a statement; several that are checked together have no more. */
const DEADLINE_MS = 5_000
/** Processes to try before a check fails: a process that dies before it takes statements says nothing about them. */
const MAX_ATTEMPTS = 3
/**
 * Processes that may end while they check one statement. With more, a statement could end process after process; its
 * organization alone waits for these, and a refusal is kept.
 */
const MOST_DEATHS = 2

/** The verdict on a statement that ended its processes. */
const TOO_COMPLEX: Verdict = {
  ok: false,
  rule: 'complexity',
  message: 'The statement is too complex to be read.',
  hint: 'Simplify it.',
}

/** SQL as a caller sent it, before its check, which makes it a statement of the engine. */
export interface UncheckedStatement extends Pick<Asker, 'readable'> {
  sql: string
}

/** What the process is started with. */
interface GuardProcessOptions {
  script: URL
  settings: { relations: readonly string[] }
  /** Folder in which the process has its own. */
  folder: string
  sandbox: Sandbox
  /** How long a check may wait for the process to start. */
  waitMs: number
  /** Told when the process has taken more than its bounds. */
  onDown: (cause: unknown) => void
  /** Told when others have ended the process, and why, whatever becomes of the statements. */
  onDied: (detail: string) => void
}

const VERDICTS = listOf(VERDICT, 'The verdicts on statements, in their order.')
const FAULT = object({ message: text('Why none could be checked.') }, 'Why a check has failed.')

/**
 * The outcome that the host accepts: a verdict on each statement, which names no relation that the statement may not
 * read.
 */
function verdictsOn(
  statements: readonly UncheckedStatement[],
  known: ReadonlySet<string>,
): Outcome<Verdict[]> {
  const holds = (verdict: Verdict, { sql, readable }: UncheckedStatement) =>
    !verdict.ok ||
    (verdict.length <= sql.length &&
      verdict.relations.every(name => known.has(name) && (readable?.includes(name) ?? true)))
  return {
    schema: VERDICTS as Schema<unknown> as Schema<Verdict[]>,
    holds: verdicts =>
      verdicts.length === statements.length &&
      verdicts.every((verdict, at) => holds(verdict, statements[at] as UncheckedStatement)),
  }
}

/** The process that reads statements, started again when it has ended. */
class GuardProcess {
  readonly #start: () => JobProcess<unknown>
  readonly #waitMs: number
  /** Relations that statements may read. */
  readonly #relations: ReadonlySet<string>
  #process: JobProcess<unknown>
  /** Whether the process has checked nothing. */
  #isFresh = true
  isClosed = false

  constructor({ script, settings, folder, sandbox, waitMs, onDown, onDied }: GuardProcessOptions) {
    const options = {
      script: { url: script, packages: ['@duckdb/node-api'] },
      world: new World(join(folder, 'guard')),
      sandbox,
      settings,
      memoryLimitBytes: MEMORY_LIMIT_BYTES,
      bounds: { diskBytes: DISK_BYTES },
      failures: FAULT,
    }
    this.#start = () => {
      const started = new JobProcess<unknown>(options)
      void started.exited.then(exit => {
        const told = `the guard ${whyEnded(exit)}`
        if (exit.stderr.startsWith(ENDED_BY_HOST)) onDown(new Error(told))
        else if (isByOthers(exit)) onDied(told)
      })
      return started
    }
    this.#process = this.#start()
    this.#waitMs = waitMs
    this.#relations = new Set(settings.relations)
  }

  get ready(): Promise<void> {
    return this.#process.ready
  }

  /**
   * The verdicts on statements, which are checked together; null when the process ended, which one of several has
   * caused. Calls `overrun` when they take longer than `turnMs`. Throws when there is no process, and when processes
   * are killed by others.
   */
  async check(
    asked: readonly UncheckedStatement[],
    turnMs: number,
    overrun: () => void,
  ): Promise<Verdict[] | null> {
    const statements = asked.map(({ sql, readable }) => (readable ? { sql, readable } : { sql }))
    const deaths: ProcessExit[] = []
    for (let attempt = 1; ; attempt++) {
      this.#revive()
      try {
        await waitForWork({ ms: this.#waitMs }, this.#process.ready)
      } catch (cause) {
        if (!(cause instanceof ProcessDied) || attempt === MAX_ATTEMPTS) throw cause
        continue // a process that never started says nothing about the statements
      }
      let isOver = false
      const turn = setTimeout(overrun, turnMs)
      const deadline = setTimeout(() => {
        isOver = true
        this.#process.kill()
      }, DEADLINE_MS)
      const wasFresh = this.#isFresh
      this.#isFresh = false
      try {
        return (await this.#process.run(statements, verdictsOn(statements, this.#relations))).value
      } catch (cause) {
        if (!(cause instanceof ProcessDied) || this.isClosed) throw cause
        this.#revive()
        if (cause.started && asked.length > 1) return null
        if (!cause.started && attempt === MAX_ATTEMPTS) throw cause
        if (!cause.started) continue
        // Memory that is missing in a process which has checked others before may be theirs.
        const isOutOfMemory = wasFresh && cause.exit.endedBy === 'memory-limit'
        if (isOver || isOutOfMemory) return [TOO_COMPLEX]
        deaths.push(cause.exit)
        if (deaths.length < MOST_DEATHS) continue
        // A process that others have ended says nothing about the statement, and a single crash too little.
        if (deaths.some(isByOthers)) throw cause
        return [TOO_COMPLEX]
      } finally {
        clearTimeout(turn)
        clearTimeout(deadline)
      }
    }
  }

  /** Whether the process answers in time. */
  async answers(withinMs: number): Promise<boolean> {
    this.#revive() // calls may come only once this is true, so none would restart the process
    return this.#process.answers(withinMs)
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.#process.kill()
    await this.#process.exited
  }

  #revive(): void {
    if (this.#process.alive || this.isClosed) return
    this.#process = this.#start()
    this.#isFresh = true
  }
}

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
