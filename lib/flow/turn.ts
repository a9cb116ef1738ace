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
