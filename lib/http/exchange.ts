/** A request, in the same shape for every server. */
export interface HttpRequest {
  /** HTTP method, upper case. */
  method: string
  /** Path as sent, without query. */
  path: string
  /** Value of a header by its lower-case name; null if it is absent. */
  header(name: string): string | null
  /** Reads the whole body. Rejects with INVALID_REQUEST as soon as it exceeds `maxBytes` or ends early. */
  readBody(maxBytes: number): Promise<Uint8Array>
  /** Aborts when the client disconnects. */
  signal: AbortSignal
}

/** The answer to a request. */
export interface HttpAnswer {
  /** HTTP status. */
  status: number
  /** Headers by lower-case name. */
  headers: Record<string, string>
  /** The bytes of the body in order, or a stream of a file; null for no body. */
  body: readonly Uint8Array[] | ReadableStream<Uint8Array> | null
  /**
   * Call it once the answer is sent or given up: until then its bytes count as unsent bytes of the key's
   * owner.
   */
  sent?: () => void
}

/** Answers requests. */
export type Answerer = (request: HttpRequest) => Promise<HttpAnswer>

/** What the host answers to a caller: the body as JSON, and headers by lower-case name. */
export interface HostAnswer {
  /** Body of the answer. */
  body: unknown
  /** Headers besides those that every answer has. Default: none. */
  headers?: Record<string, string>
}
