/** An error of PostgreSQL, or of the connection to it. No such error contains the password. */
interface PostgresError {
  message?: string
  code?: string
  severity?: string
  hint?: string
  position?: string
}

/** The code of a statement that was ended while it waited for a lock. */
const LOCKED = '55P03'
/** The code of a statement that took too long, or was cancelled. */
const CANCELLED = '57014'
/** What the client says when PostgreSQL takes longer than the pool allows. */
const UNANSWERED = 'Query read timeout'

/** Whether PostgreSQL has answered, and its connection goes on. */
export function answered(cause: unknown): boolean {
  return (cause as PostgresError).severity === 'ERROR'
}

/** The error for a connection that cannot be had. */
export function refusedConnection(cause: unknown): Error {
  const { severity, code, message } = cause as PostgresError
  const why = severity === undefined ? `cannot be reached: ${code ?? message}` : `refuses: ${saying(cause)}`
  return new Error(`PostgreSQL ${why}`, { cause })
}

/** The error for a statement that PostgreSQL refuses, when the text that it was sent in has `before` in front of it. */
export function refusedStatement(cause: unknown, statement: string, before: string): Error {
  const { severity, position, code } = cause as PostgresError
  if (severity !== 'ERROR' || code === LOCKED || code === CANCELLED) return unread(cause)
  const at = Number(position) - 1 - before.length
  const place = at >= 0 ? placeIn(statement, at) : null
  return new Error(`PostgreSQL refuses the statement${place ? ` at ${place}` : ''}: ${saying(cause)}`, {
    cause,
  })
}

/** The error for rows that could not be read to the end. */
export function unread(cause: unknown): Error {
  const { severity, message, code } = cause as PostgresError
  if (code === LOCKED)
    return new Error(
      `PostgreSQL waited too long for a lock that another session holds: ${saying(cause)}. Read again once that has ended ` +
        'its transaction, such as an ALTER TABLE: pg_blocking_pids() tells whose it is',
      { cause },
    )
  if (message === UNANSWERED)
    return new Error('PostgreSQL has not answered within the query_timeout of the pool', { cause })
  if (severity === undefined)
    return new Error(`The connection to PostgreSQL was lost: ${code ?? message}`, { cause })
  return new Error(`PostgreSQL ended the statement: ${saying(cause)}`, { cause })
}

function saying(cause: unknown): string {
  const { message, code, hint } = cause as PostgresError
  const advice =
    code === CANCELLED && /timeout/.test(`${message}`)
      ? 'let it take longer with timeoutMs of the source'
      : hint
  return `${message} (${code})${advice ? `. ${advice[0]?.toUpperCase()}${advice.slice(1)}` : ''}`
}

/** The line and column of a character; PostgreSQL counts code points. */
function placeIn(statement: string, at: number): string | null {
  const characters = [...statement]
  if (at > characters.length) return null
  const lines = characters.slice(0, at).join('').split('\n')
  return `line ${lines.length}, column ${[...(lines.at(-1) ?? '')].length + 1}`
}
