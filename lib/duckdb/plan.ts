import { createHash } from 'node:crypto'
import { type Catalogue, POINT_OF_VIEW } from '../catalogue/catalogue.js'
import type { FoldDefinition, Hierarchy, TableDefinition } from '../catalogue/definitions.js'
import type { PointOfView, Snapshot, Statement } from '../engine/port.js'
import { ENGINE_VERSION, VOLATILE_COLUMNS, VOLATILE_FUNCTIONS } from '../guard/inventory.js'
import { tableFiles } from '../snapshots/manifest.js'
import { identifier, literal } from '../values/quote.js'
import type { BuildStep, RelationFile } from './jobs.js'

/** Metadata of an exported file: what its rows are, for a reader who finds the file later. */
export function metadataOf(
  { snapshot, entityId, ownershipView }: PointOfView,
  { sql, sent, named }: Statement,
  hasTree: boolean,
): Record<string, string> {
  return {
    'foldgate.project_id': snapshot.projectId,
    'foldgate.snapshot_id': snapshot.snapshotId,
    'foldgate.sealed_at': snapshot.manifest.sealedAt,
    ...(hasTree
      ? {
          'foldgate.entity_id': entityId ?? (snapshot.manifest.rootId as string),
          'foldgate.ownership_view': ownershipView,
        }
      : {}),
    ...(named ? { 'foldgate.query': named } : { 'foldgate.sql': sql }),
    ...(sent ? { 'foldgate.parameters': JSON.stringify(sent) } : {}),
  }
}

/** A relation to build for one point of view. */
export interface PlannedRelation {
  name: string
  /**
   * Digest of the content: equal for relations that the same SQL builds from the same stored tables, unless its value
   * changes from build to build; then it is that of one snapshot.
   */
  alias: string
  /** Relations that its SQL reads. */
  reads: readonly PlannedRelation[]
  /** What it is made from; names of files are those in the folder of the snapshot. */
  from: BuildStep['from']
  /** Whether statements may read its Parquet files as they are, until it is built. */
  isReadable?: boolean
  /** Whether it is a table that the snapshot lacks and that is not optional, so that it cannot be built. */
  isMissing?: boolean
}

/** The file into which a relation is built. */
export function builtFile({ name, alias }: Pick<PlannedRelation, 'name' | 'alias'>): RelationFile {
  return { relation: name, alias, form: 'built', files: [`${alias}.duckdb`] }
}

/** Text that may be a call whose value changes from build to build. */
const VOLATILE = new RegExp(
  `\\b(?:(?:${[...VOLATILE_FUNCTIONS].join('|')})"?\\s*\\(|(?:${[...VOLATILE_COLUMNS].join('|')})\\b)`,
  'i',
)

/** Types of columns whose values the engine compares wrongly where it reads them from a dictionary of Parquet. */
const BUILT_FIRST = /\bBLOB\b/

/** Increment when relations are built differently, so that all are rebuilt. */
const BUILD_VERSION = 1

/**
 * Plans relations for one point of view; relations that do not depend on it have the same alias for all points of view.
 */
export class Planner {
  readonly #catalogue: Catalogue
  readonly #point: PointOfView
  readonly #planned = new Map<string, PlannedRelation>()

  constructor(catalogue: Catalogue, point: PointOfView) {
    this.#catalogue = catalogue
    this.#point = point
  }

  plan(name: string): PlannedRelation {
    const known = this.#planned.get(name)
    if (known) return known
    const relation = this.#catalogue.relations.get(name)
    const planned =
      name === POINT_OF_VIEW
        ? this.#pointOfView()
        : relation?.kind === 'fold'
          ? this.#fold(relation)
          : this.#table(relation as TableDefinition)
    this.#planned.set(name, planned)
    return planned
  }

  #fold(fold: FoldDefinition): PlannedRelation {
    const reads = fold.reads.map(read => this.plan(read))
    // A fold that reads the clock is built for each snapshot, since its numbers age while its tables stay the same.
    const only = VOLATILE.test(fold.sql) ? [this.#point.snapshot.snapshotId] : []
    const alias = aliasOf('fold', fold.name, fold.sql, ...reads.map(read => read.alias), ...only)
    return { name: fold.name, alias, reads, from: { sql: fold.sql } }
  }

  #table(table: TableDefinition): PlannedRelation {
    const stored = this.#point.snapshot.manifest.tables.find(entry => entry.name === table.name)
    if (!stored)
      return table.optional ? this.#emptyTable(table) : { ...this.#emptyTable(table), isMissing: true }
    const source = tableFiles(stored).map(({ file, sha256 }) => ({ name: file, sha256 }))
    const alias = aliasOf('table', table.name, ...source.map(({ sha256 }) => sha256))
    const isReadable = !stored.columns.some(({ type }) => BUILT_FIRST.test(type))
    return { name: table.name, alias, reads: [], from: { source }, isReadable }
  }

  /** An optional table that the snapshot lacks: a table without rows. */
  #emptyTable(table: TableDefinition): PlannedRelation {
    const columns = Object.entries(table.columns ?? { missing: 'VARCHAR' })
    const select = columns.map(([name, type]) => `CAST(NULL AS ${type}) AS ${identifier(name)}`).join(', ')
    const sql = `SELECT ${select} WHERE false`
    return { name: table.name, alias: aliasOf('empty', table.name, sql), reads: [], from: { sql } }
  }

  /**
   * The entities of the subtree with their shares: the product along each path from the root, summed over the
   * paths. Each step of the recursion merges paths of equal length to the same entity, so that rows do not
   * multiply.
   */
  #pointOfView(): PlannedRelation {
    const hierarchy = this.#catalogue.hierarchy as Hierarchy // or no relation could read it
    const entities = this.plan(hierarchy.table)
    const [table, key, parent, id, share] = [
      hierarchy.table,
      hierarchy.key,
      hierarchy.parent,
      hierarchy.id,
      hierarchy.share,
    ].map(identifier)
    const { entityId, ownershipView } = this.#point
    const root = entityId ?? (this.#point.snapshot.manifest.rootId as string)
    const counted = ownershipView === 'gross' ? 'CAST(1 AS DOUBLE)' : 'sum(path_share)'
    const sql = `
      WITH RECURSIVE walk(entity_key, path_share) AS (
        SELECT DISTINCT ${key}, CAST(1 AS DOUBLE) FROM ${table} WHERE CAST(${id} AS UUID) = ${literal(root)}::UUID
        UNION ALL
        SELECT held.${key}, sum(walk.path_share * held.${share})
        FROM walk JOIN ${table} AS held ON held.${parent} = walk.entity_key GROUP BY held.${key}
      )
      SELECT entity_key, ${counted} AS share FROM walk GROUP BY entity_key ORDER BY entity_key`
    const alias = aliasOf('view', sql, entities.alias)
    return { name: POINT_OF_VIEW, alias, reads: [entities], from: { sql } }
  }
}

/** Digests of the relations of a snapshot: of their SQL, and of the stored tables that they read. */
export function digestsOf(catalogue: Catalogue, snapshot: Snapshot): string[] {
  const planner = new Planner(catalogue, { snapshot, organization: '', entityId: null, ownershipView: 'net' })
  return catalogue.summaries.map(({ name }) => planner.plan(name).alias)
}

/** The relations and everything that they read, each after what it reads; by alias. */
export function closure(relations: readonly PlannedRelation[], into = new Map<string, PlannedRelation>()) {
  for (const relation of relations) {
    if (into.has(relation.alias)) continue // visited already, for another reader
    closure(relation.reads, into)
    into.set(relation.alias, relation)
  }
  return into
}

/** What tells the host that a snapshot lacks tables that these relations read; null when it has all. */
export function missingTables(
  { snapshot }: PointOfView,
  relations: readonly PlannedRelation[],
): Error | null {
  const missing = [...closure(relations).values()].filter(({ isMissing }) => isMissing)
  if (missing.length === 0) return null
  const names = missing.map(({ name }) => `"${name}"`).join(', ')
  return new Error(
    `The snapshot ${snapshot.snapshotId} of the project ${snapshot.projectId} has no table ${names}, unlike the ` +
      'catalogue: seal the project again, or define a table that older snapshots lack as optional.',
  )
}

function aliasOf(...parts: string[]): string {
  const content = JSON.stringify([BUILD_VERSION, ENGINE_VERSION, ...parts])
  return `r_${createHash('sha256').update(content).digest('hex').slice(0, 24)}`
}
