/**
 * Tells how long ago it was made, in milliseconds, by the clock that says more: the monotonic clock may stand still
 * while the machine is suspended, and the clock of the day may be set back.
 */
export function stopwatch(): () => number {
  const [startedAt, dated] = [performance.now(), Date.now()]
  return () => Math.max(performance.now() - startedAt, Date.now() - dated)
}
