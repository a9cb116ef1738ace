import type { Column, QueryExample, RelationSummary } from '../model.js'
import { type Catalogue, POINT_OF_VIEW } from './catalogue.js'
import type { FoldDefinition, TableDefinition } from './definitions.js'

/** A column, with what the catalogue says about it. */
export interface DescribedColumn extends Column {
  /** What a value is. */
  about?: string
  /** Unit of the values. */
  unit?: string
  /** All values that the column may have, besides NULL. */
  values?: readonly string[]
  /** The `table.column` that has each of its values: what to join it with. */
  references?: string
}

/** A relation, with everything that the catalogue says about it. */
export interface DescribedRelation extends RelationSummary {
  /** Columns in order; absent when only a snapshot tells them. */
  columns?: readonly DescribedColumn[]
  /** Columns that together identify a row. */
  key?: readonly string[]
  /** What misleads whoever reads the relation, one sentence each. */
  notes?: readonly string[]
}

/** What `catalogue.json` has. */
export interface DescribedCatalogue {
  /** Folds first, then tables, as in `projects/describe`. */
  relations: readonly DescribedRelation[]
  /** Worked queries. */
  examples: readonly QueryExample[]
}

/** Everything that a catalogue says about the relations that callers see. */
export function describedCatalogue(
  catalogue: Catalogue,
  examples: readonly QueryExample[],
): DescribedCatalogue {
  return { relations: catalogue.summaries.map(({ name }) => describedRelation(catalogue, name)), examples }
}

/** Everything that the catalogue says about a relation that callers see. */
export function describedRelation(catalogue: Catalogue, name: string): DescribedRelation {
  const summary = catalogue.summaries.find(each => each.name === name) as RelationSummary
  const relation = catalogue.relations.get(name)
  if (name === POINT_OF_VIEW || relation === undefined)
    return { ...summary, columns: VIEW_COLUMNS, key: ['entity_key'] }
  const columns =
    relation.columns && Object.entries(relation.columns).map(([column, type]) => ({ name: column, type }))
  const [key, notes] = relation.kind === 'table' ? [relation.unique, notesOf(relation, catalogue)] : [[], []]
  return {
    ...summary,
    ...(relation.about === undefined ? {} : { about: relation.about }),
    ...(columns ? { columns: withMeanings(columns, relation) } : {}),
    ...(key.length > 0 ? { key } : {}),
    ...(notes.length > 0 ? { notes } : {}),
  }
}

/** Adds to columns, whose types a snapshot may have told, what the catalogue says about them. */
export function describedColumns(
  { relations }: Catalogue,
  name: string,
  columns: readonly Column[],
): readonly DescribedColumn[] {
  const relation = relations.get(name)
  return relation === undefined ? columns.map(withViewMeaning) : withMeanings(columns, relation)
}

function withMeanings(
  columns: readonly Column[],
  relation: TableDefinition | FoldDefinition,
): DescribedColumn[] {
  const { values, references } = relation.kind === 'table' ? relation : { values: {}, references: {} }
  const own = <Value>(record: Readonly<Record<string, Value>>, name: string) =>
    Object.hasOwn(record, name) ? record[name] : undefined
  return columns.map(({ name, type }) => {
    const [list, reference] = [own(values, name), own(references, name)]
    return {
      name,
      type,
      ...own(relation.meanings, name),
      ...(list ? { values: list } : {}),
      ...(reference ? { references: reference } : {}),
    }
  })
}

const VIEW_COLUMNS: readonly DescribedColumn[] = [
  { name: 'entity_key', type: 'VARCHAR', about: 'Key of an entity in view' },
  {
    name: 'share',
    type: 'DOUBLE',
    about: 'The share of the entity that counts, 0 to 1; more where it has several holders',
  },
]

function withViewMeaning(column: Column): DescribedColumn {
  const known = VIEW_COLUMNS.find(({ name }) => name === column.name)
  return known?.about === undefined ? column : { ...column, about: known.about }
}

/** A column that other tables refer to, and that alone is no key, repeats: joining on it multiplies rows. */
function notesOf({ name, unique }: TableDefinition, { relations }: Catalogue): string[] {
  const tables = [...relations.values()].filter(relation => relation.kind === 'table')
  const targets = new Set(
    tables
      .flatMap(({ references }) => Object.values(references))
      .filter(target => target.startsWith(`${name}.`))
      .map(target => target.slice(name.length + 1)),
  )
  return [...targets]
    .filter(column => unique.length !== 1 || unique[0] !== column)
    .map(column =>
      unique.length > 1
        ? `One row per ${unique.join(' and ')}: joining on ${column} multiplies rows.`
        : `${column} may repeat: joining on it multiplies rows.`,
    )
}
