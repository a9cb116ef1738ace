/**
 * A phase in which a call spends its time: `auth` checks the key and its quota, `guard` checks the statement,
 * `build` waits for the relations that it reads, `wait` waits for a free connection, `query` produces rows or
 * a file, and `encode` writes the answer.
 */
export type Phase = 'auth' | 'guard' | 'build' | 'wait' | 'query' | 'encode'

/** The process that runs a statement of a call, and what it has made so far. */
export interface RunningProcess {
  /**
   * Its id if it is of this machine, the processor time of the statement in milliseconds, the rows that it has written if it
   * tells them, and their bytes.
   */
  made(): { pid: number | null; processorMs: number; rows: number | null; bytes: number }
}

/** What a call has spent: milliseconds by phase, without phases that it did not enter, and processor time. */
export class Phases {
  /** The time that each phase has taken so far, in milliseconds. */
  readonly spentMs: Partial<Record<Phase, number>> = {}
  /** When each part of a phase began and ended, as `performance.now()`; kept where somebody asks for them. */
  parts: [phase: Phase, from: number, to: number][] | null = null
  /** The phase that it is in. */
  current: Phase | null = null
  /** The process that runs its statement at this moment; also after its caller has left, until the process is free. */
  process: RunningProcess | null = null
  /** What work has spent that it shares with other calls, while it waits for that. */
  shared: Phases | null = null
  /** Called when a process is free that went on after the call had ended. */
  onEnd: (() => void) | null = null
  /** `performance.now()` of when the phase began that it is in. */
  #currentSince = 0
  #sharers = 0
  #processorMs = 0
  #takenMs: Partial<Record<Phase, number>> = {}
  #takenProcessorMs = 0

  /** Adds time to a phase. */
  add(phase: Phase, ms: number): void {
    this.spentMs[phase] = (this.spentMs[phase] ?? 0) + ms
    if (this.parts === null) return
    const now = performance.now()
    this.parts.push([phase, now - ms, now])
  }

  /** Processor time that engine processes have taken for its statements so far, in milliseconds. */
  get processorMs(): number {
    return this.#processorMs + (this.process?.made().processorMs ?? 0)
  }

  /** A process begins to run a statement of it. */
  begin(process: RunningProcess): void {
    this.process = process
  }

  /** A process is free again, which has taken this much processor time, in milliseconds. */
  end(process: RunningProcess, processorMs: number): void {
    this.#processorMs += processorMs
    if (this.process === process) this.process = null
    this.onEnd?.()
  }

  /** Processor time that nobody has taken yet, in milliseconds, which counts as taken from now on. */
  takeProcessorMs(): number {
    const now = this.processorMs
    const more = Math.max(0, now - this.#takenProcessorMs)
    this.#takenProcessorMs = now
    return more
  }

  /** Waits for work that other calls may share. What it spends counts for one of them: once it has ended, or a caller leaves. */
  async ofShared<Value>(shared: Phases, work: Promise<Value>): Promise<Value> {
    this.shared = shared
    shared.#sharers += 1
    try {
      return await work
    } finally {
      this.shared = null
      shared.#sharers -= 1
      this.#takeFrom(shared)
      // Nobody else is left to take what the process goes on to spend.
      if (shared.#sharers === 0)
        shared.onEnd = () => {
          this.#takeFrom(shared)
          this.onEnd?.()
        }
    }
  }

  #takeFrom(shared: Phases): void {
    const { current } = shared
    const spent = { ...shared.spentMs }
    // What a caller leaves has not ended by then.
    if (current) {
      const now = performance.now()
      spent[current] = (spent[current] ?? 0) + now - shared.#currentSince
      this.parts?.push([current, shared.#currentSince, now])
    }
    for (const [name, ms] of Object.entries(spent)) {
      const phase = name as Phase
      const more = ms - (shared.#takenMs[phase] ?? 0)
      if (more > 0) this.spentMs[phase] = (this.spentMs[phase] ?? 0) + more
      shared.#takenMs[phase] = ms
    }
    this.parts?.push(...(shared.parts?.splice(0) ?? []))
    this.#processorMs += shared.takeProcessorMs()
  }

  /** Waits for work and adds its duration to a phase, even when it fails. */
  async of<Value>(phase: Phase, work: Promise<Value>): Promise<Value> {
    const startedAt = performance.now()
    this.current = phase
    this.#currentSince = startedAt
    try {
      return await work
    } finally {
      if (this.current === phase) this.current = null
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
