import type { EngineHost, PointOfView } from 'foldgate/engine'
import type { Schemas } from './schemas.js'

type Catalogue = EngineHost['catalogue']
type Definition = Catalogue['relations'] extends ReadonlyMap<string, infer Relation> ? Relation : never
type SnapshotTable = PointOfView['snapshot']['manifest']['tables'][number]

/** The built-in relation with the shares of a point of view. */
const POINT_OF_VIEW = 'point_of_view'

/** SQL that DuckDB computes: Trino plans each step of a recursion as stages, of which a query may have 150. */
const RECURSIVE = /^\s*WITH\s+RECURSIVE\b/i

/** A relation, and the schema in which it is made. */
export interface PlannedRelation {
  name: string
  schema: string
  /**
   * How the relation is made. `duckdb` is what DuckDB computes: the point of view, and folds that are recursive.
   * `empty` is an optional table that the snapshot lacks.
   */
  made:
    | { by: 'duckdb' }
    | { by: 'table'; stored: SnapshotTable }
    | { by: 'empty'; columns: Readonly<Record<string, string>> }
    | { by: 'fold'; sql: string; reads: readonly PlannedRelation[] }
}

/** Plans the relations of a point of view; relations that do not depend on it belong to the snapshot. */
export function planner(
  catalogue: Catalogue,
  folds: Readonly<Record<string, string>>,
  point: PointOfView,
  schemas: Schemas,
): (name: string) => PlannedRelation {
  return function plan(name: string): PlannedRelation {
    if (name === POINT_OF_VIEW) return { name, schema: schemas.build, made: { by: 'duckdb' } }
    const relation = catalogue.relations.get(name) as Definition
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
    const made: PlannedRelation['made'] = stored
      ? { by: 'table', stored }
      : { by: 'empty', columns: relation.columns ?? { missing: 'VARCHAR' } }
    return { name, schema: schemas.snapshot, made }
  }
}
