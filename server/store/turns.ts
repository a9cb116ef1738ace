/** Lets so many pieces of work run at a time; the others wait in the order in which they came. */
export interface Turns {
  /** Runs `work` when it is its turn; null, and nothing is run, when as many wait already as may. */
  take<Result>(work: () => Promise<Result>): Promise<Result> | null
}

/** Turns for `atOnce` pieces of work, with at most `waiting` more that wait. */
export function turns(atOnce: number, waiting: number): Turns {
  const queue: (() => void)[] = []
  let running = 0

  async function run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running < atOnce) running++
    // Who ends hands its place on, so nobody who comes later gets in between.
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
