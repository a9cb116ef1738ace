import type { DescribedCatalogue, DescribedColumn, DescribedRelation } from '../catalogue-document.js'
import type { Column, QueryExample, RelationSummary } from '../model.js'
import type { Catalogue } from './catalogue.js'
import type { ColumnMeaning, RelationDefinition } from './definitions.js'

/** Everything that a catalogue says about the relations that callers see. */
export function describedCatalogue(
  catalogue: Catalogue,
  examples: readonly QueryExample[],
): DescribedCatalogue {
  const relations = catalogue.summaries.map(({ name }) => describedRelation(catalogue, name))
  return { relations, examples: [...examples] }
}

/**
 * Everything that the catalogue says about a relation that callers see. `read` has the columns that a snapshot
 * told, which are used where the catalogue has none.
 */
export function describedRelation(
  catalogue: Catalogue,
  name: string,
  read?: readonly Column[],
): DescribedRelation {
  const summary = catalogue.summaries.find(each => each.name === name) as RelationSummary
  const relation = catalogue.relations.get(name)
  if (relation === undefined) return { ...summary, columns: [...VIEW_COLUMNS], unique: ['entity_key'] }
  const { about, columns, unique } = relation
  const measures = Object.entries(relation.measures).map(([measure, told]) => ({ name: measure, ...told }))
  const named = columns ? Object.entries(columns).map(([column, type]) => ({ name: column, type })) : read
  const notes = notesOf(relation, catalogue)
  return {
    ...summary,
    ...(about === undefined ? {} : { about }),
    ...(named ? { columns: withMeanings(named, relation) } : {}),
    ...(unique.length > 0 ? { unique: [...unique] } : {}),
    ...(measures.length > 0 ? { measures } : {}),
    ...(notes.length > 0 ? { notes } : {}),
  }
}

function withMeanings(columns: readonly Column[], relation: RelationDefinition): DescribedColumn[] {
  const { meanings, values, references } = relation
  return columns.map(({ name, type }) => {
    const [list, reference] = [own(values, name), own(references, name)]
    return {
      name,
      type,
      ...toldMeaning(own(meanings, name) ?? {}),
      ...(list ? { values: [...list] } : {}),
      ...(reference ? { references: reference } : {}),
    }
  })
}

function toldMeaning({ about, unit, additive, order }: ColumnMeaning): Partial<DescribedColumn> {
  return {
    ...(about === undefined ? {} : { about }),
    ...(unit === undefined ? {} : typeof unit === 'string' ? { unit } : { unitColumn: unit.column }),
    ...(additive === undefined ? {} : { additiveOver: additive === false ? [] : [...additive.over] }),
    ...(order ? { order: [...order] } : {}),
  }
}

/** A column may have the name of what every object has. */
function own<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

const VIEW_COLUMNS: readonly DescribedColumn[] = [
  { name: 'entity_key', type: 'VARCHAR', about: 'Key of an entity in view' },
  {
    name: 'share',
    type: 'DOUBLE',
    about: 'The share of the entity that counts, summed over its holders; 1 in gross view',
  },
]

/**
 * Warns of columns that look like a key, because others refer to them or the tree names them so, and are none
 * by themselves.
 */
function notesOf({ name, unique }: RelationDefinition, { hierarchy, relations }: Catalogue): string[] {
  const references = [...relations.values()].flatMap(relation => Object.values(relation.references))
  const targets = new Set(
    references
      .filter(target => target.startsWith(`${name}.`))
      .map(target => target.slice(name.length + 1))
      .concat(hierarchy?.table === name ? hierarchy.key : []),
  )
  return [...targets]
    .filter(column => unique.length !== 1 || unique[0] !== column)
    .map(column =>
      unique.includes(column)
        ? `${column} is not unique: one row per ${unique.join(' and ')}. Joining on it multiplies rows.`
        : `${column} may not be unique. Joining on it can multiply rows.`,
    )
}
