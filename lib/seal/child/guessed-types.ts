import type { Connection } from '../../duckdb/child/duckdb.js'
import { identifier } from '../../values/quote.js'
import { textRows } from './select.js'

/** A form in which values of a type are written. */
interface TextForm {
  type: string
  /** SQL of the text that the value of a text is written as; NULL when the text has none. */
  write(text: string): string
}

const finite = (type: string, text: string) =>
  `CASE WHEN isfinite(TRY_CAST(${text} AS ${type})) THEN CAST(TRY_CAST(${text} AS ${type}) AS VARCHAR) END`
const written = (type: string): TextForm => ({
  type,
  write: text => `CAST(TRY_CAST(${text} AS ${type}) AS VARCHAR)`,
})

/** The forms of all types that are guessed, in this order. */
const FORMS: readonly TextForm[] = [
  written('BOOLEAN'),
  written('BIGINT'),
  { type: 'DOUBLE', write: text => finite('DOUBLE', text) },
  // As JavaScript writes whole numbers among others.
  { type: 'DOUBLE', write: text => `regexp_replace(${finite('DOUBLE', text)}, '\\.0$', '')` },
  { type: 'DATE', write: text => finite('DATE', text) },
  written('TIME'),
  { type: 'TIMESTAMP', write: text => finite('TIMESTAMP', text) },
  { type: 'TIMESTAMP', write: text => `replace(${finite('TIMESTAMP', text)}, ' ', 'T')` },
]
/** Most decimals of a number that is taken for a DECIMAL of 18 digits. */
const MOST_DECIMALS = 9

/**
 * Guesses the types of columns of text: the first type from which each value is written as the same text again, in one
 * form for the whole column. Columns without one, or without values, are VARCHAR.
 */
export async function guessTypes(
  connection: Connection,
  from: string,
  columns: readonly string[],
): Promise<Record<string, string>> {
  const select = columns.flatMap(column => {
    const text = identifier(column)
    const decimals = `CASE WHEN contains(${text}, '.') THEN strlen(${text}) - instr(${text}, '.') ELSE 0 END`
    const ends = ['min', 'max'].map(end => `${end}(${decimals}) FILTER (${text} IS NOT NULL)`)
    return [...FORMS.map(({ write }) => comesBack(text, write(text))), ...ends]
  })
  const [found = []] = await textRows(connection, `SELECT ${aliased(select)} FROM ${from}`)
  const types: Record<string, string> = {}
  const decimals = new Map<string, string>()
  for (const [index, column] of columns.entries()) {
    const own = found.slice(index * (FORMS.length + 2), (index + 1) * (FORMS.length + 2))
    const [least, most] = own.slice(FORMS.length)
    types[column] = FORMS[own.indexOf('true')]?.type ?? 'VARCHAR'
    if (types[column] === 'VARCHAR' && least === most && Number(most) >= 1 && Number(most) <= MOST_DECIMALS)
      decimals.set(column, `DECIMAL(18,${most})`)
  }
  if (decimals.size === 0) return types
  const checks = [...decimals].map(([column, type]) =>
    comesBack(identifier(column), written(type).write(identifier(column))),
  )
  const [isDecimal = []] = await textRows(connection, `SELECT ${aliased(checks)} FROM ${from}`)
  for (const [index, [column, type]] of [...decimals].entries())
    if (isDecimal[index] === 'true') types[column] = type
  return types
}

function comesBack(text: string, writtenText: string): string {
  return `bool_and(coalesce(${writtenText} = ${text}, false)) FILTER (${text} IS NOT NULL)`
}

/** Names of their own: two expressions may have one text. */
function aliased(expressions: readonly string[]): string {
  return expressions.map((sql, index) => `${sql} AS c${index}`).join(', ')
}
