/** Work of which only the latest run counts: each start aborts the one before. */
export interface Latest {
  start(): AbortSignal
  stop(): void
}

/** A {@link Latest} that has not started. */
export function latest(): Latest {
  let running: AbortController | undefined
  const stop = () => running?.abort()
  return {
    stop,
    start() {
      stop()
      running = new AbortController()
      return running.signal
    },
  }
}
