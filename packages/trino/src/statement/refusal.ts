import { AnalyticsError } from 'foldgate'
import { locate } from 'foldgate/internal'

/** Name of the SQL that statements are written in. */
export const DIALECT = 'Trino'
/** Ends the hint of every refusal: callers may come from a project that speaks DuckDB's SQL. */
export const SPEAKS_DIALECT = `This project speaks ${DIALECT}'s SQL.`
/** The hint for a statement that is too much at once. */
export const SPLIT = 'Simplify the statement, or ask in several.'

type Rule = 'text' | 'syntax' | 'one-select' | 'relation' | 'function' | 'construct' | 'complexity'

/** The error of a statement that is refused, with the hint and, if it begins somewhere in UTF-16 units, the place. */
export function refusal(
  sql: string,
  rule: Rule,
  message: string,
  hint: string,
  start?: number,
): AnalyticsError {
  const place = start === undefined ? undefined : locate(sql, Buffer.byteLength(sql.slice(0, start)))
  const where = place ? ` (line ${place.line}, column ${place.column})` : ''
  const data = { rule, ...place, hint: `${hint} ${SPEAKS_DIALECT}` }
  return new AnalyticsError('INVALID_QUERY', `${message.replace(/\.$/, '')}${where}. ${data.hint}`, { data })
}

/** A name as a message shows it: its beginning, if it is long. */
export function clip(name: string): string {
  return name.length > 80 ? `${name.slice(0, 80)}…` : name
}
