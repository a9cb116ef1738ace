import type { Catalogue } from 'foldgate'
import type { PointOfView } from 'foldgate/engine'
import type { RelationDefinition } from 'foldgate/internal'
import type { StoredTable } from 'foldgate/sealing'
import type { Schemas } from './schemas.js'

/** The built-in relation with the shares of a point of view. */
const POINT_OF_VIEW = 'point_of_view'

/** SQL that DuckDB computes: Trino plans each step of a recursion as stages, of which a query may have 150. */
const RECURSIVE = /^\s*WITH\s+RECURSIVE\b/i

/** A relation, and the schema in which it is made. */
export interface ClusterRelation {
  name: string
  schema: string
  /**
   * How the relation is made. `duckdb` is what DuckDB computes: the point of view, and folds that are recursive.
   * `empty` is an optional table that the snapshot lacks.
   */
  made:
    | { by: 'duckdb' }
    | { by: 'table'; stored: StoredTable }
    | { by: 'empty'; columns: Readonly<Record<string, string>> }
    | { by: 'fold'; sql: string; reads: readonly ClusterRelation[] }
}

/** Plans the relations of a point of view; relations that do not depend on it belong to the snapshot. */
export function planner(
  catalogue: Catalogue,
  folds: Readonly<Record<string, string>>,
  point: PointOfView,
  schemas: Schemas,
): (name: string) => ClusterRelation {
  return function plan(name: string): ClusterRelation {
    if (name === POINT_OF_VIEW) return { name, schema: schemas.build, made: { by: 'duckdb' } }
    const relation = catalogue.relations.get(name) as RelationDefinition
    if (relation.kind === 'fold') {
      const reads = relation.reads.map(plan)
      const ofView = reads.some(({ schema }) => schema === schemas.build)
      const schema = ofView ? schemas.build : schemas.snapshot
      const replaced = folds[name]
      if (replaced === undefined && RECURSIVE.test(relation.sql))
        return { name, schema, made: { by: 'duckdb' } }
      return { name, schema, made: { by: 'fold', sql: replaced ?? relation.sql, reads } }
    }
    const stored = point.snapshot.manifest.tables.find(table => table.name === name)
    const made: ClusterRelation['made'] = stored
      ? { by: 'table', stored }
      : { by: 'empty', columns: relation.columns ?? { missing: 'VARCHAR' } }
    return { name, schema: schemas.snapshot, made }
  }
}
