import { DuckDBInstance } from '@duckdb/node-api'
import { type Overload, overloads } from './calls.js'
import { SAME, TEMPLATES } from './edges.js'
import { FORMS, IN_RANGE, OF_NUMBERS, VALUES } from './forms.js'

/** Functions that only a window has, with arguments that the guard takes. */
const WINDOW_CALLS = [
  ...['row_number()', 'rank()', 'dense_rank()', 'percent_rank()', 'cume_dist()', 'ntile(1)', 'ntile(7)'],
  ...['lag($)', 'lag($, 3)', 'lag($, -2)', 'lead($, 1)', 'lead($, 1000000000)', 'first_value($)', 'last_value($)'],
  ...['nth_value($, 2)', 'first_value($ IGNORE NULLS)', 'lag($ IGNORE NULLS)'],
]
const BOUNDS = [
  'UNBOUNDED PRECEDING',
  '2 PRECEDING',
  '0 PRECEDING',
  'CURRENT ROW',
  '1 FOLLOWING',
  '4 FOLLOWING',
  'UNBOUNDED FOLLOWING',
]
/** Sizes of frames over days that the guard puts in order, and that it refuses since they have none. */
const SPANS = ['INTERVAL 1 YEAR', 'INTERVAL 361 DAY', 'INTERVAL 1 MONTH', "INTERVAL '30' DAY", 'INTERVAL 0 DAY', '31']
const SPANNED = ['PRECEDING', 'FOLLOWING'].flatMap(side => SPANS.map(span => `${span} ${side}`))
const EXCLUDED = ['', 'EXCLUDE CURRENT ROW', 'EXCLUDE TIES', 'EXCLUDE GROUP']
const KINDS = Object.keys(VALUES)
const ROWS = 20
const PLACES = Array.from({ length: 4096 }, (_, place) => place)
/** More than a vector of the engine has, of which only the first row may have been written. */
const REPEATED = 130
/** Rows without columns. */
const ROWS_ALONE = 600

/** A statement, and the function that it is about. */
export interface DirtyStatement {
  sql: string
  about: string
}

/**
 * Random statements that make the engine return what it has not written: every function, cast and operator with edge
 * values in every position, constant, in columns with NULL in the first and in later rows, NULL throughout, nested,
 * aggregated, and over frames. A seed always yields the same ones.
 */
export class DirtyStatements {
  readonly functions: ReadonlySet<string>
  readonly #overloads: readonly Overload[]
  #state: number
  #at = 0

  private constructor(found: readonly Overload[], seed: number) {
    this.#state = seed
    const known = found.filter(({ types }) => types.every(type => type === 'LAMBDA' || this.#typesOf(type).length > 0))
    this.#overloads = this.#shuffled(known)
    this.functions = new Set(this.#overloads.map(({ name }) => name))
  }

  static async open(seed: number): Promise<DirtyStatements> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    const found = [...(await overloads(await instance.connect())), ...FORMS]
    instance.closeSync()
    return new DirtyStatements(found, seed)
  }

  next(): DirtyStatement {
    // In turn, so that a short run reaches each of them.
    const overload = this.#overloads[this.#at++ % this.#overloads.length] as Overload
    const columns: string[][] = []
    const { isAggregate, name } = overload
    const call = this.#call(overload, columns, 0)
    const window = this.#one([0, 1, 2, 3])
    if (window === 0) {
      const argument = this.#argument(this.#one(KINDS), columns)
      const written = isAggregate ? call : this.#one(WINDOW_CALLS).replaceAll('$', argument)
      return {
        about: isAggregate ? name : written.replace(/\(.*/, ''),
        sql: this.#read(`${written} OVER ${this.#window()}`, columns),
      }
    }
    if (isAggregate) return { about: name, sql: this.#aggregated(call, columns) }
    const value = window === 1 ? this.#one(TEMPLATES).replaceAll('$', call) : call
    return { about: name, sql: this.#read(value, columns) }
  }

  #call({ name, types, isAggregate }: Overload, columns: string[][], depth: number): string {
    // Mostly of one kind: few functions take any two.
    const kind = types.some(type => type.endsWith('[]')) ? 'VARCHAR' : this.#one(KINDS)
    const written = types.map((type, at) => {
      if (type === 'LAMBDA') return this.#one(['lambda x: x', 'lambda x: NULL', 'lambda x, i: i'])
      const isAny = type === 'ANY' || type === 'T'
      const read = isAny && this.#one([0, 1, 2, 3]) > 0 ? kind : this.#one(this.#typesOf(type))
      if (depth === 0 && this.#one([0, 1, 2, 3]) === 0) return this.#call(this.#one(this.#overloads), columns, 1)
      const inRange = at === types.length - 1 ? IN_RANGE[name] : undefined
      if (inRange && this.#one([0, 1, 2, 3]) > 0) return this.#one(inRange)
      // Many aggregates take constants alone after their first argument.
      if (isAggregate && at > 0 && this.#one([0, 1, 2]) > 0) return this.#one(VALUES[read] ?? ['NULL'])
      const argument = this.#argument(read, columns)
      const numbers = at === 0 ? OF_NUMBERS[name] : undefined
      return numbers ? `CAST(${argument} AS ${this.#one(numbers)})` : argument
    })
    if (name.includes('$')) return `(${name.replace(/\$(\d)/g, (_, at) => `(${written[at - 1]})`)})`
    return `${name}(${written.join(', ')})`
  }

  /** A literal, a NULL of the type, a NULL that is computed, or a column. */
  #argument(type: string, columns: string[][]): string {
    const values = VALUES[type] ?? ['NULL']
    switch (this.#one([0, 1, 2, 3, 3, 3])) {
      case 0:
        return this.#one(values)
      case 1:
        return `CASE WHEN false THEN ${this.#one(values)} END`
      case 2:
        return `CASE WHEN i < 0 THEN ${this.#one(values)} END`
      default: {
        const empty = this.#one([0, 1, ROWS]) // NULL in no row, in the first one, or in all of them
        columns.push(Array.from({ length: ROWS }, (_, row) => (row < empty ? 'NULL' : this.#one(values))))
        return `c${columns.length - 1}`
      }
    }
  }

  /** Returns each value of an expression as bytes, and how many rows have it. */
  #read(value: string, columns: readonly string[][]): string {
    // Half of them have NULL where a row fails, which fails the others as a whole.
    const written = this.#one([false, true]) && !value.includes('OVER') ? `TRY(${value})` : value
    const bytes = `hex(encode(CAST(${written} AS VARCHAR))) AS x`
    return `SELECT x, count(*) AS n FROM (SELECT ${bytes} FROM ${from(columns)}) GROUP BY x ORDER BY x LIMIT 50`
  }

  #aggregated(call: string, columns: readonly string[][]): string {
    const form = this.#one([0, 1, 2, 3])
    const inner = call.slice(0, -1)
    const written =
      form === 1
        ? `${call} FILTER (WHERE i % 5 < 2)`
        : form === 2
          ? `${inner} ORDER BY i)`
          : form === 3
            ? call.replace('(', '(DISTINCT ')
            : call
    const group = this.#one(['', 'GROUP BY i % 3', 'GROUP BY i % 200', 'GROUP BY i', 'WHERE false'])
    return `SELECT DISTINCT hex(encode(CAST(x AS VARCHAR))) AS x FROM (SELECT ${written} AS x FROM ${from(columns)} ${group}) ORDER BY x LIMIT 50`
  }

  #window(): string {
    if (this.#one([0, 1, 2, 3]) === 0) {
      const [start, end] = [this.#one([...SPANNED, 'CURRENT ROW']), this.#one([...SPANNED, 'CURRENT ROW'])]
      return `(ORDER BY DATE '2024-01-01' + i::INTEGER RANGE BETWEEN ${start} AND ${end} ${this.#one(EXCLUDED)})`
    }
    const from = this.#one([0, 1, 2, 3, 4, 5])
    const to = this.#one(BOUNDS.slice(Math.max(from, 1)))
    const mode = this.#one(['ROWS', 'GROUPS', 'RANGE'])
    const frame = `${mode} BETWEEN ${BOUNDS[from]} AND ${to} ${this.#one(EXCLUDED)}`
    return `(${this.#one(['', 'PARTITION BY i % 3'])} ORDER BY i ${this.#one(['', frame, frame])})`
  }

  #shuffled<Item>(items: readonly Item[]): Item[] {
    const keyed = items.map(item => [this.#one(PLACES), item] as const)
    return keyed.sort(([a], [b]) => a - b).map(([, item]) => item)
  }

  #typesOf(type: string): readonly string[] {
    if (type === 'ANY' || type === 'T') return KINDS
    const read = VALUES[type] ? type : (SAME[type] ?? type)
    return VALUES[read] ? [read] : []
  }

  #one<Item>(items: readonly Item[]): Item {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0
    return items[Math.floor((this.#state / 2 ** 32) * items.length)] as Item
  }
}

function from(columns: readonly string[][]): string {
  if (columns.length === 0) return `range(${ROWS_ALONE}) t(i)`
  const rows = Array.from({ length: ROWS }, (_, row) => `(${row}, ${columns.map(values => values[row]).join(', ')})`)
  const names = ['r', ...columns.map((_, index) => `c${index}`)].join(', ')
  return `(SELECT *, r + ${ROWS} * k AS i FROM (VALUES ${rows.join(', ')}) v(${names}), range(${REPEATED}) t(k))`
}
