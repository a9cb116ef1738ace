/** Limits how many pieces of work run at once; the others wait first in, first out. */
export interface Turns {
  /** Runs `work` when there is room. Returns null without running it when too many are waiting. */
  take<Result>(work: () => Promise<Result>): Promise<Result> | null
}

/** Creates turns: at most `atOnce` pieces of work run, and at most `waiting` more wait. */
export function turns(atOnce: number, waiting: number): Turns {
  const queue: (() => void)[] = []
  let running = 0

  async function run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running < atOnce) running++
    // Work that ends passes its place to the first in the queue, so that no later work takes it.
    else await new Promise<void>(resolve => queue.push(resolve))
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else running--
    }
  }
  return {
    take: work => (running >= atOnce && queue.length >= waiting ? null : run(work)),
  }
}
