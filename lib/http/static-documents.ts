import { createHash } from 'node:crypto'
import type { HttpAnswer, HttpRequest } from './exchange.js'
import { names } from './headers.js'
import { json } from './respond.js'

/** How long clients use a description before they ask whether it has changed. */
const MAX_AGE_SECONDS = 300

/** Answers requests for documents that need no key and do not change, with an ETag. */
export class StaticDocuments {
  readonly #answers: ReadonlyMap<string, HttpAnswer>

  /** Takes the documents by their names. */
  constructor(documents: ReadonlyMap<string, unknown>) {
    this.#answers = new Map([...documents].map(([name, document]) => [name, cacheable(document)]))
  }

  has(name: string): boolean {
    return this.#answers.has(name)
  }

  /** Answers 304 when the client has the document already. */
  answer(name: string, request: HttpRequest): HttpAnswer {
    const { status, headers, body } = this.#answers.get(name) as HttpAnswer
    const known = request.header('if-none-match')
    if (!known || (known.trim() !== '*' && !names(known, headers.etag as string)))
      return { status, headers: { ...headers }, body }
    const { 'content-length': _, 'content-type': __, ...kept } = headers
    return { status: 304, headers: kept, body: null }
  }
}

function cacheable(document: unknown): HttpAnswer {
  const answer = json(200, document, { 'cache-control': `public, max-age=${MAX_AGE_SECONDS}` })
  const hash = createHash('sha256')
  for (const part of answer.body) hash.update(part)
  // Weak, since the bytes differ by content coding.
  return { ...answer, headers: { ...answer.headers, etag: `W/"${hash.digest('base64url').slice(0, 22)}"` } }
}
