/** Every class of failure: its code on all entry points and its HTTP status on REST. */
export const ERROR_CLASSES = {
  PARSE_ERROR: { code: -32700, status: 400 },
  INVALID_REQUEST: { code: -32600, status: 400 },
  METHOD_NOT_FOUND: { code: -32601, status: 404 },
  INVALID_PARAMS: { code: -32602, status: 400 },
  INTERNAL: { code: -32603, status: 500 },
  UNAUTHENTICATED: { code: 1401, status: 401 },
  FORBIDDEN: { code: 1403, status: 403 },
  NOT_FOUND: { code: 1404, status: 404 },
  NOT_READY: { code: 1409, status: 409 },
  INVALID_QUERY: { code: 1422, status: 422 },
  QUERY_TIMEOUT: { code: 1408, status: 408 },
  QUERY_TOO_LARGE: { code: 1413, status: 413 },
  RATE_LIMITED: { code: 1429, status: 429 },
  UNAVAILABLE: { code: 1503, status: 503 },
  LINK_EXPIRED: { code: 1410, status: 410 },
} as const satisfies Record<string, { code: number; status: number }>

/** Name of a failure class, as callers see it in `class`. */
export type ErrorClass = keyof typeof ERROR_CLASSES

/** What a failure carries beside its message: where, why, what to write instead. */
export type ErrorData = Record<string, unknown>

/**
 * A failure that a caller may be told: its class decides code and status, its message and `data` are shown as they
 * are. `cause` is for the host alone (see `onEvent`) and reaches no answer.
 */
export class AnalyticsError extends Error {
  /** What went wrong. */
  readonly class: ErrorClass
  /** More than the message says, if there is more. */
  readonly data: ErrorData | undefined

  constructor(errorClass: ErrorClass, message: string, options: { data?: ErrorData; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AnalyticsError'
    this.class = errorClass
    this.data = options.data
  }

  /** Code of the class on all entry points, see {@link ERROR_CLASSES}. */
  get code(): number {
    return ERROR_CLASSES[this.class].code
  }

  /** HTTP status of the class on REST. */
  get status(): number {
    return ERROR_CLASSES[this.class].status
  }

  /** The same failure with more in `data`. */
  with(data: ErrorData): AnalyticsError {
    return new AnalyticsError(this.class, this.message, { data: { ...this.data, ...data }, cause: this.cause })
  }
}
