import type { ErrorClass } from '../errors.js'
import type { GuardRule, RunRule } from '../guard/refusal.js'
import type { JsonSchema } from '../json-schema.js'
import { COMMON_ERRORS, type Method } from '../methods/method.js'
import { warningSchema } from '../model.js'
import type { Words } from '../words.js'

/** Warnings beside a result, or in the data of a failure. */
export const warnings: JsonSchema = {
  type: 'array',
  items: warningSchema.json,
  minItems: 1,
  description: 'One per field of the params that was not read; absent when all were read.',
}

/** Rules that a statement can break: those of the guard, and those that only a run can check. */
const QUERY_RULES = {
  text: 'empty, too long, or not well-formed text',
  syntax: 'not SQL',
  'one-select': 'not one read-only SELECT',
  relation: 'a relation that is not in the catalogue, or a qualified name',
  function: 'a function that queries may not call',
  type: 'a type that queries may not use',
  construct: 'a construct that queries may not use',
  pattern: 'a pattern that is not a literal, or has too many wildcards',
  size: 'a name, width or size that is too large or not written out',
  complexity: 'too many parts, or nested too deeply',
  engine: 'an error in the statement that shows only when it runs',
  'row-size': 'a row of the result is too large',
  volatile: 'rows that differ from run to run, and are too many to store for later pages',
} as const satisfies Record<GuardRule | RunRule, string>

const queryRule: JsonSchema = {
  title: 'QueryRule',
  type: 'string',
  enum: Object.keys(QUERY_RULES),
  description: `The rule that the SQL breaks. ${Object.entries(QUERY_RULES)
    .map(([rule, meaning]) => `${rule}: ${meaning}.`)
    .join(' ')}`,
}

const path: JsonSchema = {
  type: 'string',
  description: 'Path of the field in the params, with dots; empty for the params as a whole.',
}
const counted = (description: string): JsonSchema => ({ type: 'integer', minimum: 1, description })

/** What a class means, and the `data` of its failures (`data.detail` on JSON-RPC). */
export interface FailureDescription {
  meaning: string
  /** Members of the data that are always present. */
  data?: Readonly<Record<string, JsonSchema>>
  /** Members that are present only when they apply. */
  more?: Readonly<Record<string, JsonSchema>>
  /** The failure can occur after the params are read; the data then has any warnings. */
  warns?: true
  /** Some failures of the class have no data at all. */
  dataless?: true
}

/** What the failures of each class mean. */
export type Failures = Readonly<Record<ErrorClass, FailureDescription>>

/** What failures mean, in the words of a catalogue. */
export const failuresIn = (words: Words): Failures => ({
  PARSE_ERROR: { meaning: 'The message is not JSON in UTF-8.' },
  INVALID_REQUEST: {
    meaning: 'The message is not a request, is too large, or was sent with a verb other than POST.',
  },
  METHOD_NOT_FOUND: { meaning: 'There is no such method.' },
  INVALID_PARAMS: {
    meaning:
      'The params are not what the method takes, or the page cursor belongs to others or is no longer valid.',
    data: { path },
    warns: true,
  },
  INTERNAL: {
    meaning: 'The service failed.',
    data: {
      reference: { type: 'string', format: 'uuid', description: 'Identifies the fault in the service logs.' },
    },
    warns: true,
  },
  UNAUTHENTICATED: { meaning: 'There is no API key, or it is too long, unknown, revoked or expired.' },
  FORBIDDEN: {
    meaning:
      'The key cannot read the project, or cannot call the method; then, the failure has no data. A project that does ' +
      'not exist is answered like one that the key cannot read.',
    data: { path },
    warns: true,
    dataless: true,
  },
  NOT_FOUND: {
    meaning: words.notFound,
    data: { path },
    warns: true,
    dataless: true,
  },
  NOT_READY: {
    meaning: words.notReady,
    data: { retry: { type: 'boolean', description: words.retry } },
    warns: true,
  },
  INVALID_QUERY: {
    meaning:
      'The SQL is not one read-only SELECT over the relations, has an error that shows only when it runs, or returns ' +
      'a row that is too large.',
    data: { rule: queryRule },
    more: {
      name: { type: 'string', description: 'The refused name.' },
      line: counted('Line in the SQL as sent, counted from 1.'),
      column: counted('Character in that line, counted from 1.'),
      hint: { type: 'string', description: 'What to write instead.' },
    },
    warns: true,
  },
  QUERY_TIMEOUT: {
    meaning: 'The query takes longer than allowed. A retry takes as long: narrow it.',
    warns: true,
  },
  QUERY_TOO_LARGE: {
    meaning:
      'The query needs more memory, or writes a larger file, than allowed. A retry fails too: narrow it.',
    warns: true,
  },
  RATE_LIMITED: {
    meaning: 'The key has used all calls of the current window.',
    data: { retryAfterSeconds: counted('Seconds until the next window starts.') },
  },
  UNAVAILABLE: {
    meaning: 'The service cannot answer now. Retry later.',
    more: { retryAfterSeconds: counted('Seconds until kept exports leave room for another.') },
    warns: true,
  },
  LINK_EXPIRED: { meaning: 'The link has expired. Call projects/export again for a new one.' },
})

/** The failure classes of these methods, without duplicates. */
export function classesOf(methods: readonly Method[]): ErrorClass[] {
  return [...new Set([...COMMON_ERRORS, ...methods.flatMap(method => method.errors)])]
}
