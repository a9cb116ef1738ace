/** What the host is told about refreshes. */
export type RefreshEvent =
  /** Another process refreshes; this one takes over when that one ends. */
  | { type: 'standby' }
  /** A refresh begins. */
  | { type: 'started' }
  /** It has ended; what is wrong with single tenants was told before. The rows of `unchanged` tenants were sealed already. */
  | {
      type: 'refreshed'
      durationMs: number
      sealed: number
      unchanged: number
      failed: number
      empty: number
    }
  /** It has ended early: tenants that were not sealed keep their numbers. */
  | { type: 'failed'; durationMs: number; cause: unknown }
  /** The host ended in the middle of it. */
  | { type: 'stopped'; durationMs: number }
  /** A tenant keeps its numbers, because its rows are wrong. */
  | { type: 'tenant-failed'; projectId: string; cause: unknown }
  /** A tenant keeps its numbers, because it has no rows. */
  | { type: 'tenant-empty'; projectId: string }
  /** Rows of no tenant were left out: `key` is their `tenant_id`, or null. */
  | { type: 'strays'; table: string; key: string | null; rows: number }
  /** A refresh is due, and the one before has been under way for so long. */
  | { type: 'late'; runningMs: number }

const LEVELS: Partial<Record<RefreshEvent['type'], string>> = {
  failed: 'error',
  'tenant-failed': 'error',
  'tenant-empty': 'warn',
  strays: 'warn',
  late: 'warn',
}

/** A line for the log. Of an error it has the message alone: other members may have settings of the connection. */
export function lineOf({ type, ...told }: RefreshEvent, time: Date): string {
  const error = 'cause' in told ? { cause: undefined, error: reasonOf(told.cause) } : {}
  return JSON.stringify({
    time: time.toISOString(),
    level: LEVELS[type] ?? 'info',
    event: type,
    ...told,
    ...error,
  })
}

/** A connection that is refused at several addresses has only a code. */
function reasonOf(cause: unknown): string {
  const { message, code } = cause as Partial<NodeJS.ErrnoException>
  return message || code || String(cause)
}
