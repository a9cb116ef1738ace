import type { ErrorClass } from '../errors.js'
import type { GuardRule } from '../guard/refusal.js'
import { COMMON_ERRORS, type Method } from '../methods/method.js'
import { type JsonSchema, sent } from '../schema.js'

const warning = sent('Warning', 'A field of the params that the method does not read, and left out.', {
  path: { type: 'string', description: 'Where the field stands in the params, with dots: page.nextCursor.' },
  message: { type: 'string', description: 'What became of it.' },
})

/** Warnings beside a result, or in the data of a failure. */
export const warnings: JsonSchema = {
  type: 'array',
  items: warning,
  minItems: 1,
  description: 'One for each field of the params that was not read; absent when there is none.',
}

/** What a statement can break: the rules of the guard, and what shows when it runs. */
const QUERY_RULES = {
  text: 'empty, too long, or no well-formed text',
  syntax: 'not SQL',
  'one-select': 'not one read-only SELECT',
  relation: 'a relation that the catalogue lacks, or one that is qualified',
  function: 'a function that queries may not call',
  type: 'a type that queries may not use',
  construct: 'a construct that queries may not use',
  pattern: 'a pattern that is no literal, or has too many wildcards',
  size: 'a name, width or size that is too large or not written out',
  complexity: 'too many parts, or nested too deeply',
  engine: 'failed on its own text when it ran',
  'row-size': 'a row of the result is too large',
} as const satisfies Record<GuardRule | 'engine' | 'row-size', string>

const queryRule: JsonSchema = {
  title: 'QueryRule',
  type: 'string',
  enum: Object.keys(QUERY_RULES),
  description: `What the SQL breaks. ${Object.entries(QUERY_RULES)
    .map(([rule, meaning]) => `${rule}: ${meaning}.`)
    .join(' ')}`,
}

const path: JsonSchema = { type: 'string', description: 'The field of the params, with dots; empty for all of them.' }
const counted = (description: string): JsonSchema => ({ type: 'integer', minimum: 1, description })

/** What a class means and what its failures carry in `data` (on JSON-RPC: `data.detail`). */
export interface FailureDescription {
  meaning: string
  /** Members of the data that are always there. */
  data?: Readonly<Record<string, JsonSchema>>
  /** Members that are there when they have something to say. */
  more?: Readonly<Record<string, JsonSchema>>
  /** It can be answered once params were read: then the data holds the warnings, if there are any. */
  warns?: true
  /** Some failures of the class have no data at all. */
  dataless?: true
}

/** Every class. */
export const FAILURES: Readonly<Record<ErrorClass, FailureDescription>> = {
  PARSE_ERROR: { meaning: 'The message is not JSON in UTF-8.' },
  INVALID_REQUEST: { meaning: 'The message is no request, is too large, or came with another verb than POST.' },
  METHOD_NOT_FOUND: { meaning: 'There is no such method.' },
  INVALID_PARAMS: {
    meaning: 'The params are not what the method takes, or the page cursor does not belong to them, or not any more.',
    data: { path },
    warns: true,
  },
  INTERNAL: {
    meaning: 'The service failed.',
    data: { reference: { type: 'string', format: 'uuid', description: 'Finds the fault in the logs of the service.' } },
    warns: true,
  },
  UNAUTHENTICATED: { meaning: 'There is no API key, or it is unknown, revoked or expired.' },
  FORBIDDEN: {
    meaning: 'The key does not read the project. One that does not exist is answered alike.',
    data: { path },
    warns: true,
  },
  NOT_FOUND: {
    meaning: 'What the call names is not there. A download that is not there has no data.',
    data: { path },
    warns: true,
    dataless: true,
  },
  NOT_READY: {
    meaning: 'The project has no analytics to read, which is not an empty answer.',
    data: {
      retry: { type: 'boolean', description: 'true: retry later. false: a new assessment has to be launched first.' },
    },
    warns: true,
  },
  INVALID_QUERY: {
    meaning: 'The SQL is not one read-only SELECT over the relations, fails on its own text, or gives too large a row.',
    data: { rule: queryRule },
    more: {
      name: { type: 'string', description: 'The name that is refused.' },
      line: counted('Line in the SQL as it was sent, from 1.'),
      column: counted('Character in that line, from 1.'),
      hint: { type: 'string', description: 'What to write instead.' },
    },
    warns: true,
  },
  QUERY_TIMEOUT: { meaning: 'The query runs longer than it may. A retry takes as long: narrow it.', warns: true },
  QUERY_TOO_LARGE: {
    meaning: 'The query needs more memory, or writes a larger file, than it may. A retry fails alike: narrow it.',
    warns: true,
  },
  RATE_LIMITED: {
    meaning: 'The key has used its calls for now.',
    data: { retryAfterSeconds: counted('Seconds until the key has calls again.') },
  },
  UNAVAILABLE: { meaning: 'The service cannot answer now. Retry later.', warns: true },
  LINK_EXPIRED: { meaning: 'The link has expired. Call projects/export again for a new one.' },
}

/** The classes that calls of these methods can answer, each once. */
export function classesOf(methods: readonly Method[]): ErrorClass[] {
  return [...new Set([...COMMON_ERRORS, ...methods.flatMap(method => method.errors)])]
}
