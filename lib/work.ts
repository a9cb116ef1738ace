/**
 * Where the time of a call goes: `auth` the key and its quota, `guard` the check of the text, `build` the relations that
 * it reads, `wait` a free connection, `query` rows or a file, `encode` the answer.
 */
export const PHASES = ['auth', 'guard', 'build', 'wait', 'query', 'encode'] as const

/** A part of a call, see {@link PHASES}. */
export type Phase = (typeof PHASES)[number]

/** Milliseconds that a call has spent, by phase; what it had no need of is absent. */
export class Phases {
  readonly spentMs: Partial<Record<Phase, number>> = {}

  add(phase: Phase, ms: number): void {
    this.spentMs[phase] = (this.spentMs[phase] ?? 0) + ms
  }

  /** Waits for work, and adds what it takes, also when it fails. */
  async of<Value>(phase: Phase, work: Promise<Value>): Promise<Value> {
    const startedAt = performance.now()
    try {
      return await work
    } finally {
      this.add(phase, performance.now() - startedAt)
    }
  }
}

/** What the parts of a call know of it: when it is over, and where its time goes. */
export interface Work {
  /** Fires when nobody wants the outcome any more. */
  signal: AbortSignal
  phases: Phases
}

/** Work that goes on whoever leaves, and whose time is nobody's. */
export function workOfNobody(): Work {
  return { signal: new AbortController().signal, phases: new Phases() }
}
