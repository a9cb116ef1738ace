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

/** What the values of a column mean. */
export interface ColumnMeaning {
  /** What a value is, in a few words: `What the customer paid, taxes included`. */
  about?: string
  /** Unit of the values: `EUR`, `t CO2e`, `km`. */
  unit?: string
}

/** A column: its SQL type, alone or with what its values mean. */
export type ColumnDefinition = string | ({ type: string } & ColumnMeaning)

/** A table, stored in each snapshot. */
export interface TableDefinition {
  /** Kind of relation, see {@link RelationSummary}. */
  kind: 'table'
  /**
   * Name in FROM, and of the file in a package without its extension: a letter, then up to 62 of a-z, 0-9 and
   * _.
   */
  name: string
  /** What one row is. Agents, the query page and `catalogue.json` tell it; `projects/describe` does not. */
  about?: string
  /**
   * Columns in order, with their SQL types. Without them, the table keeps the columns and types of its file.
   */
  columns?: Readonly<Record<string, string>>
  /** What columns mean, by their name. */
  meanings: Readonly<Record<string, ColumnMeaning>>
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
  /** Columns that the SQL yields, in order, with their types. Without them, only a snapshot tells. */
  columns?: Readonly<Record<string, string>>
  /** What columns mean, by their name. */
  meanings: Readonly<Record<string, ColumnMeaning>>
  /**
   * Tables, other folds and `point_of_view`, as far as the SQL names them; no other relation resolves in it.
   */
  reads: readonly string[]
  /**
   * One SELECT over `reads`. In a catalogue with a hierarchy, `point_of_view(entity_key, share)` gives the
   * shares, net or gross as the caller asks.
   */
  sql: string
  /** Whether only other folds, and not callers, can name it. */
  internal: boolean
}

/** A relation of the catalogue. */
export type RelationDefinition = TableDefinition | FoldDefinition

/**
 * Defines a table for `defineCatalogue`. Sealing a snapshot enforces the definition. Checks that are left out
 * are not made; `optional` defaults to false.
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
 * A table that says what it holds, to people and to agents.
 * ```ts
 * const orders = defineTable({
 *   name: 'orders',
 *   about: 'An order of a customer, paid or not.',
 *   columns: {
 *     order_id: 'BIGINT',
 *     placed_at: { type: 'TIMESTAMP', about: 'When the customer ordered, in UTC' },
 *     total: { type: 'DECIMAL(12,2)', about: 'What the customer paid, taxes included', unit: 'EUR' },
 *     state: 'VARCHAR',
 *   },
 *   unique: ['order_id'],
 *   values: { state: ['open', 'paid', 'cancelled'] },
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
  /** Name in FROM, and of the file in a package without its extension: `orders` for `orders.csv`. */
  name: string
  /** What one row is: `An order of a customer, paid or not.` */
  about?: string
  /** Columns in order: their SQL types, or types with what they mean. Default: those of the file. */
  columns?: Readonly<Record<string, ColumnDefinition>>
  /** Columns that must not be NULL. */
  required?: readonly string[]
  /** Columns that together identify a row. */
  unique?: readonly string[]
  /** Maps a column to the `table.column` that contains each of its values other than NULL. */
  references?: Readonly<Record<string, string>>
  /** Maps a column of numbers to the range that contains each of its values other than NULL. */
  ranges?: Readonly<Record<string, ValueRange>>
  /** Maps a column to the list that contains each of its values other than NULL. */
  values?: Readonly<Record<string, readonly string[]>>
  /** Columns of which a broken reference, range or list of values is a warning. */
  warnings?: readonly string[]
  /** Whether a snapshot may lack the table, which is then empty. Default: false. */
  optional?: boolean
}): TableDefinition {
  const unchecked = { required: [], unique: [], references: {}, ranges: {}, values: {}, warnings: [] }
  const { columns, ...rest } = table
  return { kind: 'table', ...unchecked, optional: false, ...rest, ...readColumns(columns) }
}

/** Separates the types of columns from what they mean. What is no object is left for `defineCatalogue` to refuse. */
function readColumns(columns: Readonly<Record<string, ColumnDefinition>> | undefined) {
  const meanings: Record<string, ColumnMeaning> = {}
  if (columns === undefined) return { meanings }
  if (columns === null || typeof columns !== 'object' || Array.isArray(columns))
    return { columns, meanings } as never
  const types: Record<string, string> = {}
  for (const [name, column] of Object.entries(columns)) {
    const { type, ...meaning } = typeof column === 'object' && column !== null ? column : { type: column }
    types[name] = type
    if (Object.keys(meaning).length > 0) meanings[name] = meaning
  }
  return { columns: types, meanings }
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
 * Defines a relation for `defineCatalogue` that `sql` computes from what it `reads`, once per snapshot, or, if
 * it reads `point_of_view`, for each point of view. `internal` defaults to false.
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
  /** Name in FROM. */
  name: string
  /** What one row is: `Revenue of one month, in EUR.` */
  about: string
  /** Columns that the SQL yields, in order: their types, or types with what they mean. */
  columns?: Readonly<Record<string, ColumnDefinition>>
  /** Tables, folds defined before it, and `point_of_view`, as far as the SQL names them. */
  reads: readonly string[]
  /** One SELECT over `reads`. */
  sql: string
  /** Whether only other folds, and not callers, can name it. Default: false. */
  internal?: boolean
}): FoldDefinition {
  const { columns, ...rest } = fold
  return { kind: 'fold', internal: false, ...rest, ...readColumns(columns) }
}
