import { pino, stdTimeFunctions } from 'pino'

/** The log of a server: messages for its operator, with fields to search by. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Reports a failure to the operator; the message is `what` followed by "failed". */
export type Report = (what: string, cause: unknown) => void

/** Opens a log of JSON lines on standard error; messages below the level `least` are left out. */
export function openLog(least: 'info' | 'warn' = 'info'): Log {
  const settings = {
    level: least,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  // Written before the answer leaves: a call that was answered is in the log even if the server is killed.
  return pino(settings, { write: (line: string) => void process.stderr.write(line) })
}
