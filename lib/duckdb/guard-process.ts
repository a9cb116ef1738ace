import { join } from 'node:path'
import type { Statement } from '../engine/port.js'
import { ENDED_BY_HOST } from '../flow/exit.js'
import type { Outcome } from '../flow/messages.js'
import { JobProcess, ProcessDied } from '../flow/parent.js'
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

/** The verdict on a statement that ended the process. */
const TOO_COMPLEX: Verdict = {
  ok: false,
  rule: 'complexity',
  message: 'The statement is too complex to be read.',
  hint: 'Simplify it.',
}

/** A statement, and the only relations that it may read, if these are not all. */
export type UncheckedStatement = Pick<Statement, 'sql' | 'only'>

/** What the process is started with. */
export interface GuardProcessOptions {
  script: URL
  settings: { relations: readonly string[] }
  /** Folder in which the process has its own. */
  folder: string
  sandbox: Sandbox
  /** How long a check may wait for the process to start. */
  waitMs: number
  /** Told when the process has taken more than its bounds. */
  onDown: (cause: unknown) => void
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
  const holds = (verdict: Verdict, { sql, only }: UncheckedStatement) =>
    !verdict.ok ||
    (verdict.length <= sql.length &&
      verdict.relations.every(name => known.has(name) && (only?.includes(name) ?? true)))
  return {
    schema: VERDICTS as Schema<unknown> as Schema<Verdict[]>,
    holds: verdicts =>
      verdicts.length === statements.length &&
      verdicts.every((verdict, at) => holds(verdict, statements[at] as UncheckedStatement)),
  }
}

/** The process that reads statements, started again when it has ended. */
export class GuardProcess {
  readonly #start: () => JobProcess<unknown>
  readonly #waitMs: number
  /** Relations that statements may read. */
  readonly #relations: ReadonlySet<string>
  #process: JobProcess<unknown>
  /** Whether the process has checked nothing. */
  #isFresh = true
  isClosed = false

  constructor({ script, settings, folder, sandbox, waitMs, onDown }: GuardProcessOptions) {
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
      void started.exited.then(({ stderr }) => {
        if (stderr.startsWith(ENDED_BY_HOST)) onDown(new Error(`the guard was ${stderr}`))
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
    const statements = asked.map(({ sql, only }) => (only ? { sql, only } : { sql }))
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
        // A process that others have killed, such as the kernel for want of memory, says nothing about the statement,
        // and neither does one that earlier statements may have left without memory.
        const isOwnDoing = wasFresh && cause.exit.signal !== 'SIGKILL'
        if (cause.started && (isOver || isOwnDoing)) return [TOO_COMPLEX]
        if (attempt === MAX_ATTEMPTS) throw cause
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
