import { type Patience, waitForWork } from '../flow/waiting.js'

/** Running work and the number of callers that wait for it. */
interface Shared<Value> {
  done: Promise<Value>
  wanted: number
  isDone: boolean
  over: AbortController
}

/** Runs work once for all concurrent callers; aborts it when the last of them has left. */
export class SharedWork<Value> {
  readonly #underWay = new Map<string, Shared<Value>>()

  /** Waits for the running work of this name, or begins it. */
  async of(name: string, patience: Patience, begin: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const shared = this.#underWay.get(name) ?? this.#begin(name, begin)
    shared.wanted += 1
    try {
      return await waitForWork(patience, shared.done)
    } finally {
      shared.wanted -= 1
      if (shared.wanted === 0) this.#end(name, shared)
    }
  }

  #begin(name: string, begin: (signal: AbortSignal) => Promise<Value>): Shared<Value> {
    const over = new AbortController()
    const shared: Shared<Value> = { done: begin(over.signal), wanted: 0, isDone: false, over }
    this.#underWay.set(name, shared)
    const settle = () => {
      shared.isDone = true
    }
    shared.done.then(settle, settle) // the waiting callers get the failure
    return shared
  }

  /** Ends work that no caller waits for any more: aborts it unless it is done. The next caller begins anew. */
  #end(name: string, shared: Shared<Value>): void {
    if (this.#underWay.get(name) === shared) this.#underWay.delete(name)
    if (!shared.isDone) shared.over.abort()
  }
}
