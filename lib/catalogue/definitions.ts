/**
 * The table with the ownership tree: one row per holder of an entity, and one row without a parent for the
 * root.
 */
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
  /** Kind of relation, see {@link RelationSummary}. */
  kind: 'table'
  /**
   * Name in FROM, and of the file in a package without its extension: a letter, then up to 62 of a-z, 0-9 and
   * _.
   */
  name: string
  /**
   * Columns in order, with their SQL types. Without them, the table keeps the columns and types of its file.
   */
  columns?: Readonly<Record<string, string>>
  /** Columns that must not be NULL. */
  required: readonly string[]
  /** Columns that together identify a row: no two rows have the same values in all of them. */
  unique: readonly string[]
  /** Maps a column to the `table.column` that contains each of its values other than NULL. */
  references: Readonly<Record<string, string>>
  /**
   * Maps a column of numbers to the range, ends included, that contains each of its values other than NULL.
   */
  ranges: Readonly<Record<string, ValueRange>>
  /** Maps a column to the list that contains each of its values other than NULL. */
  values: Readonly<Record<string, readonly string[]>>
  /**
   * Columns of which a broken reference, range or list of values is a warning: the table is sealed, and the
   * manifest has the warning.
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
  /** Kind of relation, see {@link RelationSummary}. */
  kind: 'fold'
  /** Name in FROM: a letter, then up to 62 of a-z, 0-9 and _. */
  name: string
  /** Tells callers what one row is. */
  about: string
  /**
   * Tables, other folds and `point_of_view`, as far as the SQL names them; no other relation resolves in it.
   */
  reads: readonly string[]
  /**
   * One SELECT over `reads`. `point_of_view(entity_key, share)` gives the shares, net or gross as the caller
   * asks.
   */
  sql: string
  /** Whether only other folds, and not callers, can name it. */
  internal: boolean
}

/** A relation of the catalogue. */
export type RelationDefinition = TableDefinition | FoldDefinition

/** A rule about the values of a column that `references`, `ranges` and `values` cannot express. */
export interface CatalogueRule {
  /** Table that the rule is about. */
  table: string
  /** Column that the values come from. */
  column: string
  /** Other tables that `wrong` names. The rule is not checked in a package that lacks one of them. */
  reads: readonly string[]
  /** One SELECT over these tables that returns one column: the value of each row that breaks the rule. */
  wrong: string
  /** Completes the sentence that begins with the values and "is", such as `not the unit of its sector`. */
  message: string
  /** Whether the package is sealed all the same, with a warning in its manifest. */
  isWarning: boolean
}

/**
 * Defines a rule for `defineCatalogue`, which sealing enforces. `reads` defaults to none, and `isWarning` to
 * false.
 *
 * @example
 * ```ts
 * const units = defineRule({
 *   table: 'activities',
 *   column: 'unit',
 *   reads: ['sectors'],
 *   wrong: 'SELECT a.unit FROM activities a JOIN sectors s USING (sector_code) WHERE a.unit <> s.unit',
 *   message: 'not the unit of its sector',
 * })
 * ```
 *
 * @example
 * A rule that does not keep a package from being sealed: what breaks it is a warning.
 * ```ts
 * const sizes = defineRule({
 *   table: 'sites',
 *   column: 'site_key',
 *   wrong: 'SELECT site_key FROM sites WHERE hectares > 1e6',
 *   message: 'larger than any site known',
 *   isWarning: true,
 * })
 * ```
 */
export function defineRule(rule: {
  table: string
  column: string
  reads?: readonly string[]
  wrong: string
  message: string
  isWarning?: boolean
}): CatalogueRule {
  return { reads: [], isWarning: false, ...rule }
}

/**
 * Defines a table of the assessment for `defineCatalogue`. Sealing a snapshot enforces the definition. Checks
 * that are left out are not made; `optional` defaults to false.
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
 *
 * @example
 * A table that a snapshot may lack, and whose values may be wrong: then the snapshot has a warning.
 * ```ts
 * const remarks = defineTable({
 *   name: 'remarks',
 *   values: { state: ['open', 'closed'] },
 *   warnings: ['state'],
 *   optional: true,
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
 * Defines a relation for `defineCatalogue` that `sql` computes from what it `reads`, for each point of view.
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
 *
 * @example
 * An internal fold, which later folds read and callers cannot.
 * ```ts
 * const placed = defineFold({
 *   name: 'placed_emissions',
 *   about: 'One emission, with the country of its site.',
 *   reads: ['emissions', 'sites'],
 *   sql: 'SELECT e.entity_key, e.tonnes, s.country FROM emissions e JOIN sites s USING (site_key)',
 *   internal: true,
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
