/** How busy the engine processes are. */
export interface PoolStats {
  /** Jobs that run at once, as many as were asked for. */
  connections: number
  /** As many of them as have an engine process, at work or not. */
  ready: number
  /** Jobs at work: one more than `connections` while another organization or project holds them all. */
  busy: number
  /** Jobs that wait. */
  waiting: number
  /** Processes that took the place of one that had ended, since the start. */
  restarts: number
}
