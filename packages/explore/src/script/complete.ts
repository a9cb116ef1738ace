import type { Completion, CompletionResult } from '@codemirror/autocomplete'
import { isKeyword, KEYWORDS, TYPES } from './keywords.js'
import { awaitsRelation, commonNames, relationsIn, sourcesOf } from './sources.js'
import { folded, isCode, isUnclosed, lexemesOf, nameIn, quoted, type SqlLexeme } from './sql.js'

/** A column of a relation. */
export interface ColumnWord {
  name: string
  type: string
  about: string | null
  /** What its values are; absent unless it is asked, and where it is not known. */
  values?: string
}

/** What completion offers besides the words of SQL. */
export interface Vocabulary {
  relations: readonly { name: string; kind: 'fold' | 'table'; about?: string; notes: readonly string[] }[]
  /** Columns of a relation, which are loaded once; with what their values are, if that is asked. */
  columnsOf(relation: string, hasStatistics?: boolean): Promise<readonly ColumnWord[]>
}

/** Vocabulary before a project is described. */
export const NO_WORDS: Vocabulary = { relations: [], columnsOf: async () => [] }

/** The place of the caret in a statement. */
export interface Caret {
  sql: string
  at: number
  /** Whether the user asked for completion; if not, there has to be the beginning of a word. */
  isAsked: boolean
}

const KINDS = { fold: 'computed', table: 'table' } as const
/** How far each kind of word is moved up in the list; keywords come last. */
const BOOST = { column: 60, alias: 50, relation: 20, function: 0, type: -80, keyword: -90 }

/** The words that can be written at the caret; null when there are none to offer. */
export async function complete(
  { sql, at, isAsked }: Caret,
  words: Vocabulary,
  functions: readonly string[],
): Promise<CompletionResult | null> {
  const lexemes = lexemesOf(sql)
  const under = lexemes.find(({ start, end }) => start < at && at <= end)
  if (under && holds(under, at)) return null
  const from = under?.kind === 'word' ? under.start : at
  const before = lexemes.filter(lexeme => lexeme.end <= from && isCode(lexeme))
  const isAfterDot = before.at(-1)?.text === '.'
  if (from === at && !isAfterDot && !isAsked) return null
  const code = lexemes.filter(lexeme => isCode(lexeme) && !(lexeme.start === from && lexeme.kind === 'word'))
  const options = isAfterDot
    ? await columnsAfter(before.at(-2), code, words)
    : awaitsRelation(before)
      ? relationsAt(code, words)
      : [...(await namesOf(code, sql, words)), ...callsAt(functions, sql[at] !== '('), ...WORDS_OF_SQL]
  return options.length === 0 ? null : { from, options, validFor: /^[\p{L}\p{N}_$]*$/u }
}

/**
 * Whether the caret is in something that is not completed: a string, a comment, a number, a parameter or a quoted
 * name.
 */
function holds(lexeme: SqlLexeme, at: number): boolean {
  if (lexeme.kind === 'number' || lexeme.kind === 'parameter') return true
  const isLineComment = lexeme.text.startsWith('--')
  return (
    ['string', 'comment', 'name'].includes(lexeme.kind) &&
    (at < lexeme.end || isLineComment || isUnclosed(lexeme))
  )
}

async function columnsAfter(
  qualifier: SqlLexeme | undefined,
  code: readonly SqlLexeme[],
  words: Vocabulary,
): Promise<Completion[]> {
  if (!qualifier) return []
  const wanted = folded(nameIn(qualifier))
  const sources = sourcesOf(code).filter(({ isCall }) => !isCall)
  const source = sources.find(({ name, alias }) => folded(alias ?? name) === wanted)
  return columnOptions(source ? [source.name] : [], code, words)
}

/** Columns of the relations that the statement names, and its aliases. */
async function namesOf(code: readonly SqlLexeme[], sql: string, words: Vocabulary): Promise<Completion[]> {
  const aliases = sourcesOf(code).flatMap(({ name, alias }) => (alias === null ? [] : [{ name, alias }]))
  return [
    ...(await columnOptions(relationsIn(sql), code, words)),
    ...aliases.map(({ name, alias }) =>
      option(alias, { type: 'namespace', detail: name, boost: BOOST.alias }),
    ),
  ]
}

async function columnOptions(
  names: readonly string[],
  code: readonly SqlLexeme[],
  words: Vocabulary,
): Promise<Completion[]> {
  const common = new Set(commonNames(code).map(folded))
  const wanted = new Set(names.map(folded).filter(name => !common.has(name)))
  const known = words.relations.filter(({ name }) => wanted.has(folded(name)))
  // The list is an aid: names that cannot be loaded are left out, and the statement itself will show what is wrong.
  const loaded = await Promise.all(known.map(({ name }) => words.columnsOf(name).catch(() => [])))
  const options = loaded
    .flat()
    .map(({ name, type, about }) => option(name, { type: 'property', detail: type, about }))
  return distinct(options.map(each => ({ ...each, boost: BOOST.column })))
}

function relationsAt(code: readonly SqlLexeme[], words: Vocabulary): Completion[] {
  const common = commonNames(code).map(name =>
    option(name, { type: 'variable', detail: 'WITH', boost: BOOST.alias }),
  )
  const relations = words.relations.map(({ name, kind, about, notes }) => {
    const info = [about, ...notes].filter(sentence => sentence !== undefined).join(' ')
    return option(name, { type: 'class', detail: KINDS[kind], about: info, boost: BOOST.relation })
  })
  return distinct([...common, ...relations])
}

/** Functions, with parentheses and the caret between them unless the statement has them already. */
function callsAt(functions: readonly string[], isBare: boolean): Completion[] {
  return functions
    .filter(name => !isKeyword(name))
    .map(name => ({
      label: name,
      type: 'function',
      boost: BOOST.function,
      ...(isBare && {
        apply: (view, _, from, to) => {
          view.dispatch({
            changes: { from, to, insert: `${name}()` },
            selection: { anchor: from + name.length + 1 },
            userEvent: 'input.complete',
            scrollIntoView: true,
          })
        },
      }),
    }))
}

const WORDS_OF_SQL: readonly Completion[] = [
  ...TYPES.map(type => ({ label: type.toUpperCase(), type: 'type', boost: BOOST.type })),
  ...KEYWORDS.map(word => ({ label: word.toUpperCase(), type: 'keyword', boost: BOOST.keyword })),
]

function option(
  name: string,
  { about, ...more }: { type: string; detail: string; about?: string | null | undefined; boost?: number },
): Completion {
  const apply = quoted(name)
  return { label: name, ...more, ...(apply !== name && { apply }), ...(about && { info: about }) }
}

/** Relations that are joined may have columns of the same name; each name is offered once. */
function distinct(options: readonly Completion[]): Completion[] {
  return [...new Map([...options].reverse().map(each => [each.label, each])).values()].reverse()
}
