/** How busy the engine processes are. */
export interface PoolStats {
  /** Engine processes, as many as were asked for. */
  connections: number
  /** Those of them that take jobs, at work or not. */
  ready: number
  /** Those of them that are at work. */
  busy: number
  /** Jobs that wait for one. */
  waiting: number
  /** Processes that took the place of one that had ended, since the start. */
  restarts: number
}
