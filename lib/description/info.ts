import type { Method } from '../methods/method.js'
import type { Limits } from '../options.js'
import { PATHS, VERSION } from '../paths.js'
import { amountOf } from './limit-values.js'
import type { Part } from './responses.js'

/** What is described: the methods, as a service runs them. */
export interface Subject {
  /** Under which callers reach the service, without a slash at the end. */
  baseUrl: string
  limits: Limits
  methods: readonly Method[]
}

/** What both documents say of the API as a whole. */
export function describeInfo({ limits }: Subject): Part {
  const body = amountOf('bodyBytes', limits.bodyBytes)
  const paragraphs = [
    'Reads the analytics of projects: list the projects, describe what a query may read, read its rows as JSON, or ' +
      'export them as a Parquet file. Nothing can be written.',
    'Every call needs an API key, sent as `Authorization: Bearer <key>`; these descriptions need none. A key reads the ' +
      'projects of the organizations that it was made for, as long as its owner does.',
    `Every method answers on REST (\`POST ${PATHS.api}<method>\`), on JSON-RPC 2.0 (\`POST ${PATHS.rpc}\`, one call a ` +
      `request) and on JSON-RPC 2.0 over a WebSocket (\`${PATHS.socket}\`, one call a text frame), with the same params ` +
      `and the same result. A body or a frame holds at most ${body}.`,
    'A field of the params that the method does not read fails nothing: the answer then has `warnings` beside `result`, ' +
      'and a failure has them in its data.',
    'Every counted answer over HTTP says what is left of the quota of its key.',
    'The API is experimental: a method, a field or a limit can change or go without notice. `x-stability` of a method ' +
      'is `experimental`, `stable` (what works goes on working) or `deprecated` (works, and will go).',
  ]
  return { title: 'Analytics of projects', version: VERSION, description: paragraphs.join('\n\n') }
}
