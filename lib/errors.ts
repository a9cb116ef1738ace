/** Every error class, with its code on all entry points and its HTTP status on REST. */
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

/** Name of an error class, as sent to callers in `class`. */
export type ErrorClass = keyof typeof ERROR_CLASSES

/** Details of a failure, such as the field that is invalid, the rule that was broken, or a hint. */
export type ErrorData = Record<string, unknown>

/**
 * A failure that is reported to the caller. The class determines its code and status; the message and `data`
 * are sent unchanged. `cause` is never sent: it is for the host only.
 */
export class AnalyticsError extends Error {
  /** Class of the failure. */
  readonly class: ErrorClass
  /** Details beyond the message, if there are any. */
  readonly data: ErrorData | undefined

  constructor(errorClass: ErrorClass, message: string, options: { data?: ErrorData; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AnalyticsError'
    this.class = errorClass
    this.data = options.data
  }

  /** Code of the class, the same on all entry points. See {@link ERROR_CLASSES}. */
  get code(): number {
    return ERROR_CLASSES[this.class].code
  }

  /** HTTP status of the class on REST. See {@link ERROR_CLASSES}. */
  get status(): number {
    return ERROR_CLASSES[this.class].status
  }

  /** Returns a copy of the failure with these fields added to `data`. */
  with(data: ErrorData): AnalyticsError {
    return new AnalyticsError(this.class, this.message, {
      data: { ...this.data, ...data },
      cause: this.cause,
    })
  }
}

/**
 * What a port throws when the same call fails again until the operator changes something. Callers get INTERNAL
 * and a reference in place of UNAVAILABLE, which asks them to try again.
 */
export class LastingFailure extends Error {
  override name = 'LastingFailure'
}
