import { isKeyword } from './keywords.js'
import { folded, isCode, lexemesOf, nameIn, type SqlLexeme } from './sql.js'

/** A relation, a common table expression or a table function that a FROM names. */
interface NamedSource {
  name: string
  alias: string | null
  isCall: boolean
}

/** Words that end the list of a FROM. */
const AFTER_FROM =
  /^(?:select|where|group|having|window|qualify|order|limit|offset|union|intersect|except|sample|using|pivot|unpivot)$/i

/**
 * Names after FROM and JOIN as written, without quotes;
 * common table expressions and table functions left out.
 */
export function relationsIn(sql: string): string[] {
  const lexemes = lexemesOf(sql).filter(isCode)
  const common = new Set(commonNames(lexemes).map(folded))
  const names = sourcesOf(lexemes).filter(({ name, isCall }) => !isCall && !common.has(folded(name)))
  return [...new Set(names.map(({ name }) => name))]
}

/** Names of common table expressions. */
export function commonNames(code: readonly SqlLexeme[]): string[] {
  const afterCall = endsOf(code)
  return code.flatMap((lexeme, at) => {
    if (!isIdentifier(lexeme) || !/^(?:with|recursive|,)$/i.test(code[at - 1]?.text ?? '')) return []
    let next = at + 1
    next = afterCall[next] ?? next
    if (!is(code[next++], 'as')) return []
    while (is(code[next], 'not') || is(code[next], 'materialized')) next++
    return code[next]?.text === '(' ? [nameIn(lexeme)] : []
  })
}

/** What the FROMs of a statement name, in order. */
export function sourcesOf(code: readonly SqlLexeme[]): NamedSource[] {
  const sources: NamedSource[] = []
  const afterCall = endsOf(code)
  const levels = [{ isFrom: false, isNext: false }]
  for (const [at, lexeme] of code.entries()) {
    const level = levels.at(-1)
    if (!level) break
    if (lexeme.text === '(') levels.push({ isFrom: level.isNext, isNext: level.isNext })
    else if (lexeme.text === ')' && levels.length > 1) {
      levels.pop()
      const outer = levels.at(-1)
      if (outer) outer.isNext = false
    } else if (startsFrom(code, at)) Object.assign(level, { isFrom: true, isNext: true })
    else if (lexeme.text === ',') level.isNext = level.isFrom
    else if (lexeme.kind === 'word' && AFTER_FROM.test(lexeme.text))
      Object.assign(level, { isFrom: false, isNext: false })
    else if (level.isNext && isIdentifier(lexeme)) {
      level.isNext = false
      sources.push(sourceAt(code, at, afterCall))
    }
  }
  return sources
}

/** Whether a relation is to follow at the end of `code`. */
export function awaitsRelation(code: readonly SqlLexeme[]): boolean {
  const probe: SqlLexeme = { kind: 'name', text: '"\0"', start: 0, end: 0 }
  return sourcesOf([...code, probe]).at(-1)?.name === '\0'
}

function sourceAt(
  code: readonly SqlLexeme[],
  at: number,
  afterCall: readonly (number | undefined)[],
): NamedSource {
  const lexeme = code[at] as SqlLexeme
  let next = at + 1
  const isCall = code[next]?.text === '('
  next = afterCall[next] ?? next
  if (is(code[next], 'as')) next++
  const alias = code[next]
  return { name: nameIn(lexeme), alias: alias && isIdentifier(alias) ? nameIn(alias) : null, isCall }
}

/** For each opening parenthesis, the index after its end; the end of the text where it has none. */
function endsOf(code: readonly SqlLexeme[]): (number | undefined)[] {
  const ends: (number | undefined)[] = []
  const open: number[] = []
  for (const [at, { text }] of code.entries()) {
    if (text === '(') {
      ends[at] = code.length
      open.push(at)
    } else if (text === ')') {
      const start = open.pop()
      if (start !== undefined) ends[start] = at + 1
    }
  }
  return ends
}

/** `IS DISTINCT FROM` compares and names no relation. */
function startsFrom(code: readonly SqlLexeme[], at: number): boolean {
  return (is(code[at], 'from') && !is(code[at - 1], 'distinct')) || is(code[at], 'join')
}

function is(lexeme: SqlLexeme | undefined, word: string): boolean {
  return lexeme?.kind === 'word' && lexeme.text.toLowerCase() === word
}

function isIdentifier({ kind, text }: SqlLexeme): boolean {
  return kind === 'name' || (kind === 'word' && !isKeyword(text))
}
