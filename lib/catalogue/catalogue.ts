import type { QueryExample, RelationKind, RelationSummary } from '../model.js'
import type { CatalogueRule } from './rule.js'
import { checkExamples, checkHierarchy, checkReferences, checkRelation, checkRules, POINT_OF_VIEW } from './validate.js'

export { POINT_OF_VIEW } from './validate.js'

/** The table with the ownership tree: one row per holder of an entity, and one row without a parent for the root. */
export interface Hierarchy {
  /** Name of the table. */
  table: string
  /** Column with the key that identifies an entity within the snapshot. */
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
  /** Kind of relation, see {@link RelationKind}. */
  kind: 'table'
  /** Name in FROM, and of the file in a package without its extension: a letter, then up to 62 of a-z, 0-9 and _. */
  name: string
  /** Columns in order, with their SQL types. Without them, the table keeps the columns and types of its file. */
  columns?: Readonly<Record<string, string>>
  /** Columns that must not be NULL. */
  required: readonly string[]
  /** Columns that together identify a row: no two rows have the same values in all of them. */
  unique: readonly string[]
  /** Maps a column to the `table.column` that contains each of its values other than NULL. */
  references: Readonly<Record<string, string>>
  /** Maps a column of numbers to the range, ends included, that contains each of its values other than NULL. */
  ranges: Readonly<Record<string, ValueRange>>
  /** Maps a column to the list that contains each of its values other than NULL. */
  values: Readonly<Record<string, readonly string[]>>
  /**
   * Columns of which a broken reference, range or list of values is a warning: the table is sealed, and the manifest
   * has the warning.
   */
  warnings: readonly string[]
  /** Whether a snapshot may lack the table, which is then empty. */
  optional: boolean
}

/** A range of numbers, ends included. An end that is left out is open. */
export interface ValueRange {
  /** Smallest value. */
  least?: number
  /** Largest value. */
  most?: number
}

/** A relation computed from the snapshot. */
export interface FoldDefinition {
  /** Kind of relation, see {@link RelationKind}. */
  kind: 'fold'
  /** Name in FROM: a letter, then up to 62 of a-z, 0-9 and _. */
  name: string
  /** Tells callers what one row is. */
  about: string
  /** Tables, other folds and `point_of_view`, as far as the SQL names them; no other relation resolves in it. */
  reads: readonly string[]
  /** One SELECT over `reads`. `point_of_view(entity_key, share)` gives the shares, net or gross as the caller asks. */
  sql: string
  /** Whether only other folds, and not callers, can name it. */
  internal: boolean
}

/** A relation of the catalogue. */
export type RelationDefinition = TableDefinition | FoldDefinition

/** A validated catalogue, the same for every project. */
export interface Catalogue {
  /** Table and columns of the ownership tree. */
  readonly hierarchy: Hierarchy
  /** Every relation by its name, in the order of definition. */
  readonly relations: ReadonlyMap<string, RelationDefinition>
  /** The relations that callers see: folds first, then tables, each in the order of definition. */
  readonly summaries: readonly RelationSummary[]
  /** Rules that sealing enforces, in the order of definition. */
  readonly rules: readonly CatalogueRule[]
  /** Worked queries, which `projects/describe` returns. */
  readonly examples: readonly QueryExample[]
}

/**
 * Defines a table of the assessment for {@link defineCatalogue}. Sealing a snapshot enforces the definition. Checks that
 * are left out are not made; `optional` defaults to false.
 *
 * @example
 * ```ts
 * const sites = defineTable({
 *   name: 'sites',
 *   columns: { site_key: 'VARCHAR', entity_key: 'VARCHAR', hectares: 'DOUBLE' },
 *   required: ['site_key', 'entity_key'],
 *   unique: ['site_key'],
 *   references: { entity_key: 'entities.entity_key' },
 *   ranges: { hectares: { least: 0 } },
 * })
 * ```
 */
export function defineTable(table: {
  name: string
  columns?: Readonly<Record<string, string>>
  required?: readonly string[]
  unique?: readonly string[]
  references?: Readonly<Record<string, string>>
  ranges?: Readonly<Record<string, ValueRange>>
  values?: Readonly<Record<string, readonly string[]>>
  warnings?: readonly string[]
  optional?: boolean
}): TableDefinition {
  const unchecked = { required: [], unique: [], references: {}, ranges: {}, values: {}, warnings: [] }
  return { kind: 'table', ...unchecked, optional: false, ...table }
}

/**
 * Defines tables that keep the columns and types of their files.
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
 * Defines a relation for {@link defineCatalogue} that `sql` computes from what it `reads`, for each point of view.
 * `internal` defaults to false.
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
 * Defines and validates what callers may query. A fold reads only relations defined before it. Throws a TypeError that
 * names the place of the first mistake: an invalid or duplicate name, an invalid type, or a column, table or fold that
 * is not defined. Checked later: the SQL of a fold when it is first built, and the columns of a table without `columns`
 * when it is sealed.
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
  rules?: readonly CatalogueRule[]
  examples?: readonly QueryExample[]
  /** Whether callers may read `point_of_view(entity_key, share)`, as folds do. Default: false. */
  pointOfView?: boolean
}): Catalogue {
  const relations = new Map<string, RelationDefinition>()
  for (const relation of definition.relations) {
    checkRelation(relation, relations)
    relations.set(relation.name, relation)
  }
  checkReferences(relations)
  checkHierarchy(definition.hierarchy, relations)
  const { rules = [], examples = [] } = definition
  checkRules(rules, relations)
  checkExamples(examples)
  const all = [...relations.values()]
  const summaries = [
    ...all.filter(relation => relation.kind === 'fold' && !relation.internal),
    ...(definition.pointOfView ? [VIEW] : []),
    ...all.filter(relation => relation.kind === 'table'),
  ].map(summarise)
  return { hierarchy: definition.hierarchy, relations, summaries, rules, examples }
}

const VIEW = {
  name: POINT_OF_VIEW,
  kind: 'fold' as const,
  about: 'One entity in view, with the share of it that counts: its ownership in net view, 1 in gross view.',
}

function summarise(relation: Pick<FoldDefinition, 'kind' | 'name' | 'about'> | TableDefinition): RelationSummary {
  const { name, kind } = relation
  return relation.kind === 'fold' ? { name, kind, about: relation.about } : { name, kind }
}
