import { fileLiteral, identifier } from 'foldgate/internal'
import type { ColumnDifference } from './difference.js'

/** A column of a Parquet file, with its SQL type. */
export interface FileColumn {
  name: string
  type: string
}

/** The Parquet file of a table, or its files, and its columns. */
export interface ComparedFile {
  path: string | readonly string[]
  columns: readonly FileColumn[]
}

/** DuckDB holds an interval of a month to be equal to one of 30 days. */
const COMPARED_AS_TEXT = /\bINTERVAL\b/
/** Longer values are cut. */
const MOST_CHARACTERS = 1000

/**
 * The statements that compare two files of a table. Columns that both have are named c0, c1 and so on, so
 * that no name in a file can clash with another one. Values of a column with two types are compared as text.
 */
export class ComparisonSql {
  /** Names of the columns that both files have. */
  readonly common: readonly string[]
  /** The columns of only one file, and those with another type. */
  readonly columns: Omit<ColumnDifference, 'changed'>
  /** Places in `common` of the columns that identify a row; null when whole rows are compared. */
  readonly key: readonly number[] | null
  /** The other places in `common`. */
  readonly rest: readonly number[]
  readonly #from: ComparedFile
  readonly #to: ComparedFile
  readonly #asText: ReadonlySet<string>

  constructor(from: ComparedFile, to: ComparedFile, key: readonly string[]) {
    const typeIn = (file: ComparedFile, name: string) =>
      file.columns.find(column => column.name === name)?.type
    const inBoth = from.columns.flatMap(({ name, type }) => {
      const other = typeIn(to, name)
      return other === undefined ? [] : [{ name, from: type, to: other }]
    })
    this.#from = from
    this.#to = to
    this.common = inBoth.map(({ name }) => name)
    this.columns = {
      added: to.columns.map(({ name }) => name).filter(name => !this.common.includes(name)),
      removed: from.columns.map(({ name }) => name).filter(name => !this.common.includes(name)),
      retyped: inBoth.filter(column => column.from !== column.to),
    }
    const asText = inBoth.filter(column => column.from !== column.to || COMPARED_AS_TEXT.test(column.from))
    this.#asText = new Set(asText.map(({ name }) => name))
    const places = key.map(name => this.common.findIndex(each => each.toLowerCase() === name.toLowerCase()))
    this.key = places.length > 0 && !places.includes(-1) ? places : null
    this.rest = this.common.map((_, place) => place).filter(place => !this.key?.includes(place))
  }

  /** One row: whether a key occurs twice in either file. */
  duplicates(key: readonly number[]): string {
    const twice = (rows: string) => `EXISTS (SELECT 1 FROM ${rows} GROUP BY ${list(key)} HAVING count(*) > 1)`
    return `SELECT ${twice(this.#rows(this.#from))} OR ${twice(this.#rows(this.#to))}`
  }

  /** One row: the rows of both files. */
  totals(): string {
    return `SELECT (SELECT count(*) FROM ${scan(this.#from)}), (SELECT count(*) FROM ${scan(this.#to)})`
  }

  /** One row: rows added, removed and changed, then the rows in which each column of `rest` changed. */
  countsByKey(key: readonly number[]): string {
    const count = (condition: string) => `count(*) FILTER (WHERE ${condition})`
    const changes = this.rest.map(place => `a.here AND b.here AND ${isChanged(place)}`)
    const counted = [
      'a.here IS NULL',
      'b.here IS NULL',
      this.#isAnyChanged('a.here AND b.here AND '),
      ...changes,
    ]
    const [from, to] = [this.#rows(this.#from), this.#rows(this.#to)]
    return `SELECT ${counted.map(count).join(', ')} FROM ${from} a FULL JOIN ${to} b ON ${matches(key)}`
  }

  /** One row: rows added and removed, of which equal ones count as often as they occur. */
  countsOfRows(): string {
    return `SELECT ${['n', '-n'].map(n => `CAST(coalesce(sum(greatest(${n}, 0)), 0) AS BIGINT)`).join(', ')} FROM ${this.#surplus()}`
  }

  /** The rows of one file only: how often they occur, and values of {@link columnsOf}. */
  rowsOfOne(side: 'from' | 'to', key: readonly number[], limit: number): string {
    const [own, other] = side === 'from' ? [this.#from, this.#to] : [this.#to, this.#from]
    const shown = this.columnsOf(side).map((_, place) => text(`a.c${place}`))
    const rows = `${this.#rows(own, this.columnsOf(side))} a ANTI JOIN ${this.#rows(other)} b ON ${matches(key)}`
    return `SELECT 1, ${shown.join(', ')} FROM ${rows} ORDER BY ${list(key, 'a.')} LIMIT ${limit}`
  }

  /** The rows that occur more often in one file: by how much, and values of `common`. */
  surplusOf(side: 'from' | 'to', limit: number): string {
    const n = side === 'from' ? '-n' : 'n'
    const places = this.common.map((_, place) => place)
    const shown = places.map(place => text(`c${place}`)).join(', ')
    return `SELECT CAST(${n} AS BIGINT), ${shown} FROM ${this.#surplus()} WHERE ${n} > 0 ORDER BY ${list(places)} LIMIT ${limit}`
  }

  /**
   * The rows that changed: values of `key`, then for each place in `rest` whether it changed, the old and new
   * value.
   */
  changedRows(key: readonly number[], limit: number): string {
    const values = this.rest.flatMap(place => [isChanged(place), text(`a.c${place}`), text(`b.c${place}`)])
    const shown = [...key.map(place => text(`a.c${place}`)), ...values].join(', ')
    const rows = `${this.#rows(this.#from)} a JOIN ${this.#rows(this.#to)} b ON ${matches(key)}`
    return `SELECT ${shown} FROM ${rows} WHERE ${this.#isAnyChanged()} ORDER BY ${list(key, 'a.')} LIMIT ${limit}`
  }

  /** The columns of a file: `common` first, then its own. */
  columnsOf(side: 'from' | 'to'): string[] {
    return [...this.common, ...(side === 'from' ? this.columns.removed : this.columns.added)]
  }

  #isAnyChanged(given = ''): string {
    return `${given}(${this.rest.map(isChanged).join(' OR ') || 'false'})`
  }

  /** The rows of a file, marked as `here`. */
  #rows(file: ComparedFile, columns = this.common): string {
    return `(SELECT true AS here, ${this.#values(columns)} FROM ${scan(file)})`
  }

  /**
   * Each row that does not occur equally often in both files; `n` is how much more often it is in the second
   * one.
   */
  #surplus(): string {
    const values = this.#values(this.common)
    const both = [`-1 AS n FROM ${scan(this.#from)}`, `1 AS n FROM ${scan(this.#to)}`]
    const rows = both.map(one => `SELECT ${values}, ${one}`).join(' UNION ALL ')
    const places = list(this.common.map((_, place) => place))
    return `(SELECT ${places}, sum(n) AS n FROM (${rows}) GROUP BY ${places} HAVING sum(n) <> 0)`
  }

  #values(columns: readonly string[]): string {
    const value = (name: string) =>
      this.#asText.has(name) ? `CAST(${identifier(name)} AS VARCHAR)` : identifier(name)
    return columns.map((name, place) => `${value(name)} AS c${place}`).join(', ')
  }
}

/**
 * Reads one file, or several as one, whose paths may have characters that DuckDB would take for a pattern or
 * a partition.
 */
export function scan({ path }: Pick<ComparedFile, 'path'>): string {
  const paths = [path].flat().map(fileLiteral)
  return `read_parquet([${paths.join(', ')}], hive_partitioning = false)`
}

/** NULL matches NULL, as in the check for rows that come twice. */
function matches(key: readonly number[]): string {
  return key.map(place => `a.c${place} IS NOT DISTINCT FROM b.c${place}`).join(' AND ')
}

function isChanged(place: number): string {
  return `a.c${place} IS DISTINCT FROM b.c${place}`
}

/** One character more than is shown, which tells that there are more. */
function text(value: string): string {
  return `left(CAST(${value} AS VARCHAR), ${MOST_CHARACTERS + 1})`
}

/** Cuts a value that is too long. */
export function cut(value: string): string {
  const characters = [...value]
  return characters.length > MOST_CHARACTERS ? `${characters.slice(0, MOST_CHARACTERS).join('')}…` : value
}

function list(places: readonly number[], prefix = ''): string {
  return places.map(place => `${prefix}c${place}`).join(', ')
}
