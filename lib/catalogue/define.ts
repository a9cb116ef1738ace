import type {
  ColumnDefinition,
  FoldDefinition,
  MeasureDefinition,
  RelationDefinition,
  TableColumnDefinition,
  TableDefinition,
  TableRowLimits,
  ValueRange,
} from './definitions.js'
import { mustBeFields, readColumns, readTableColumns } from './read-columns.js'

/**
 * Defines a table for `defineCatalogue`. Sealing a snapshot enforces the definition. Checks that are left out are not
 * made; `optional` defaults to false.
 *
 * @param table - Its name, and what is known of its columns.
 * @returns The definition, with defaults in place of what was left out.
 * @throws TypeError when it is given no object. `defineCatalogue` refuses the other mistakes.
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
  /**
   * Name in FROM, and of the file in a package without its extension: `orders` for `orders.csv`. A letter, then
   * up to 62 of a-z, 0-9 and _.
   */
  name: string
  /** What one row is: `An order of a customer, paid or not.` Default: not told. */
  about?: string
  /**
   * Columns in order: their SQL types, such as `DECIMAL(12,2)`, or types with what they mean, and with `lossy: true`
   * where a value may be stored that the type holds only in part. Default: the columns and types of the file.
   */
  columns?: Readonly<Record<string, TableColumnDefinition>>
  /** Columns that must not be NULL. Default: any may be. */
  required?: readonly string[]
  /** Columns that together identify a row: no two rows have the same values in all of them. Default: none. */
  unique?: readonly string[]
  /** Maps a column to the `table.column` that contains each of its values other than NULL. Default: none. */
  references?: Readonly<Record<string, string>>
  /**
   * Maps a column of numbers to the range, ends included, that contains each of its values other than NULL.
   * Default: none.
   */
  ranges?: Readonly<Record<string, ValueRange>>
  /** Maps a column to the list that contains each of its values other than NULL. Default: none. */
  values?: Readonly<Record<string, readonly string[]>>
  /** Numbers that are computed from its rows, by their names, which are like those of relations. Default: none. */
  measures?: Readonly<Record<string, MeasureDefinition>>
  /**
   * Columns of which a broken reference, range or list of values is a warning in the manifest, and no reason not
   * to seal. Default: none.
   */
  warnings?: readonly string[]
  /** Whether a snapshot may lack the table, which is then empty. Default: false. */
  optional?: boolean
  /**
   * How callers are limited to some rows, by the `rowLimits` of the catalogue: the column that carries a limit
   * (`{ department: 'department_id' }`), or `{ through: … }` a column that `references` another table, whose limit it
   * takes; `'none'` where everybody sees all rows. Default: callers with row limits cannot read the table.
   */
  rowLimits?: TableRowLimits
}): TableDefinition {
  mustBeFields(table, 'defineTable takes the fields of a table: { name, columns, … }')
  const unchecked = {
    required: [],
    unique: [],
    references: {},
    ranges: {},
    values: {},
    measures: {},
    warnings: [],
  }
  const { columns, ...rest } = table
  return { kind: 'table', ...unchecked, optional: false, ...rest, ...readTableColumns(columns) }
}

/**
 * Defines tables that keep the columns and types of their files.
 *
 * @param names - Names of the tables, as in {@link defineTable}.
 * @returns A definition per name, in the same order. `defineCatalogue` refuses invalid names.
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
 * Defines a relation for `defineCatalogue` that `sql` computes from what it `reads`, once per snapshot, or, if it reads
 * `point_of_view`, for each point of view. `columns`, `unique`, `references` and `values` are told to callers; sealing
 * does not enforce them.
 *
 * @param fold - Its name, what it reads, and its SQL.
 * @returns The definition, with defaults in place of what was left out.
 * @throws TypeError when it is given no object. `defineCatalogue` refuses the other mistakes, and `checkCatalogue`
 * wrong SQL.
 *
 * @example
 * ```ts
 * const revenue = defineFold({
 *   name: 'revenue',
 *   about: 'One country and month, with what its customers paid.',
 *   columns: {
 *     country: { type: 'VARCHAR', about: 'ISO 3166-1 alpha-3 code' },
 *     month: 'DATE',
 *     paid: { type: 'DECIMAL(38,2)', about: 'Sum of the paid orders, taxes included', unit: 'EUR' },
 *   },
 *   unique: ['country', 'month'],
 *   references: { country: 'countries.code' },
 *   reads: ['orders', 'customers'],
 *   sql: `SELECT c.country, date_trunc('month', o.placed_on) AS month, sum(o.total) AS paid
 *         FROM orders o JOIN customers c USING (customer_id) WHERE o.state = 'paid' GROUP BY ALL ORDER BY ALL`,
 * })
 * ```
 *
 * @example
 * Over the point of view, in a catalogue with a hierarchy.
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
  /** Name in FROM: a letter, then up to 62 of a-z, 0-9 and _. */
  name: string
  /** What one row is: `One country and month, with what its customers paid.` `projects/describe` returns it. */
  about: string
  /**
   * Columns that the SQL yields, in order: their SQL types, or types with what they mean. Default: only a
   * snapshot tells them.
   */
  columns?: Readonly<Record<string, ColumnDefinition>>
  /** Columns that together identify a row. Default: not told. */
  unique?: readonly string[]
  /** Maps a column to the `relation.column`, of a table or of a public fold, to join it with. Default: none. */
  references?: Readonly<Record<string, string>>
  /** Maps a column to the list of its values other than NULL. Default: not told. */
  values?: Readonly<Record<string, readonly string[]>>
  /** Numbers that are computed from its rows, by their names, which are like those of relations. Default: none. */
  measures?: Readonly<Record<string, MeasureDefinition>>
  /** Tables, folds defined before it, and `point_of_view`, as far as the SQL names them. */
  reads: readonly string[]
  /** One SELECT over `reads`. */
  sql: string
  /** Whether only other folds, and not callers, can name it. Default: false. */
  internal?: boolean
  /**
   * `'none'`: it is computed from all rows, also for callers with row limits, as a published average is. Default: it is
   * computed from the rows that the caller sees.
   */
  rowLimits?: 'none'
}): FoldDefinition {
  mustBeFields(fold, 'defineFold takes the fields of a fold: { name, about, reads, sql, … }')
  const { columns, ...rest } = fold
  const untold = { unique: [], references: {}, values: {}, measures: {} }
  return { kind: 'fold', ...untold, internal: false, ...rest, ...readColumns(columns) }
}

/**
 * The SQL of a measure, in parentheses, to write it into named queries and worked queries: these then compute the number as
 * everybody else is told to.
 *
 * @param relation - The table or fold that has the measure. The statement names it without an alias, or in such a way that
 * the columns of the measure are its own.
 * @param name - Name of the measure.
 * @returns `(sum(paid) - sum(refunded))`
 * @throws TypeError when the relation has no such measure.
 *
 * @example
 * ```ts
 * const orders = defineTable({
 *   name: 'orders',
 *   measures: { revenue: { sql: 'sum(paid) - sum(refunded)', about: 'Paid, less what was given back', unit: 'EUR' } },
 * })
 * const revenue = defineQuery({
 *   name: 'revenue_by_country',
 *   version: 1,
 *   about: 'What did we earn in each country?',
 *   sql: `SELECT country, ${measureOf(orders, 'revenue')} AS revenue FROM orders GROUP BY country ORDER BY country`,
 * })
 * ```
 */
export function measureOf({ name: relation, measures }: RelationDefinition, name: string): string {
  if (Object.hasOwn(measures, name)) return `(${measures[name]?.sql})`
  const known = Object.keys(measures).join(', ') || 'none'
  throw new TypeError(`relation "${relation}" has no measure "${name}"; it has: ${known}`)
}
