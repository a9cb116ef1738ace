import type { ErrorClass } from '../errors.js'
import type { Warning } from '../model.js'

/** What every failure may carry: the fields of the params that were not read. */
export interface WarnedData {
  /** Absent when all were read. */
  warnings?: Warning[]
}

/** What a failure of each class carries in `data`. */
export interface FailureData extends Record<ErrorClass, WarnedData> {
  /** `path`: the field of the params, with dots. */
  INVALID_PARAMS: WarnedData & { path: string }
  /** `path`: the field that names what the key does not read. */
  FORBIDDEN: WarnedData & { path: string }
  /** `path`: the field that names what is not there; none for a link. */
  NOT_FOUND: WarnedData & { path?: string }
  /** `retry`: an assessment runs; without it a new one has to be launched. */
  NOT_READY: WarnedData & { retry: boolean }
  /** `rule` is what the SQL breaks, `line` and `column` count from 1, `hint` is what to write instead. */
  INVALID_QUERY: WarnedData & { rule: string; name?: string; line?: number; column?: number; hint?: string }
  /** `retryAfterSeconds`: until the window of the quota ends. */
  RATE_LIMITED: WarnedData & { retryAfterSeconds: number }
  /** `reference` finds the fault in the logs of the service. */
  INTERNAL: WarnedData & { reference: string }
}

/** A failure as the service told it. */
export interface ToldFailure {
  /** What went wrong; a later version may know more classes. */
  class: string
  /** Code of the class. */
  code: number
  /** What to do, in English. */
  message: string
  /** More than the message says. */
  data?: Record<string, unknown> | undefined
  /** The method that was called, or `download`. */
  method: string
  /** What the service asks to wait for before another attempt, in milliseconds. */
  retryAfterMs?: number | undefined
}

/** A failure of one class. */
export class Failure<Class extends ErrorClass = ErrorClass> extends Error {
  /** What went wrong; decides what `data` holds. */
  readonly class: Class
  /** Code of the class. */
  readonly code: number
  /** More than the message says; an empty object where there is no more. */
  readonly data: FailureData[Class]
  /** The method that was called, or `download`. */
  readonly method: string
  /** What the service asks to wait for before another attempt, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** How often the call was made. */
  attempts = 1

  constructor(told: ToldFailure) {
    super(told.message)
    this.name = 'AnalyticsClientError'
    // A class that only a later version knows is handed on as it is.
    this.class = told.class as Class
    this.code = told.code
    this.data = (told.data ?? {}) as unknown as FailureData[Class]
    this.method = told.method
    this.retryAfterMs = told.retryAfterMs
  }
}

/** A call that the service answered with a failure: after `instanceof`, `error.class` decides the type of `error.data`. */
export type AnalyticsClientError = { [Class in ErrorClass]: Failure<Class> }[ErrorClass]
/** What `instanceof` asks for; the client throws them. */
export const AnalyticsClientError = Failure as unknown as {
  new (told: ToldFailure): AnalyticsClientError
  readonly prototype: AnalyticsClientError
}

/** No answer of the service: it was not reached, the answer broke off or took too long, or something else answered. */
export class AnalyticsConnectionError extends Error {
  /** HTTP status of the answer, if there was one. */
  readonly status: number | undefined

  constructor(message: string, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, { cause })
    this.name = 'AnalyticsConnectionError'
    this.status = status
  }
}

/** A new assessment has replaced the snapshot between two pages; the rows that were given belong to the old one. */
export class SnapshotReplacedError extends Error {
  /** Rows that were given before. */
  readonly rows: number

  constructor(rows: number, cause: Error) {
    super(
      `The rows cannot be read on: ${cause.message} The ${rows} rows so far belong to the snapshot before: ` +
        'drop them and call rows() again, or use export(), whose file is of one snapshot.',
      { cause },
    )
    this.name = 'SnapshotReplacedError'
    this.rows = rows
  }
}
