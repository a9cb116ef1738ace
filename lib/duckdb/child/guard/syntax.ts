import { Refusal, SPLIT, withoutParserNames } from '../../../guard/refusal.js'
import { identifier } from '../../../values/quote.js'
import { skipBlanks } from './lexemes.js'
import { lowerAscii } from './shapes.js'

/** The parser's error for a statement that it rejects. */
export interface ParserError {
  error_message?: string
  error_subtype?: string
  /** Offset from 0: in characters for a `SYNTAX_ERROR`, in bytes for any other error. */
  position?: string
}

/**
 * The refusal of a statement that does not parse or is not a SELECT, with a hint for known mistakes. `quoted` has
 * the names of the catalogue that are reserved words.
 */
export function syntaxRefusal(sql: string, error: ParserError, quoted: ReadonlySet<string>): Refusal {
  const said = error.error_message ?? 'unknown error'
  if (said.startsWith('Only SELECT statements')) return noSelect(sql)
  if (/^(Max expression depth|memory exhausted)/.test(said))
    return new Refusal({ rule: 'complexity', message: 'The statement is nested too deeply.', ...SPLIT })
  const reason = said.endsWith('NOT IMPLEMENTED')
    ? 'syntax error'
    : withoutParserNames(said)
        .slice(0, 300)
        .replace(/[.!\s]+$/, '')
  const before = textBefore(sql, error)
  const name = before === undefined ? null : reservedName(sql, before, quoted)
  const hint = name ? `As a name, write it in quotes: ${identifier(name)}.` : hintFor(reason, before ?? sql)
  return new Refusal({
    rule: 'syntax',
    message: `The SQL could not be parsed: ${reason}.`,
    ...(before === undefined ? {} : { offset: Buffer.byteLength(before) }),
    ...(hint ? { hint } : {}),
  })
}

/** The part of the statement before the error, if the error has a position. */
function textBefore(sql: string, { position, error_subtype: subtype }: ParserError): string | undefined {
  if (position === undefined || !/^\d+$/.test(position)) return undefined
  const end = Number(position)
  return subtype === 'SYNTAX_ERROR'
    ? [...sql].slice(0, end).join('')
    : Buffer.from(sql).subarray(0, end).toString()
}

const QUERY_WORDS = new Set(['SELECT', 'FROM', 'WITH', 'TABLE', 'VALUES', 'PIVOT', 'UNPIVOT'])

function noSelect(sql: string): Refusal {
  const refuse = (message: string, hint: string) => new Refusal({ rule: 'one-select', message, hint })
  const word = (/^[A-Za-z]*/.exec(sql.slice(skipBlanks(sql, 0, '(')))?.[0] ?? '').toUpperCase()
  if (word === 'EXPLAIN') return refuse('Plans are not shown.', 'Send the SELECT without EXPLAIN.')
  if (!QUERY_WORDS.has(word))
    return refuse(`Only a SELECT is accepted, not ${word}.`, 'Queries read: start with SELECT, FROM or WITH.')
  // A PIVOT without IN is several statements, which make a type of its values: the parser gives no tree of them.
  if (/\bpivot\b/i.test(sql))
    return refuse(
      'A PIVOT needs its values written out.',
      "Name them: PIVOT … ON column IN ('a', 'b') USING …; or aggregate with FILTER (WHERE column = 'a').",
    )
  return refuse(
    'Only a SELECT is accepted.',
    'End the statement with a SELECT; nothing else may follow WITH.',
  )
}

/** Words and signs before the name of a relation or a column. */
const BEFORE_NAME =
  /(?:\b(?:select|distinct|from|join|using|where|on|and|or|not|by|having|qualify|between|in|when|then|else|case)|[,(=<>+\-*/%|])\s*$/i

/**
 * The name of the catalogue, a reserved word, at which the parser stops or which it has just read; null when there is
 * none.
 */
function reservedName(sql: string, before: string, quoted: ReadonlySet<string>): string | null {
  const near = before.slice(-LOOK_BACK)
  const [at = ''] = /^\w+/.exec(sql.slice(before.length)) ?? []
  if (quoted.has(lowerAscii(at)) && BEFORE_NAME.test(near)) return lowerAscii(at)
  const [last = '', word = ''] = /(\w+)\s*$/.exec(near) ?? []
  return quoted.has(lowerAscii(word)) && BEFORE_NAME.test(near.slice(0, -last.length))
    ? lowerAscii(word)
    : null
}

/** Characters before the error that are searched for its cause. */
const LOOK_BACK = 2000

const PARAMETERS = 'Write a parameter as $name, and send its value in the field parameters.'
const NO_PLACE =
  'A parameter stands where a value does, not as a name nor after a type: write CAST($day AS DATE) or INTERVAL ($n) DAY.'
const ORDER_OF_CLAUSES =
  'The clauses of a SELECT come in this order: WITH, SELECT, FROM, WHERE, GROUP BY, HAVING, WINDOW, QUALIFY, ORDER BY, LIMIT, OFFSET.'

/**
 * Known mistakes: patterns for the parser's message and the SQL before the error; the first match gives the
 * hint.
 */
const MISTAKES: readonly { said?: RegExp; before?: RegExp; hint: string }[] = [
  { said: /^syntax error$/, before: /\blimit\s+\d+\s*,/i, hint: 'Write LIMIT count OFFSET start.' },
  { before: /\bselect\s+top\b[^,]*$/i, hint: 'Write LIMIT and the number at the end instead of TOP.' },
  { said: /near "`/, hint: 'Quote names with double quotes: "name".' },
  { before: /`[^`]*`$/, hint: 'Quote names with double quotes: "name".' },
  { said: /near "#/, hint: 'Comments start with two hyphens: -- comment.' },
  { said: /near "[:{?]/, hint: PARAMETERS },
  { said: /near "}/, before: /\{\s*\w+$/, hint: PARAMETERS },
  { said: /near "\$/, hint: NO_PLACE },
  {
    said: /sample clause|type modifier/,
    before: /\$/,
    hint: 'A parameter cannot stand here: write the number.',
  },
  { before: /\*\s*except\s*\(\s*$/i, hint: 'Leave columns out with * EXCLUDE (column).' },
  { before: /\bover\s+(partition|order)\s*$/i, hint: 'OVER takes parentheses: OVER (PARTITION BY …).' },
  {
    before: /\b(group|order|partition)\s+$/i,
    hint: 'Write BY after GROUP, ORDER and PARTITION; as a name, quote the word.',
  },
  { said: /^unterminated/, hint: "Close what was opened; a quote within a string is doubled: 'it''s'." },
  { said: /near "\w/, before: /\w'$/, hint: "A quote within a string is doubled: 'it''s'." },
  { said: /near "from"/i, before: /\b(where|group by|order by|limit)\b[^()]*$/i, hint: ORDER_OF_CLAUSES },
  { said: /near "from"/i, hint: 'What stands before FROM is unfinished, such as a CASE without END.' },
  { said: /near "(where|group|having|window|qualify|order|limit|offset|select)"/i, hint: ORDER_OF_CLAUSES },
  {
    said: /end of input/,
    hint: 'Something is missing at the end: a parenthesis, a value, the ON or USING of a JOIN.',
  },
  { said: /positional parameters/, hint: PARAMETERS },
  { said: /without selection list/, hint: 'Name columns after SELECT, or write * for all of them.' },
  { said: /SELECT INTO|locking clause/, hint: 'Queries only read: leave the clause out.' },
]

function hintFor(said: string, before: string): string | undefined {
  const fits = (entry: (typeof MISTAKES)[number]) =>
    (!entry.said || entry.said.test(said)) && (!entry.before || entry.before.test(before.slice(-LOOK_BACK)))
  return MISTAKES.find(fits)?.hint
}
