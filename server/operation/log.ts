import { pino, stdTimeFunctions } from 'pino'

/** Where a server writes what its operator may want to know: a message and fields to search by. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A log of JSON lines on standard error; whatever is less than `least` is left out. */
export function openLog(least: 'info' | 'warn' = 'info'): Log {
  const settings = {
    level: least,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  // Written before the answer leaves: what a caller has got is in the log, also of a server that is killed.
  return pino(settings, { write: (line: string) => void process.stderr.write(line) })
}
