import type { AnalyticsEvent } from 'foldgate'

const MAX_REASON_CHARACTERS = 300

/** Writes a line for the operator to standard error. */
export function logLine(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** What a thrown thing says, on one line and without its stack. */
export function reasonOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message || thrown.name : String(thrown)
  // Only the first line: the engine quotes the SQL of callers on those that follow.
  const [first = ''] = text.split('\n')
  return first.replace(/\p{Cc}/gu, ' ').slice(0, MAX_REASON_CHARACTERS)
}

/** The line for an event of the service, or null when it is not worth one. */
export function describeEvent(event: AnalyticsEvent): string | null {
  switch (event.type) {
    case 'call':
      return null
    case 'dependency':
      return `dependency ${event.port} is down: ${reasonOf(event.cause)}`
    case 'fault':
      return `fault ${event.reference}: ${reasonOf(event.cause)}`
    case 'engine':
      return event.what === 'started' ? null : `engine process ${event.what}: ${reasonOf(event.detail)}`
    case 'build':
      return event.cause === undefined ? null : `build of ${event.relation} failed: ${reasonOf(event.cause)}`
  }
}
