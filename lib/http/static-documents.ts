import { createHash } from 'node:crypto'
import type { HttpAnswer, HttpRequest } from './exchange.js'
import { names } from './headers.js'
import { json } from './respond.js'

/** Any cache may use a document without a key for five minutes before it asks whether it has changed. */
const OPEN = 'public, max-age=300'
/** The cache of a caller asks each time, so that a revoked key reads nothing. */
const KEYED = 'private, no-cache'

type Documents = ReadonlyMap<string, unknown>
type Cacheable = HttpAnswer & { body: readonly Uint8Array[] | null }

/** Answers requests for documents that do not change while the service runs, with an ETag. */
export class StaticDocuments {
  readonly #answers: ReadonlyMap<string, Cacheable>
  readonly #keyed: Documents

  /** Takes the documents by their names: those that need no key, and those that need one. */
  constructor(open: Documents, keyed: Documents = new Map()) {
    this.#keyed = keyed
    this.#answers = new Map([
      ...[...open].map(([name, document]) => [name, cacheable(document, OPEN)] as const),
      ...[...keyed].map(([name, document]) => [name, cacheable(document, KEYED)] as const),
    ])
  }

  has(name: string): boolean {
    return this.#answers.has(name)
  }

  needsKey(name: string): boolean {
    return this.#keyed.has(name)
  }

  /** Answers 304 when the client has the document already. */
  answer(name: string, request: HttpRequest): Cacheable {
    const { status, headers, body } = this.#answers.get(name) as Cacheable
    const known = request.header('if-none-match')
    if (!known || (known.trim() !== '*' && !names(known, headers.etag as string)))
      return { status, headers: { ...headers }, body }
    const { 'content-length': _, 'content-type': __, ...kept } = headers
    return { status: 304, headers: kept, body: null }
  }
}

function cacheable(document: unknown, cacheControl: string): Cacheable {
  const answer = json(200, document, { 'cache-control': cacheControl })
  const hash = createHash('sha256')
  for (const part of answer.body) hash.update(part)
  // Weak, since the bytes differ by content coding.
  return { ...answer, headers: { ...answer.headers, etag: `W/"${hash.digest('base64url').slice(0, 22)}"` } }
}
