import type { QueryExample, RelationSummary } from '../model.js'
import type { FoldDefinition, Hierarchy, RelationDefinition, TableDefinition } from './definitions.js'
import type { QueryDefinition } from './queries.js'
import { checkRowLimits, type RowLimit, readRowLimits, rowLimitsOf } from './row-limits.js'
import type { CatalogueRule } from './rules.js'
import { checkRelation, POINT_OF_VIEW } from './validate.js'
import { checkQueries } from './validate-queries.js'
import {
  checkDefinition,
  checkExamples,
  checkHierarchy,
  checkReferences,
  checkRules,
} from './validate-whole.js'

export { POINT_OF_VIEW } from './validate.js'

/** A validated catalogue, the same for every project. */
export interface Catalogue {
  /** Table and columns of the ownership tree; null when there is none, and so no point of view. */
  readonly hierarchy: Hierarchy | null
  /** Every relation by its name, in the order of definition. */
  readonly relations: ReadonlyMap<string, RelationDefinition>
  /** The relations that callers see: folds first, then tables, each in the order of definition. */
  readonly summaries: readonly RelationSummary[]
  /** Rules that sealing enforces, in the order of definition. */
  readonly rules: readonly CatalogueRule[]
  /** Worked queries, which `projects/describe` returns. */
  readonly examples: readonly QueryExample[]
  /** Queries that callers run by their names, in the order of definition. */
  readonly queries: readonly QueryDefinition[]
  /** Limits by which callers see some rows only, by name, without the one that a tree brings. */
  readonly rowLimits: Readonly<Record<string, RowLimit>>
}

/**
 * Defines and validates what callers may query. A fold reads only relations defined before it. `checkCatalogue` of
 * `foldgate/sealing` finds what only an engine can: wrong SQL in folds, queries and examples. The columns of a table
 * without `columns` are known when it is sealed.
 *
 * @param definition - The tables and folds, and what else callers may use. A fold comes after what it reads.
 * @returns The catalogue, for `createAnalyticsApi`, `openSealer` and `checkCatalogue`.
 * @throws TypeError that names the place of the first mistake: an invalid or duplicate name, an invalid type, a field
 * that there is not, or a column, table or fold that is not defined.
 *
 * @example
 * ```ts
 * const catalogue = defineCatalogue({
 *   relations: [
 *     defineTable({ name: 'orders', columns: { order_id: 'BIGINT', placed_on: 'DATE', total: 'DECIMAL(12,2)' } }),
 *     defineFold({
 *       name: 'revenue',
 *       about: 'One month, with what all customers paid in it.',
 *       reads: ['orders'],
 *       sql: "SELECT date_trunc('month', placed_on) AS month, sum(total) AS revenue FROM orders GROUP BY ALL ORDER BY month",
 *     }),
 *   ],
 *   examples: [{ question: 'How much did we earn in each month?', sql: 'SELECT month, revenue FROM revenue' }],
 * })
 * ```
 *
 * @example
 * With entities that own each other: callers choose whose subtree they read, and how ownership counts.
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
 *
 * @example
 * With a tree, and tables alone: callers weigh the rows themselves, by the shares in `point_of_view`.
 * ```ts
 * const catalogue = defineCatalogue({
 *   hierarchy: { table: 'entities', key: 'entity_key', parent: 'parent_key', id: 'entity_id', share: 'ownership_share' },
 *   relations: defineTables('entities', 'emissions'),
 *   pointOfView: true,
 * })
 * ```
 */
export function defineCatalogue(definition: {
  /** The ownership tree, by which callers choose a point of view. Default: none. */
  hierarchy?: Hierarchy | null
  /** Tables and folds; a fold comes after what it reads. */
  relations: readonly RelationDefinition[]
  /** What sealing checks beyond the definitions of tables. Default: nothing. */
  rules?: readonly CatalogueRule[]
  /** Worked queries for callers. Default: none. */
  examples?: readonly QueryExample[]
  /** Queries that callers run by their names. Default: none. */
  queries?: readonly QueryDefinition[]
  /** Whether callers may read `point_of_view(entity_key, share)`, as folds do. Default: false. */
  pointOfView?: boolean
  /**
   * Limits by which callers see some rows only, by name, with the SQL type of their values: an integer type, VARCHAR,
   * UUID, DATE or BOOLEAN. Tables say in their `rowLimits` how. Default: none, but for `entities` in a catalogue with a
   * hierarchy, whose values are ids of entities.
   */
  rowLimits?: Readonly<Record<string, RowLimit>>
}): Catalogue {
  checkDefinition(definition)
  const { hierarchy = null, rules = [], examples = [], queries = [], pointOfView = false } = definition
  const rowLimits = readRowLimits(definition.rowLimits ?? {}, hierarchy)
  const relations = new Map<string, RelationDefinition>()
  for (const relation of definition.relations) {
    checkRelation(relation, relations, hierarchy)
    relations.set(relation.name, relation)
  }
  checkReferences(relations)
  if (hierarchy !== null) checkHierarchy(hierarchy, relations)
  else if (pointOfView) throw new TypeError('pointOfView: there is no point of view without a hierarchy')
  checkRowLimits(rowLimitsOf({ hierarchy, rowLimits }), relations, hierarchy)
  checkRules(rules, relations)
  checkExamples(examples)
  checkQueries(queries)
  const all = [...relations.values()]
  const summaries = [
    ...all.filter(relation => relation.kind === 'fold' && !relation.internal),
    ...(pointOfView ? [VIEW] : []),
    ...all.filter(relation => relation.kind === 'table'),
  ].map(summarise)
  return { hierarchy, relations, summaries, rules, examples, queries, rowLimits }
}

const VIEW = {
  name: POINT_OF_VIEW,
  kind: 'fold' as const,
  about: 'One entity in view, with the share of it that counts: its ownership in net view, 1 in gross view.',
}

function summarise(
  relation: Pick<FoldDefinition, 'kind' | 'name' | 'about'> | TableDefinition,
): RelationSummary {
  const { name, kind } = relation
  return relation.kind === 'fold' ? { name, kind, about: relation.about } : { name, kind }
}
