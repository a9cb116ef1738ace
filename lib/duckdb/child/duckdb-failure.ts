import { FUNCTIONS } from '../../guard/inventory.js'
import { withoutParserNames } from '../../guard/refusal.js'
import { identifier } from '../../values/quote.js'
import { UnsupportedType, UnwritableValue } from '../../values/types.js'
import type { JobFailure } from '../jobs.js'

/** A failure that is thrown with its kind. */
export class KnownFailure extends Error {
  readonly failure: JobFailure

  constructor(failure: JobFailure) {
    super(failure.text)
    this.failure = failure
  }
}

/** Type of exception for a parameter whose type the engine needs before it has the value. */
const UNRESOLVED = 'Parameter Not Resolved'
const CAST_IT =
  'The type of a parameter must show in the statement here. Cast it, as in CAST($name AS INTEGER).'

/** Types of exception that the caller's statement causes. */
const OF_THE_QUERY = new Set([
  'Parser',
  'Syntax',
  'Binder',
  'Catalog',
  'Conversion',
  'Out of Range',
  'Invalid Input',
  'Invalid type',
  'Invalid Type',
  'Mismatch Type',
  'Not implemented',
  'Constraint',
  'Serialization',
  'Parameter Not Allowed',
  UNRESOLVED,
])

/** Types of exception that report a bug in DuckDB. */
const OF_THE_ENGINE = new Set(['INTERNAL', 'FATAL'])

/** Beginnings of DuckDB's advice, which is cut: callers cannot follow it, or it names settings. */
const ADVICE = /^\s*(Possible solutions|See also|Use "SET|Set |LINE \d|Please try installing)/
const SETTINGS = /\(?\bSET \w+[^)]*\)?/g
/** What a cast to JSON adds, as if it read a file. */
const OF_FILES = /\s*If this error occurred during read_json, [^.]*? is approximate/
const NO_SPACE = /no space left|disk full|quota exceeded|ENOSPC|EDQUOT/i
/** Messages about a damaged database file; here every database file is a built relation. */
const DAMAGED = /Corrupt database file|Could not read enough bytes/
/** Types of exception with which a commit fails when a file cannot be written, which the text says. */
const OF_WRITING = new Set(['TransactionContext', 'FATAL'])
const NOT_WRITTEN = /Could not (write|sync|truncate) file/
const NO_MEMORY = /bad_alloc|bad allocation|allocation failure/i
const MAX_TEXT = 600
/**
 * A message may quote values of any size from the statement, so it is clipped before it is parsed or passed
 * on.
 */
const MAX_MESSAGE = 4096

/** Maps an exception of DuckDB or of the file system to a failure. */
export function describeFailure(cause: unknown): JobFailure {
  if (cause instanceof KnownFailure) return cause.failure
  if (cause instanceof UnwritableValue) return { kind: 'query', text: cause.message }
  if (cause instanceof UnsupportedType)
    return { kind: 'query', text: `A result cannot hold ${cause.message}. Cast them to VARCHAR.` }
  const message = cause instanceof Error ? cause.message : String(cause)
  const { type, text, position } = readException(message)
  const detail = clip(message, MAX_MESSAGE)
  if (type === 'INTERRUPT') return { kind: 'interrupted', text: 'The query was stopped.' }
  if (type === 'Out of Memory' || (!OF_THE_QUERY.has(type) && NO_MEMORY.test(text)))
    return { kind: 'memory', text: 'The query ran out of memory.', cause: detail }
  if (type === 'IO' && DAMAGED.test(text)) return { kind: 'view', text: '', cause: detail }
  if (type === 'IO' || isSystemError(cause) || (OF_WRITING.has(type) && NOT_WRITTEN.test(text)))
    return NO_SPACE.test(text)
      ? { kind: 'disk', text: 'The disk is full.', isFull: true, cause: detail }
      : { kind: 'disk', text: 'A file cannot be used.', cause: detail }
  // An exception without a type is one that no code of the engine expects, such as a division by zero in a
  // library.
  if (OF_THE_ENGINE.has(type) || (type === '' && cause?.constructor === Error))
    return { kind: 'assertion', text: CANNOT_RUN, cause: detail }
  if (!OF_THE_QUERY.has(type)) return { kind: 'fault', text: 'The engine failed.', cause: detail }
  return {
    kind: 'query',
    text: type === UNRESOLVED ? CAST_IT : clip(inCallersWords(quotedAgain(withoutAdvice(text))), MAX_TEXT),
    ...(position === undefined ? {} : { offset: position }),
    ...(AT_BINDING.has(type) ? { atBinding: true } : {}),
    cause: detail,
  }
}

/** Whether Node's file system calls threw this, rather than DuckDB. */
function isSystemError(cause: unknown): boolean {
  return cause instanceof Error && typeof (cause as NodeJS.ErrnoException).syscall === 'string'
}

const CANNOT_RUN = 'The engine cannot run this statement. Write it another way.'
/** Types of exception that are thrown before anything runs. */
const AT_BINDING = new Set(['Parser', 'Syntax', 'Binder', 'Catalog', 'Parameter Not Allowed', UNRESOLVED])

function withoutAdvice(text: string): string {
  const lines = text.split('\n')
  const advice = lines.findIndex((line, index) => index > 0 && ADVICE.test(line))
  return lines
    .slice(0, advice < 0 ? lines.length : advice)
    .join('\n')
    .replace(SETTINGS, '')
    .replace(OF_FILES, '')
    .replace(VALUES_LIST, 'Table ')
    .replace(SIMILAR, (said, name: string) => (FUNCTIONS.has(name) ? said : ''))
    .trim()
}

/** What the engine calls a view, and so a stored table that is not built. */
const VALUES_LIST = /^Values list (?=")/

/** A function that the engine suggests, and that callers may not have. */
const SIMILAR = /(?<=^\w+ Function with name .*)\nDid you mean "(.+)"\?\s*$/

/** Names of columns as SQL has them: the engine does not double the quotes in those that it suggests. */
function quotedAgain(text: string): string {
  return text.replace(CANDIDATES, (_, said: string, names: string) => {
    return said + names.split('", "').map(identifier).join(', ')
  })
}

const CANDIDATES = /^(Candidate (?:bindings|Entries): (?:: )?)"(.+)"$/m

/** Where the engine has a built relation, and the schema before the names of relations that it suggests. */
const DATABASE = /\br_[0-9a-f]{24}\.(?:main\.)?/g
const CANDIDATE_TABLES = /^Candidate tables: .*$/m
const NOT_CANDIDATES = /^(?!Candidate ).+$/gm
const OWN_NAME = /\br_[0-9a-f]{24}/

/** Relations and functions as callers name them: alone, and not below a database and a schema that only the engine has. */
function inCallersWords(text: string): string {
  const said = text
    .replace(DATABASE, '')
    .replace(CANDIDATE_TABLES, line => line.replace(/"(temp\.)?main\./g, '"'))
    .replace(NOT_CANDIDATES, withoutParserNames)
  return OWN_NAME.test(said) ? CANNOT_RUN : said
}

/** The first characters, without half a surrogate pair at the end. */
function clip(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '')
}

/** Reads an exception's message: JSON, JSON after a prefix, or a prefix and plain text. */
function readException(message: string): { type: string; text: string; position?: number } {
  const head = clip(message, MAX_MESSAGE)
  const prefix = /^([A-Z][A-Za-z ]{0,40}?) Error: /.exec(head)
  const json =
    /^(?:[A-Z][A-Za-z ]{0,40}? Error: )?\{"exception_type":"([^"\\]{1,60})","exception_message":"/.exec(head)
  if (!json) return { type: prefix?.[1] ?? '', text: prefix ? head.slice(prefix[0].length) : head }
  const position = /"position":"(\d{1,9})"[^"]*(?:"[^"]*":"[^"]*"[^"]*)*\}$/.exec(
    message.slice(-MAX_TAIL),
  )?.[1]
  return {
    type: json[1] as string,
    text: readText(head.slice(json[0].length)),
    ...(position === undefined ? {} : { position: Number(position) }),
  }
}

/** The JSON members after the message lie within this many characters of the end. */
const MAX_TAIL = 400

/** Reads the rest of a JSON string, without its opening quote; the end may be clipped. */
function readText(written: string): string {
  const [string = ''] = /^(?:[^"\\]|\\(?:u[0-9a-fA-F]{4}|[^u]))*/.exec(written) ?? []
  try {
    return JSON.parse(`"${string}"`) as string
  } catch {
    return string
  }
}
