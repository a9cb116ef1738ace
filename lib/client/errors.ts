import type { ErrorClass } from '../errors.js'
import type { Warning } from '../model.js'

/** Data that any failure may have. */
export interface WarnedData {
  /** Fields of the params that were not read; absent when all were read. */
  warnings?: Warning[]
}

/** The `data` of a failure, by class. */
export interface FailureData extends Record<ErrorClass, WarnedData> {
  /** `path`: the wrong field of the params, with dots. */
  INVALID_PARAMS: WarnedData & { path: string }
  /** `path`: the field that names what the key cannot read; absent when it cannot call the method. */
  FORBIDDEN: WarnedData & { path?: string }
  /** `path`: the field that names what does not exist; absent for a download. */
  NOT_FOUND: WarnedData & { path?: string }
  /** `retry`: true while a snapshot is prepared, false when one must be sealed first. */
  NOT_READY: WarnedData & { retry: boolean }
  /** `rule` is what the SQL breaks, `line` and `column` count from 1, `hint` is what to write instead. */
  INVALID_QUERY: WarnedData & { rule: string; name?: string; line?: number; column?: number; hint?: string }
  /** `retryAfterSeconds`: seconds until the window of the quota ends. */
  RATE_LIMITED: WarnedData & { retryAfterSeconds: number }
  /** `retryAfterSeconds`: seconds until kept exports leave room for another. */
  UNAVAILABLE: WarnedData & { retryAfterSeconds?: number }
  /** `reference` identifies the fault in the logs of the service. */
  INTERNAL: WarnedData & { reference: string }
}

/** A failure as the service reported it. */
export interface ToldFailure {
  /** Failure class; a later version of the service may have more classes. */
  class: string
  /** Code of the class. */
  code: number
  /** What is wrong and what to do, in English. */
  message: string
  /** Details beyond the message. */
  data?: Record<string, unknown> | undefined
  /** The method that was called, `download` or `catalogue`. */
  method: string
  /** Wait before another attempt that the service asks for, milliseconds. */
  retryAfterMs?: number | undefined
}

/** A failure of one class. */
export class Failure<Class extends ErrorClass = ErrorClass> extends Error {
  /** Failure class; determines the type of `data`. */
  readonly class: Class
  /** Code of the class. */
  readonly code: number
  /** Details beyond the message; an empty object when there are none. */
  readonly data: FailureData[Class]
  /** The method that was called, `download` or `catalogue`. */
  readonly method: string
  /** Wait before another attempt that the service asks for, milliseconds; undefined if it asks for none. */
  readonly retryAfterMs: number | undefined
  /** Number of attempts made. */
  attempts = 1

  constructor(told: ToldFailure) {
    super(told.message)
    this.name = 'AnalyticsClientError'
    // A class unknown to this version is passed on unchanged.
    this.class = told.class as Class
    this.code = told.code
    this.data = (told.data ?? {}) as unknown as FailureData[Class]
    this.method = told.method
    this.retryAfterMs = told.retryAfterMs
  }
}

/** Thrown when the service answers with a failure. After `instanceof`, `error.class` narrows `error.data`. */
export type AnalyticsClientError = { [Class in ErrorClass]: Failure<Class> }[ErrorClass]
/** The class to test with `instanceof`. The client creates its instances. */
export const AnalyticsClientError = Failure as unknown as {
  new (told: ToldFailure): AnalyticsClientError
  readonly prototype: AnalyticsClientError
}

/**
 * Thrown when the service is not reached, does not answer in time or in full, or when something else answers.
 */
export class AnalyticsConnectionError extends Error {
  /** HTTP status of the response, if there was one. */
  readonly status: number | undefined
  /** Wait before another attempt that the response asks for, milliseconds; undefined if it asks for none. */
  readonly retryAfterMs: number | undefined
  /** Number of attempts made. */
  attempts = 1

  constructor(
    message: string,
    told: { status?: number; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: told.cause })
    this.name = 'AnalyticsConnectionError'
    this.status = told.status
    this.retryAfterMs = told.retryAfterMs
  }
}

/**
 * Thrown when a newer snapshot replaces the one that is read, between two pages. The rows so far belong to the old
 * snapshot.
 */
export class SnapshotReplacedError extends Error {
  /** Number of rows returned before. */
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
