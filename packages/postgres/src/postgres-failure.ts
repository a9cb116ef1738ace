/** An error of PostgreSQL, or of the connection to it. No such error contains the password. */
interface PostgresError {
  message?: string
  code?: string
  severity?: string
  hint?: string
  position?: string
}

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
  const { severity, position } = cause as PostgresError
  if (severity !== 'ERROR') return unread(cause)
  const at = Number(position) - 1 - before.length
  const place = at >= 0 ? placeIn(statement, at) : null
  return new Error(`PostgreSQL refuses the statement${place ? ` at ${place}` : ''}: ${saying(cause)}`, {
    cause,
  })
}

/** The error for rows that could not be read to the end. */
export function unread(cause: unknown): Error {
  const { severity, message, code } = cause as PostgresError
  if (severity === undefined)
    return new Error(`The connection to PostgreSQL was lost: ${code ?? message}`, { cause })
  return new Error(`PostgreSQL ended the statement: ${saying(cause)}`, { cause })
}

function saying(cause: unknown): string {
  const { message, code, hint } = cause as PostgresError
  const advice =
    code === '57014' && /timeout/.test(`${message}`)
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
