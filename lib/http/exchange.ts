/** A request, whatever kind of server it came to. */
export interface HttpRequest {
  /** Verb, in capitals. */
  method: string
  /** Path as sent, without the query. */
  path: string
  /** A header by its name in lower case. */
  header(name: string): string | null
  /** The whole body; one that passes `maxBytes`, or that ends early, is refused as soon as that is known. */
  readBody(maxBytes: number): Promise<Uint8Array>
  /** Fires when the client has left. */
  signal: AbortSignal
}

/** The answer to a request. */
export interface HttpAnswer {
  /** HTTP status. */
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  /** Parts of a text in their order, or a file that is read while it is sent; null for no body. */
  body: readonly Uint8Array[] | ReadableStream<Uint8Array> | null
  /** To be called once the answer has left, or never will: until then it counts against what its owner may leave unread. */
  sent?: () => void
}
