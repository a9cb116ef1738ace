import type { Limits } from '../call/limits.js'
import { PATHS, VERSION } from '../call/paths-and-headers.js'
import type { Method } from '../methods/method.js'
import type { Words } from '../words.js'
import type { Failures } from './failures.js'
import { amountOf } from './limit-values.js'
import type { DocPart } from './responses.js'

/** Whom callers ask about the service. */
export interface Contact {
  /** Name of a person or an organization. */
  name?: string
  /** URL of a page about the service. */
  url?: string
  /** Where to write. */
  email?: string
}

/** Grants the use of the description, as of the library that writes it. */
const LICENSE = { name: 'MIT', url: 'https://opensource.org/license/mit' }

/** What a service is called. */
export const TITLE = 'Analytics of projects'

/** What the documents describe: the methods of a service. */
export interface ApiSubject {
  /** Where callers reach the service, without a trailing slash. */
  baseUrl: string
  limits: Limits
  methods: readonly Method[]
  contact: Contact
  failures: Failures
  words: Words
  /** Value of `WWW-Authenticate` of every answer without a valid key. */
  challenge: string
}

/** The `info` of both documents. */
export function describeInfo({ limits, contact }: ApiSubject): DocPart {
  const body = amountOf('bodyBytes', limits.bodyBytes)
  const paragraphs = [
    'Reads the analytics of projects: list the projects, describe what a query may read, read its rows as JSON, or ' +
      'export them as a file. The API is read-only.',
    'Every call needs an API key, sent as `Authorization: Bearer <key>`; these descriptions need none. A key can ' +
      'read the projects of the organizations that it was created for, as long as its owner can.',
    `Every method is available over REST (\`POST ${PATHS.api}<method>\`), JSON-RPC 2.0 (\`POST ${PATHS.rpc}\`, one ` +
      `call per request) and JSON-RPC 2.0 over a WebSocket (\`${PATHS.socket}\`, one call per text message), with ` +
      `the same params and the same result. A body or message is at most ${body} long.`,
    'A field of the params that the method does not read is ignored: the answer then has `warnings` beside `result`, ' +
      'and a failure has them in its data.',
    'Over HTTP, the answer to every counted call states the remaining quota of its key.',
    'The API is experimental: methods, fields and limits can change or be removed without notice. `x-stability` of a ' +
      'method is `experimental`, `stable` (existing calls keep working) or `deprecated` (works, but will be removed).',
  ]
  const description = paragraphs.join('\n\n')
  return { title: TITLE, version: VERSION, description, contact, license: LICENSE }
}
