import { type Patience, waitFor } from '../waiting.js'

/** Work under way that several may want. */
interface Shared<Value> {
  done: Promise<Value>
  wanted: number
  isDone: boolean
  over: AbortController
}

/** Work that is done once for all who want it at a time; it is called off when the last of them has left. */
export class SharedWork<Value> {
  readonly #underWay = new Map<string, Shared<Value>>()

  /** What the work of this name comes to, begun here or by whoever came before. */
  async of(name: string, patience: Patience, begin: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const shared = this.#underWay.get(name) ?? this.#begin(name, begin)
    shared.wanted += 1
    try {
      return await waitFor<Value>(patience, (take, fail) => void shared.done.then(take, fail))
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
    shared.done.then(settle, settle) // what it failed with is told to whoever wants it
    return shared
  }

  /** Nobody wants it any more: it is over, or all have left, and who comes now begins anew. */
  #end(name: string, shared: Shared<Value>): void {
    if (this.#underWay.get(name) === shared) this.#underWay.delete(name)
    if (!shared.isDone) shared.over.abort()
  }
}
