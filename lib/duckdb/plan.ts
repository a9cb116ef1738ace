import { createHash } from 'node:crypto'
import { type Catalogue, POINT_OF_VIEW } from '../catalogue/catalogue.js'
import {
  type FoldDefinition,
  type Hierarchy,
  type TableDefinition,
  unitColumns,
} from '../catalogue/definitions.js'
import { areAlike, ENTITIES, type SeenByLimit, type SeenRows, wayOf } from '../catalogue/row-limits.js'
import type { PointOfView, Snapshot, Statement } from '../engine/port.js'
import { ENGINE_VERSION, VOLATILE_COLUMNS, VOLATILE_FUNCTIONS } from '../guard/inventory.js'
import type { OwnershipView } from '../model.js'
import { type StoredTable, tableFiles } from '../snapshots/manifest.js'
import { identifier, literal } from '../values/quote.js'
import type { BuildStep, RelationFile } from './jobs.js'

/** Metadata of an exported file: what its rows are, for a reader who finds the file later. */
export function metadataOf(
  { snapshot, entityId, ownershipView, rows }: PointOfView,
  { sql, sent, named }: Statement,
  hasTree: boolean,
): Record<string, string> {
  return {
    'foldgate.project_id': snapshot.projectId,
    'foldgate.snapshot_id': snapshot.snapshotId,
    'foldgate.sealed_at': snapshot.manifest.sealedAt,
    ...(hasTree
      ? {
          'foldgate.entity_id': entityId ?? rootsOf({ snapshot, rows }).join(' '),
          'foldgate.ownership_view': ownershipView,
        }
      : {}),
    ...(named ? { 'foldgate.query': named } : { 'foldgate.sql': sql }),
    ...(sent ? { 'foldgate.parameters': JSON.stringify(sent) } : {}),
  }
}

/** Ids of the entities whose subtrees a caller sees: the whole tree, but for callers with that limit. */
function rootsOf({ snapshot, rows }: Pick<PointOfView, 'snapshot'> & { rows?: SeenRows | undefined }) {
  const seen = rows?.limits.find(({ limit }) => limit === ENTITIES)
  return seen?.values ?? [snapshot.manifest.rootId as string]
}

/** The values of a column in rows that a caller sees. */
interface FoundValues {
  /** In SQL, as the operand of IN. */
  values: string
  /** Their SQL type; null where no table has them. */
  type: string | null
  /** Relations that the SQL reads. */
  reads: PlannedRelation[]
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
  /** Columns that carry the units of others. Default: none. */
  units?: readonly string[]
  /** Whether statements may read its Parquet files as they are, until it is built. */
  isReadable?: boolean
  /** Whether it is a table that the snapshot lacks and that is not optional, so that it cannot be built. */
  isMissing?: boolean
  /** Name of its column that does not have the type of what limits its rows, which may then be compared wrongly. */
  unlike?: string
}

const isOfTree = ({ limit }: SeenByLimit) => limit === ENTITIES

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
const BUILD_VERSION = 2

/**
 * Plans relations for one point of view; relations that do not depend on it have the same alias for all points of view.
 * A `mark` makes other aliases, for relations that are built by other processes.
 */
export class Planner {
  readonly #catalogue: Catalogue
  readonly #point: PointOfView
  readonly #planned = new Map<string, PlannedRelation>()
  readonly #mark: readonly string[]
  /** Plans relations as callers without row limits see them; the planner itself where there are none. */
  readonly #whole: Planner

  constructor(catalogue: Catalogue, point: PointOfView, mark: readonly string[] = []) {
    const { rows, ...all } = point
    this.#catalogue = catalogue
    this.#point = point
    this.#mark = mark
    this.#whole = rows ? new Planner(catalogue, all, mark) : this
  }

  /** The rows for which it plans; undefined for all. */
  get rows(): SeenRows | undefined {
    return this.#point.rows
  }

  plan(name: string): PlannedRelation {
    const known = this.#planned.get(name)
    if (known) return known
    const found = this.#plan(name)
    const units = unitColumns(this.#catalogue.relations.get(name)?.meanings ?? {})
    const planned = units.length > 0 ? { ...found, units } : found
    this.#planned.set(name, planned)
    return planned
  }

  #plan(name: string): PlannedRelation {
    const { rows } = this.#point
    const relation = this.#catalogue.relations.get(name)
    if (name === POINT_OF_VIEW) return this.#pointOfView()
    if (rows && relation?.rowLimits === 'none' && name !== this.#catalogue.hierarchy?.table)
      return this.#whole.plan(name)
    if (relation?.kind === 'fold') return this.#fold(relation)
    return rows
      ? this.#limited(relation as TableDefinition, rows.limits)
      : this.#table(relation as TableDefinition)
  }

  #fold(fold: FoldDefinition): PlannedRelation {
    const reads = fold.reads.map(read => this.plan(read))
    // A fold that reads the clock is built for each snapshot, since its numbers age while its tables stay the same.
    const only = VOLATILE.test(fold.sql) ? [this.#point.snapshot.snapshotId] : []
    const alias = this.#alias('fold', fold.name, fold.sql, ...reads.map(read => read.alias), ...only)
    return { name: fold.name, alias, reads, from: { sql: fold.sql } }
  }

  #table(table: TableDefinition): PlannedRelation {
    const stored = this.#stored(table.name)
    if (!stored)
      return table.optional ? this.#emptyTable(table) : { ...this.#emptyTable(table), isMissing: true }
    const source = tableFiles(stored).map(({ file, sha256 }) => ({ name: file, sha256 }))
    const alias = this.#alias('table', table.name, ...source.map(({ sha256 }) => sha256))
    const isReadable = !stored.columns.some(({ type }) => BUILT_FIRST.test(type))
    return { name: table.name, alias, reads: [], from: { source }, isReadable }
  }

  #stored(table: string): StoredTable | undefined {
    return this.#point.snapshot.manifest.tables.find(({ name }) => name === table)
  }

  /** An optional table that the snapshot lacks: a table without rows. */
  #emptyTable(table: TableDefinition): PlannedRelation {
    const columns = Object.entries(table.columns ?? { missing: 'VARCHAR' })
    const select = columns.map(([name, type]) => `CAST(NULL AS ${type}) AS ${identifier(name)}`).join(', ')
    const sql = `SELECT ${select} WHERE false`
    return { name: table.name, alias: this.#alias('empty', table.name, sql), reads: [], from: { sql } }
  }

  /** The rows of a table that all of these limits let a caller see, by one step of building for each limit. */
  #limited(table: TableDefinition, limits: SeenRows['limits']): PlannedRelation {
    const stored = this.#whole.plan(table.name)
    if (!this.#stored(table.name)) return stored // it has no columns by which it could be limited, nor rows
    // The tree first: what another limit takes away of it puts no entity at its top.
    const [first, later] = [limits.filter(isOfTree), limits.filter(by => !isOfTree(by))]
    return [...first, ...later].reduce((seen, by) => this.#limitedBy(table, seen, by), stored)
  }

  #limitedBy(table: TableDefinition, seen: PlannedRelation, by: SeenByLimit): PlannedRelation {
    const isTree = this.#catalogue.hierarchy?.table === table.name
    if (isTree && by.limit === ENTITIES) return this.#limitedTree(seen, by)
    if (isTree && table.rowLimits === 'none') return seen
    const way = wayOf(table, by.limit)
    if (way === undefined) throw new Error(`the table "${table.name}" has no way to the limit "${by.limit}"`)
    const found = typeof way === 'string' ? this.#carrying(by) : this.#through(table, way.through, by)
    const column = typeof way === 'string' ? way : way.through
    // A name that is not qualified could be that of another column where this one is missing.
    const sql = `SELECT * FROM ${identifier(table.name)} AS seen WHERE seen.${identifier(column)} IN (${found.values})`
    const made = this.#made(table.name, sql, [seen, ...found.reads])
    const own = this.#storedType(table.name, column) ?? ''
    return found.type === null || areAlike(own, found.type) ? made : { ...made, unlike: column }
  }

  /** The type of a column of a stored table. */
  #storedType(table: string, column: string): string | undefined {
    return this.#stored(table)?.columns.find(({ name }) => name.toLowerCase() === column.toLowerCase())?.type
  }

  /**
   * The rows of the tree whose holders are in the subtrees that a caller sees. An entity at their top has one row, like
   * the root of a project: nobody holds it that the caller sees.
   */
  #limitedTree(seen: PlannedRelation, { values }: SeenByLimit): PlannedRelation {
    const hierarchy = this.#catalogue.hierarchy as Hierarchy
    const [table, key, parent, share] = [
      hierarchy.table,
      hierarchy.key,
      hierarchy.parent,
      hierarchy.share,
    ].map(identifier)
    const typeOf = (column: string) => this.#storedType(hierarchy.table, column) ?? 'VARCHAR'
    const nobody = `CAST(NULL AS ${typeOf(hierarchy.parent)}) AS ${parent}`
    const all = `CAST(1 AS ${typeOf(hierarchy.share)}) AS ${share}`
    const view = this.#whole.#subtrees(values, 'gross')
    const inView = `(SELECT found.entity_key FROM ${view.name} AS found)`
    const sql = `
      SELECT * FROM ${table} AS seen WHERE seen.${parent} IN ${inView}
      UNION ALL
      SELECT DISTINCT * REPLACE (${nobody}, ${all}) FROM ${table} AS seen
      WHERE seen.${key} IN ${inView}
        AND seen.${key} NOT IN (SELECT held.${key} FROM ${table} AS held WHERE held.${parent} IN ${inView})`
    return this.#made(hierarchy.table, sql, [seen, view])
  }

  #made(name: string, sql: string, reads: PlannedRelation[]): PlannedRelation {
    return {
      name,
      alias: this.#alias('limited', name, sql, ...reads.map(read => read.alias)),
      reads,
      from: { sql },
    }
  }

  /** The values of a limit in SQL, as columns carry them: entities are named by their keys there. */
  #carrying({ limit, type, values }: SeenByLimit): FoundValues {
    const tree = this.#catalogue.hierarchy
    if (tree === null || limit !== ENTITIES)
      return { values: values.map(value => `${literal(value)}::${type}`).join(', '), type, reads: [] }
    const view = this.#whole.#subtrees(values, 'gross')
    const ofKeys = this.#storedType(tree.table, tree.key) ?? null
    return { values: `SELECT found.entity_key FROM ${view.name} AS found`, type: ofKeys, reads: [view] }
  }

  /** The values of a column whose rows in the table to which it refers a caller sees by a limit. */
  #through({ references }: TableDefinition, column: string, by: SeenByLimit): FoundValues {
    const [name = '', target = ''] = (references[column] as string).split('.')
    const referred = this.#catalogue.relations.get(name) as TableDefinition
    const limited = this.#limited(referred, [by])
    const type = this.#storedType(name, target) ?? null
    if (type === null && referred.optional) return { values: 'NULL', type, reads: [] } // no row of it is seen
    return {
      type,
      values: `SELECT found.${identifier(target)} FROM ${identifier(name)} AS found`,
      reads: [limited],
    }
  }

  #pointOfView(): PlannedRelation {
    const { entityId, ownershipView } = this.#point
    return this.#subtrees(entityId === null ? rootsOf(this.#point) : [entityId], ownershipView)
  }

  /**
   * The entities of the subtrees of these roots with their shares: the product along each path from a root, summed over
   * the paths. Each step of the recursion merges paths of equal length to the same entity, so that rows do not
   * multiply. A root below another one is no root, so that nothing counts twice.
   */
  #subtrees(roots: readonly string[], ownershipView: OwnershipView): PlannedRelation {
    const hierarchy = this.#catalogue.hierarchy as Hierarchy // or no relation could read it
    const entities = this.plan(hierarchy.table)
    const [table, key, parent, id, share] = [
      hierarchy.table,
      hierarchy.key,
      hierarchy.parent,
      hierarchy.id,
      hierarchy.share,
    ].map(identifier)
    const isRoot = (entity: string) =>
      `CAST(${entity}.${id} AS UUID) IN (${roots.map(root => `${literal(root)}::UUID`).join(', ')})`
    const counted = ownershipView === 'gross' ? 'CAST(1 AS DOUBLE)' : 'sum(path_share)'
    // No table has a name with a space, which this one would hide.
    const below = `"below a root"(entity_key) AS (
        SELECT held.${key} FROM ${table} AS root JOIN ${table} AS held ON held.${parent} = root.${key} WHERE ${isRoot('root')}
        UNION
        SELECT held.${key} FROM "below a root" AS above JOIN ${table} AS held ON held.${parent} = above.entity_key
      ), `
    const isHighest = ` AND root.${key} NOT IN (SELECT under.entity_key FROM "below a root" AS under)`
    const sql = `
      WITH RECURSIVE ${roots.length > 1 ? below : ''}walk(entity_key, path_share) AS (
        SELECT DISTINCT root.${key}, CAST(1 AS DOUBLE) FROM ${table} AS root WHERE ${isRoot('root')}${roots.length > 1 ? isHighest : ''}
        UNION ALL
        SELECT held.${key}, sum(walk.path_share * held.${share})
        FROM walk JOIN ${table} AS held ON held.${parent} = walk.entity_key GROUP BY held.${key}
      )
      SELECT entity_key, ${counted} AS share FROM walk GROUP BY entity_key ORDER BY entity_key`
    const alias = this.#alias('view', sql, entities.alias)
    return { name: POINT_OF_VIEW, alias, reads: [entities], from: { sql } }
  }

  #alias(...parts: string[]): string {
    const content = JSON.stringify([BUILD_VERSION, ENGINE_VERSION, ...this.#mark, ...parts])
    return `r_${createHash('sha256').update(content).digest('hex').slice(0, 24)}`
  }
}

/**
 * Digests of the relations of a snapshot: of their SQL, of how their rows are limited, and of the stored tables that they
 * read.
 */
export function digestsOf(catalogue: Catalogue, snapshot: Snapshot): string[] {
  const planner = new Planner(catalogue, { snapshot, organization: '', entityId: null, ownershipView: 'net' })
  const limits = [...catalogue.relations.values()].flatMap(({ name, rowLimits }) =>
    rowLimits === undefined ? [] : JSON.stringify([name, rowLimits]),
  )
  return [...catalogue.summaries.map(({ name }) => planner.plan(name).alias), ...limits]
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

/**
 * What tells the host that a snapshot lacks tables that these relations read, or has columns of other types than limits
 * of rows; null when it has all.
 */
export function missingTables(
  { snapshot }: PointOfView,
  relations: readonly PlannedRelation[],
): Error | null {
  const all = [...closure(relations).values()]
  const unlike = all.find(relation => relation.unlike !== undefined)
  if (unlike)
    return new Error(
      `In the snapshot ${snapshot.snapshotId} of the project ${snapshot.projectId}, the column "${unlike.unlike}" of the ` +
        `table "${unlike.name}" does not have the type of the values that limit its rows: give both one type, and seal ` +
        'the project again.',
    )
  const missing = all.filter(({ isMissing }) => isMissing)
  if (missing.length === 0) return null
  const names = missing.map(({ name }) => `"${name}"`).join(', ')
  return new Error(
    `The snapshot ${snapshot.snapshotId} of the project ${snapshot.projectId} has no table ${names}, unlike the ` +
      'catalogue: seal the project again, or define a table that older snapshots lack as optional.',
  )
}
