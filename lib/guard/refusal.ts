import { MAX_SQL_BYTES } from '../call/limits.js'

/** The names of the rules that a statement can break. */
export const RULES = [
  'text',
  'syntax',
  'one-select',
  'relation',
  'function',
  'type',
  'construct',
  'pattern',
  'size',
  'complexity',
] as const

/** A rule that a statement can break, as callers see it in `data.rule`. */
export type GuardRule = (typeof RULES)[number]

/** Rules that a statement can break only when it runs; `rule` in the data of its INVALID_QUERY. */
export type RunRule = 'engine' | 'row-size' | 'volatile'

/** Why a statement is refused; `offset` counts UTF-8 bytes of the caller's statement. */
interface RefusalDetail {
  rule: GuardRule
  message: string
  name?: string
  offset?: number
  hint?: string
}

/** Thrown by the check of a statement that breaks a rule. */
export class Refusal extends Error {
  readonly detail: RefusalDetail

  constructor(detail: RefusalDetail) {
    super(detail.message)
    this.detail = detail
  }
}

/** The part of the walk that the checks of single nodes use. */
export interface NodeReader {
  /** Functions that the statement may call. */
  readonly functions: ReadonlySet<string>
  /** Makes a refusal that points at the node being read. */
  refuse(rule: GuardRule, message: string, more?: { name?: string; hint?: string }): Refusal
  markVolatile(): void
}

/** Shortens a name for a message. */
export function clip(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name
}

/** The hint for a statement that is too large. */
export const SPLIT = { hint: 'Simplify the statement, or ask in several.' }

/** Refuses strings that cannot be a statement, before the parser sees them. */
export function checkText(sql: string): void {
  const refuse = (message: string, hint?: string) =>
    new Refusal({ rule: 'text', message, ...(hint ? { hint } : {}) })
  if (sql.trim() === '') throw refuse('The statement is empty.', 'Write one SELECT.')
  if (Buffer.byteLength(sql) > MAX_SQL_BYTES)
    throw refuse(`The statement is longer than ${MAX_SQL_BYTES / 1024} KiB.`)
  if (sql.includes('\0')) throw refuse('The statement holds a NUL character.', 'Remove it.')
  if (!isWellFormed(sql))
    throw refuse('The statement holds half of a surrogate pair.', 'Send well-formed Unicode.')
}

/** Line and column of a byte offset in the caller's statement. Both start at 1; columns count characters. */
export function locate(sql: string, byteOffset: number): { line: number; column: number } {
  const before = Buffer.from(sql).subarray(0, byteOffset).toString()
  const lines = before.split('\n')
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 }
}

/**
 * What the parser adds to functions: a schema to those of `[…]`, `{…}` and the like, and a mark to operators that follow
 * their value.
 */
const OF_THE_PARSER = /\bmain\.(?=\w+\(|"\w+"\()|(?<=[^\w\s])__postfix(?=\()/g

/** SQL in a message of the engine, without what its parser adds. */
export function withoutParserNames(said: string): string {
  return said.replace(OF_THE_PARSER, '')
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}
