/**
 * A phase in which a call spends its time: `auth` checks the key and its quota, `guard` checks the statement,
 * `build` waits for the relations that it reads, `wait` waits for a free connection, `query` produces rows or
 * a file, and `encode` writes the answer.
 */
export type Phase = 'auth' | 'guard' | 'build' | 'wait' | 'query' | 'encode'

/** Milliseconds that a call has spent, by phase; phases that it did not enter are absent. */
export class Phases {
  /** The time that each phase has taken so far, in milliseconds. */
  readonly spentMs: Partial<Record<Phase, number>> = {}

  /** Adds time to a phase. */
  add(phase: Phase, ms: number): void {
    this.spentMs[phase] = (this.spentMs[phase] ?? 0) + ms
  }

  /** Waits for work and adds its duration to a phase, even when it fails. */
  async of<Value>(phase: Phase, work: Promise<Value>): Promise<Value> {
    const startedAt = performance.now()
    try {
      return await work
    } finally {
      this.add(phase, performance.now() - startedAt)
    }
  }
}

/** What every part of a call receives: the signal that ends it, and the record of its time. */
export interface Work {
  /** Fires when the outcome is no longer wanted. */
  signal: AbortSignal
  /** Takes the time that the work spends. */
  phases: Phases
}

/** Whom a check of a statement is for, and the signal that ends its wait. */
export interface Asker {
  /** Key of the organization that owns the project: statements wait round-robin across organizations. */
  organization: string
  /** Id of the owner of the key: within an organization, statements wait round-robin across owners. */
  ownerId: string
  /**
   * The only relations that the statement may read; the engine answers all others as relations that do not exist.
   * Default: all that callers see.
   */
  relations?: readonly string[]
  /** Fires when the outcome is no longer wanted. */
  signal: AbortSignal
}

/** A statement that passed the check of an engine. */
export interface CheckedStatement {
  /** What the engine runs: the caller's SQL, without a trailing semicolon and what follows it. */
  statement: string
  /** Relations of the catalogue that it reads, and perhaps some that it does not. */
  relations: readonly string[]
  /** Names of its parameters, without the `$`; names that differ in case alone are one. Default: none. */
  parameters?: readonly string[]
  /** Whether its rows may differ from run to run. */
  volatile: boolean
}

/** Work of no particular call: no caller can end it, and its time counts for none. */
export function workOfNobody(): Work {
  return { signal: new AbortController().signal, phases: new Phases() }
}
