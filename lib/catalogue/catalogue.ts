import type { QueryExample, RelationKind, RelationSummary } from '../model.js'
import { checkExamples, checkHierarchy, checkReferences, checkRelation } from './validate.js'

export { POINT_OF_VIEW } from './validate.js'

/** Where the ownership tree stands: one row a holder of an entity, the root without a parent. */
export interface Hierarchy {
  /** Name of the table. */
  table: string
  /** Column that names an entity within the snapshot. */
  key: string
  /** Column with the key of the holder, NULL for the root. */
  parent: string
  /** Column with the UUID that callers send as `entityId`. */
  id: string
  /** Column with the holder's share in the entity, 0 to 1. */
  share: string
}

/** A table of the assessment, stored in each snapshot. */
export interface TableDefinition {
  /** What it is, see {@link RelationKind}. */
  kind: 'table'
  /** As it stands in FROM, and before `.csv` or `.parquet` in a package: a-z, 0-9 and _. */
  name: string
  /** Columns in order with their SQL types; without them the table is stored as it comes. */
  columns?: Readonly<Record<string, string>>
  /** Columns that may not be NULL. */
  required: readonly string[]
  /** Columns that together name a row: no two rows share them. */
  unique: readonly string[]
  /** Column to `table.column`: every value of the column stands there. */
  references: Readonly<Record<string, string>>
  /** A snapshot may lack the table. */
  optional: boolean
}

/** A relation computed from the snapshot. */
export interface FoldDefinition {
  /** What it is, see {@link RelationKind}. */
  kind: 'fold'
  /** As it stands in FROM: a-z, 0-9 and _. */
  name: string
  /** What one row is, for callers. */
  about: string
  /** Tables, other folds and the point of view that the SQL names; nothing else resolves in it. */
  reads: readonly string[]
  /** One SELECT over what it reads; shares come with `point_of_view(entity_key, share)`, so none is net or gross itself. */
  sql: string
  /** A step for other folds that callers cannot name. */
  internal: boolean
}

/** A relation of the catalogue. */
export type RelationDefinition = TableDefinition | FoldDefinition

/** A checked catalogue, the same for every project. */
export interface Catalogue {
  /** Where the ownership tree stands. */
  readonly hierarchy: Hierarchy
  /** Every relation by its name, in the order of definition. */
  readonly relations: ReadonlyMap<string, RelationDefinition>
  /** What callers see: folds first, each group in the order of definition. */
  readonly summaries: readonly RelationSummary[]
  /** Worked queries, which `projects/describe` answers. */
  readonly examples: readonly QueryExample[]
}

/**
 * A table of the assessment, for {@link defineCatalogue}. What its definition says is held when a snapshot is sealed.
 *
 * @example
 * ```ts
 * const sites = defineTable({
 *   name: 'sites',
 *   columns: { site_key: 'VARCHAR', entity_key: 'VARCHAR', hectares: 'DOUBLE' },
 *   required: ['site_key', 'entity_key'],
 *   unique: ['site_key'],
 *   references: { entity_key: 'entities.entity_key' },
 * })
 * ```
 */
export function defineTable(table: {
  name: string
  columns?: Readonly<Record<string, string>>
  required?: readonly string[]
  unique?: readonly string[]
  references?: Readonly<Record<string, string>>
  optional?: boolean
}): TableDefinition {
  return { kind: 'table', required: [], unique: [], references: {}, optional: false, ...table }
}

/**
 * Tables that are stored as they come, with the columns and types of their files.
 *
 * @example
 * ```ts
 * const [sites, pressures] = defineTables('sites', 'pressures')
 * ```
 */
export function defineTables(...names: string[]): TableDefinition[] {
  return names.map(name => defineTable({ name }))
}

/**
 * A relation that is computed for the point of view, for {@link defineCatalogue}: `sql` over what it `reads`.
 *
 * @example
 * ```ts
 * const emissions = defineFold({
 *   name: 'fold_emissions',
 *   about: 'One row: tonnes emitted over the point of view.',
 *   reads: ['emissions', 'point_of_view'],
 *   sql: 'SELECT sum(tonnes * share) AS tonnes FROM emissions JOIN point_of_view USING (entity_key)',
 * })
 * ```
 */
export function defineFold(fold: {
  name: string
  about: string
  reads: readonly string[]
  sql: string
  internal?: boolean
}): FoldDefinition {
  return { kind: 'fold', internal: false, ...fold }
}

/**
 * What callers may query. A fold reads what is defined before it. Whatever is wrong throws a TypeError that names the place:
 * a name that is taken or none, a type that is none, a column, table or fold that is named and not there. The SQL of folds
 * is tried when a relation is built for the first time, not here; columns of a table that is stored as it comes when it is
 * sealed.
 *
 * @example
 * ```ts
 * const catalogue = defineCatalogue({
 *   hierarchy: { table: 'entities', key: 'entity_key', parent: 'parent_key', id: 'entity_id', share: 'ownership_share' },
 *   relations: [
 *     ...defineTables('entities', 'emissions'),
 *     defineFold({
 *       name: 'fold_emissions',
 *       about: 'One row: tonnes emitted over the point of view.',
 *       reads: ['emissions', 'point_of_view'],
 *       sql: 'SELECT sum(tonnes * share) AS tonnes FROM emissions JOIN point_of_view USING (entity_key)',
 *     }),
 *   ],
 *   examples: [{ question: 'How much do we emit?', sql: 'SELECT tonnes FROM fold_emissions' }],
 * })
 * ```
 */
export function defineCatalogue(definition: {
  hierarchy: Hierarchy
  relations: readonly RelationDefinition[]
  examples?: readonly QueryExample[]
}): Catalogue {
  const relations = new Map<string, RelationDefinition>()
  for (const relation of definition.relations) {
    checkRelation(relation, relations)
    relations.set(relation.name, relation)
  }
  checkReferences(relations)
  checkHierarchy(definition.hierarchy, relations)
  const examples = definition.examples ?? []
  checkExamples(examples)
  const visible = [...relations.values()].filter(relation => relation.kind === 'table' || !relation.internal)
  const summaries = visible.map(summarise).sort((a, b) => Number(a.kind === 'table') - Number(b.kind === 'table'))
  return { hierarchy: definition.hierarchy, relations, summaries, examples }
}

function summarise(relation: RelationDefinition): RelationSummary {
  const { name, kind } = relation
  return relation.kind === 'fold' ? { name, kind, about: relation.about } : { name, kind }
}
