/** Work of which only the latest counts: each start ends the one before. */
export interface Latest {
  start(): AbortSignal
  stop(): void
}

/** Nothing runs yet. */
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
