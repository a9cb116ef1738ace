/** What waits on behalf of one caller, and the signal that all of it is given. */
interface Group {
  readonly over: AbortController
  readonly waiting: Set<(cause: unknown) => void>
  readonly leave: () => void
  /** Why one of them was given up for its time; the signal fires once none waits any more. */
  expired: Error | null
}

/**
 * Waits for answers of the host's ports: each wait ends with the answer, with its caller or with its time. Those of one
 * caller share a signal, which fires when the caller has left, or once none waits any more and one ran out of time.
 */
export class Waiting {
  readonly #timeoutMs: number
  // Signals of our own: Node 20 keeps those of AbortSignal.any for ever once somebody has listened to them.
  readonly #groups = new WeakMap<AbortSignal, Group>()

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /** The answer of `call`, within its time and for as long as the caller stays; one that comes too late is given back. */
  async for<Answer>(
    caller: AbortSignal,
    call: (signal: AbortSignal) => Promise<Answer>,
    giveBack: (late: Answer) => unknown,
    timeoutMs = this.#timeoutMs,
  ): Promise<Answer> {
    caller.throwIfAborted()
    const group = this.#groupOf(caller)
    const answering = call(group.over.signal)
    return new Promise<Answer>((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer)
        group.waiting.delete(giveUp)
        if (group.expired && group.waiting.size === 0) this.#end(caller, group, group.expired)
      }
      const giveUp = (cause: unknown) => {
        settle()
        reject(cause)
        answering.then(giveBack).catch(() => {}) // what comes too late nobody takes
      }
      const expire = () => {
        group.expired ??= new Error(`no answer within ${timeoutMs} ms`)
        this.#groups.delete(caller) // the next wait of the same caller gets a signal that does not fire with this one
        giveUp(group.expired)
      }
      const timer = setTimeout(expire, timeoutMs)
      group.waiting.add(giveUp)
      const answered = (take: () => void) => {
        if (!group.waiting.has(giveUp)) return
        settle()
        take()
      }
      answering.then(
        answer => answered(() => resolve(answer)),
        cause => answered(() => reject(cause)),
      )
    })
  }

  #groupOf(caller: AbortSignal): Group {
    const known = this.#groups.get(caller)
    if (known) return known
    const group: Group = {
      over: new AbortController(),
      waiting: new Set(),
      expired: null,
      leave: () => {
        for (const giveUp of [...group.waiting]) giveUp(caller.reason)
        this.#end(caller, group, caller.reason)
      },
    }
    caller.addEventListener('abort', group.leave)
    this.#groups.set(caller, group)
    return group
  }

  #end(caller: AbortSignal, group: Group, cause: unknown): void {
    caller.removeEventListener('abort', group.leave)
    if (this.#groups.get(caller) === group) this.#groups.delete(caller)
    group.over.abort(cause)
  }
}
