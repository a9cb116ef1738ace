import { createHash } from 'node:crypto'
import type { Caller } from '../ports.js'
import type { HttpAnswer, HttpRequest } from './exchange.js'
import { json, names } from './respond.js'

/** Any cache may use a document without a key for five minutes before it asks whether it has changed. */
const OPEN = 'public, max-age=300'
/** The cache of a caller asks each time, so that a revoked key reads nothing. */
const KEYED = 'private, no-cache'

/** Returns a document as a caller may read it; the same object for all callers whose keys have no limits. */
export type KeyedDocument = (caller: Caller) => object | Promise<object>

type Cacheable = HttpAnswer & { body: readonly Uint8Array[] | null }

/** Answers requests for documents that do not change while the service runs, with an ETag. */
export class StaticDocuments {
  readonly #open: ReadonlyMap<string, Cacheable>
  readonly #keyed: ReadonlyMap<string, KeyedDocument>
  readonly #written = new WeakMap<object, Cacheable>()

  /** Takes the documents by their names: those that need no key, and those that need one. */
  constructor(open: ReadonlyMap<string, unknown>, keyed: ReadonlyMap<string, KeyedDocument> = new Map()) {
    this.#keyed = keyed
    this.#open = new Map([...open].map(([name, document]) => [name, cacheable(document, OPEN)] as const))
  }

  has(name: string): boolean {
    return this.#open.has(name) || this.#keyed.has(name)
  }

  needsKey(name: string): boolean {
    return this.#keyed.has(name)
  }

  /** Answers with a document that needs no key; 304 when the client has it already. */
  answer(name: string, request: HttpRequest): Cacheable {
    return answerWith(this.#open.get(name) as Cacheable, request)
  }

  /** Answers with a document that needs a key; 304 when the client has it already. */
  async answerFor(caller: Caller, name: string, request: HttpRequest): Promise<Cacheable> {
    const document = await (this.#keyed.get(name) as KeyedDocument)(caller)
    const written = this.#written.get(document) ?? cacheable(document, KEYED)
    this.#written.set(document, written)
    return answerWith(written, request)
  }
}

function answerWith({ status, headers, body }: Cacheable, request: HttpRequest): Cacheable {
  const known = request.header('if-none-match')
  if (!known || (known.trim() !== '*' && !names(known, headers.etag as string)))
    return { status, headers: { ...headers }, body }
  const { 'content-length': _, 'content-type': __, ...kept } = headers
  return { status: 304, headers: kept, body: null }
}

function cacheable(document: unknown, cacheControl: string): Cacheable {
  const answer = json(200, document, { 'cache-control': cacheControl })
  const hash = createHash('sha256')
  for (const part of answer.body) hash.update(part)
  // Weak, since the bytes differ by content coding.
  return { ...answer, headers: { ...answer.headers, etag: `W/"${hash.digest('base64url').slice(0, 22)}"` } }
}
