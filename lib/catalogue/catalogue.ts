import type { QueryExample, RelationSummary } from '../model.js'
import type {
  CatalogueRule,
  FoldDefinition,
  Hierarchy,
  RelationDefinition,
  TableDefinition,
} from './definitions.js'
import {
  checkExamples,
  checkHierarchy,
  checkReferences,
  checkRelation,
  checkRules,
  POINT_OF_VIEW,
} from './validate.js'

export { POINT_OF_VIEW } from './validate.js'

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
 * Defines and validates what callers may query. A fold reads only relations defined before it. Throws a
 * TypeError that names the place of the first mistake: an invalid or duplicate name, an invalid type, or a
 * column, table or fold that is not defined. Checked later: the SQL of a fold when it is first built, and the
 * columns of a table without `columns` when it is sealed.
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
 *
 * @example
 * Tables alone: callers weigh the rows themselves, by the shares in `point_of_view`.
 * ```ts
 * const catalogue = defineCatalogue({
 *   hierarchy: { table: 'entities', key: 'entity_key', parent: 'parent_key', id: 'entity_id', share: 'ownership_share' },
 *   relations: defineTables('entities', 'emissions'),
 *   pointOfView: true,
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

function summarise(
  relation: Pick<FoldDefinition, 'kind' | 'name' | 'about'> | TableDefinition,
): RelationSummary {
  const { name, kind } = relation
  return relation.kind === 'fold' ? { name, kind, about: relation.about } : { name, kind }
}
