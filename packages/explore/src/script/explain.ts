import { type EditorView, hoverTooltip, type Tooltip } from '@codemirror/view'
import type { Vocabulary } from './complete.js'
import { make } from './dom.js'
import { awaitsRelation, commonNames, relationsIn, sourcesOf } from './sources.js'
import { folded, isCode, lexemesOf, nameIn, type SqlLexeme, type TextSpan } from './sql.js'

/** What a name in a statement is. */
interface Explained extends TextSpan {
  /** The name, and the type of a column. */
  title: string
  about: string
}

/** Shows what the catalogue says about the name under the pointer. */
export function explaining(words: () => Vocabulary) {
  const show = async (view: EditorView, at: number): Promise<Tooltip | null> => {
    const sql = view.state.doc.toString()
    const found = await explain(sql, at, words())
    // The text may have changed while columns were loaded.
    if (!found || view.state.doc.toString() !== sql) return null
    const dom = make('div', {}, make('code', {}, found.title), make('p', {}, found.about))
    return { pos: found.start, end: found.end, above: true, create: () => ({ dom }) }
  }
  return hoverTooltip(show)
}

/**
 * Explains the name at an offset: a relation, or a column of one that the statement reads. Null for anything
 * else, and where the catalogue says nothing.
 */
export async function explain(sql: string, at: number, words: Vocabulary): Promise<Explained | null> {
  const code = lexemesOf(sql).filter(isCode)
  const index = code.findIndex(({ start, end }) => start <= at && at < end)
  const lexeme = code[index]
  if (lexeme?.kind !== 'word' && lexeme?.kind !== 'name') return null
  const [name, { start, end }] = [folded(nameIn(lexeme)), lexeme]
  if (awaitsRelation(code.slice(0, index))) {
    const isCommon = commonNames(code).some(each => folded(each) === name)
    const relation = isCommon ? undefined : words.relations.find(each => folded(each.name) === name)
    const about = [relation?.about, ...(relation?.notes ?? [])].filter(Boolean).join(' ')
    return relation && about !== '' ? { start, end, title: relation.name, about } : null
  }
  for (const relation of readBefore(code, index, sql)) {
    const known = words.relations.find(each => folded(each.name) === folded(relation))
    const columns = known ? await words.columnsOf(known.name).catch(() => []) : []
    const column = columns.find(each => folded(each.name) === name)
    if (column?.about) return { start, end, title: `${column.name} ${column.type}`, about: column.about }
  }
  return null
}

/** The relations that a column may be of: the one before its dot, or all that the statement reads. */
function readBefore(code: readonly SqlLexeme[], index: number, sql: string): string[] {
  const relations = relationsIn(sql)
  const qualifier = code[index - 1]?.text === '.' ? code[index - 2] : undefined
  if (!qualifier) return relations
  const wanted = folded(nameIn(qualifier))
  return sourcesOf(code)
    .filter(({ name, alias }) => relations.includes(name) && folded(alias ?? name) === wanted)
    .map(({ name }) => name)
}
