import { identifier } from '../values/quote.js'

/** SQL that lists the words of the engine that are no name of a relation or a column without quotes. */
export const RESERVED_WORDS =
  "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')"

/** Names that the engine reads without quotes, unless they are reserved. It ignores upper and lower case. */
const PLAIN = /^[a-z_\u0080-\uffff][\w$\u0080-\uffff]*$/i

/** Whether a name of a relation or a column is written in quotes in SQL. */
export function needsQuotes(name: string, reserved: ReadonlySet<string>): boolean {
  return !PLAIN.test(name) || reserved.has(name.toLowerCase())
}

/** A name as SQL has it: in quotes if it needs them. */
export function quotedIfNeeded(name: string, reserved: ReadonlySet<string>): string {
  return needsQuotes(name, reserved) ? identifier(name) : name
}
