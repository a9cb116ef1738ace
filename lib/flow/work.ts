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

/** Work of no particular call: no caller can end it, and its time counts for none. */
export function workOfNobody(): Work {
  return { signal: new AbortController().signal, phases: new Phases() }
}

/** The turns of the event loop, for work that is cheaper together. */
export class Turn {
  #end: Promise<void> | null = null

  /** Resolves at the end of this turn, once for all callers: data that has arrived in it is read by then. */
  end(): Promise<void> {
    this.#end ??= new Promise(resolve => {
      setImmediate(() => {
        this.#end = null
        resolve()
      })
    })
    return this.#end
  }
}

/**
 * Tells how long ago it was made, in milliseconds, by the clock that says more: the monotonic clock may stand still
 * while the machine is suspended, and the clock of the day may be set back.
 */
export function stopwatch(): () => number {
  const [startedAt, dated] = [performance.now(), Date.now()]
  return () => Math.max(performance.now() - startedAt, Date.now() - dated)
}
