import type { ColumnDefinition, ColumnMeaning } from './definitions.js'
import { mustBeFields, readColumns } from './read-columns.js'

/** A value of a parameter other than NULL, in the form in which rows have its type. */
export type QueryValue = string | number | boolean | readonly QueryValue[]

/** A parameter of a named query. */
export interface QueryParameter {
  /** Its SQL type, as in `parameters` of a call: a scalar such as `DATE` or `DECIMAL(12,2)`, or a list as `VARCHAR[]`. */
  type: string
  /** What callers choose by it, in a few words: `Country of delivery, ISO 3166-1 alpha-2`. */
  about: string
  /** All values that callers may send. Default: every value of the type, and NULL. */
  values?: readonly QueryValue[]
  /** The value for callers that send none; null is NULL. Default: callers have to send one. */
  default?: QueryValue | null
}

/** A statement of the catalogue that callers run by its name, without sending SQL. */
export interface QueryDefinition {
  /** Name in paths, methods and tools: words of a-z and 0-9 joined by `_`, such as `revenue_by_country`. */
  name: string
  /** A whole number from 1. A name may have several versions; the greatest one is the newest. */
  version: number
  /** The question that it answers, in one sentence. */
  about: string
  /** Columns of its rows, in order, with their types. Without them, its rows are described without types. */
  columns?: Readonly<Record<string, string>>
  /** What columns mean, by their name. */
  meanings: Readonly<Record<string, ColumnMeaning>>
  /** Parameters by their names, in the order in which they are described. */
  parameters: Readonly<Record<string, QueryParameter>>
  /** One SELECT over relations that callers see. It names a parameter as `$country`. */
  sql: string
  /** Names of queries that are no longer defined, whose callers are told to call this one. */
  replaces: readonly string[]
}

/**
 * Defines a query for `defineCatalogue` that callers run by its name: `POST /public/v1/queries/revenue` runs the newest
 * version, `…/revenue@1` the version 1. Change a query by defining its next version beside it, and remove a version
 * once nobody calls it: its callers are then answered NOT_FOUND, with the version to call instead.
 *
 * @param query - Its name, version, parameters and SQL.
 * @returns The definition, with defaults in place of what was left out.
 * @throws TypeError when it is given no object. `defineCatalogue` refuses the other mistakes, and `checkCatalogue`
 * wrong SQL.
 *
 * @example
 * ```ts
 * const revenue = defineQuery({
 *   name: 'revenue_by_country',
 *   version: 1,
 *   about: 'What did customers of each country pay from a day on?',
 *   parameters: {
 *     since: { type: 'DATE', about: 'First day', default: '2025-01-01' },
 *     channel: { type: 'VARCHAR', about: 'How customers came', values: ['search', 'newsletter'] },
 *   },
 *   columns: {
 *     country: { type: 'VARCHAR', about: 'ISO 3166-1 alpha-2 code' },
 *     paid: { type: 'DECIMAL(38,2)', unit: 'EUR' },
 *   },
 *   sql: `SELECT c.country, sum(o.total) AS paid FROM orders o JOIN customers c USING (customer_id)
 *         WHERE o.placed_on >= $since AND c.channel = $channel GROUP BY c.country ORDER BY c.country`,
 * })
 * ```
 *
 * @example
 * Without parameters, in place of a query with another name.
 * ```ts
 * const months = defineQuery({
 *   name: 'revenue_by_month',
 *   version: 1,
 *   about: 'What did we earn in each month?',
 *   sql: 'SELECT month, revenue FROM monthly_revenue ORDER BY month',
 *   replaces: ['monthly'],
 * })
 * ```
 */
export function defineQuery(query: {
  /**
   * Name in paths, methods and tools: words of a-z and 0-9 joined by `_`, which begin with a letter, at most 48
   * characters.
   */
  name: string
  /** A whole number from 1. A name may have several versions; the greatest one is the newest. */
  version: number
  /** The question that it answers, in one sentence. */
  about: string
  /** Parameters by their names, which are like those of relations. Default: none. */
  parameters?: Readonly<Record<string, QueryParameter>>
  /**
   * Columns of its rows, in order: their SQL types, or types with what they mean. `checkCatalogue` compares them with
   * the SQL. Default: its rows are described without types.
   */
  columns?: Readonly<Record<string, ColumnDefinition>>
  /** One SELECT over relations that callers see. It names a parameter as `$country`. */
  sql: string
  /** Names of queries that are no longer defined, whose callers are told to call this one. Default: none. */
  replaces?: readonly string[]
}): QueryDefinition {
  mustBeFields(query, 'defineQuery takes the fields of a query: { name, version, about, sql, … }')
  const { columns, ...rest } = query
  return { parameters: {}, replaces: [], ...rest, ...readColumns(columns) }
}

/** The name of a query with its version, under which it is called: `revenue@2`. */
export function versioned({ name, version }: QueryDefinition): string {
  return `${name}@${version}`
}

/** The newest version of a name; undefined when no query has the name. */
export function newestOf(queries: readonly QueryDefinition[], name: string): QueryDefinition | undefined {
  return queries
    .filter(query => query.name === name)
    .reduce<QueryDefinition | undefined>(
      (newest, query) => (newest && newest.version > query.version ? newest : query),
      undefined,
    )
}

/** What a name with or without a version stands for: a query, or the one to call instead, if any. */
export function findQuery(
  queries: readonly QueryDefinition[],
  called: string,
): { query: QueryDefinition | undefined; successor?: QueryDefinition | undefined } {
  const [name = ''] = called.split('@', 1)
  const newest = newestOf(queries, name)
  const query = called === name ? newest : queries.find(each => versioned(each) === called)
  if (query) return { query }
  const heir = queries.find(({ replaces }) => replaces.includes(name))
  return { query, successor: newest ?? (heir && newestOf(queries, heir.name)) }
}
