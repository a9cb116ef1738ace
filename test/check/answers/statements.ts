import { Combinations } from './combinations.js'
import { Draw } from './draw.js'
import { Expressions } from './expressions.js'
import { type Source, Sources } from './sources.js'
import type { Table, Value } from './tables.js'

/** A column of a generated query. */
export interface Named extends Value {
  name: string
}

/** A generated query; `sql` has no order of its own, or one that is unique. */
export interface Query {
  sql: string
  columns: readonly Named[]
  /** Columns that identify a row; null when none are known to. */
  unique: readonly string[] | null
  rows: number
}

/** A key of an ORDER BY clause. */
export interface Key {
  column: string
  written: string
}

/** A statement, and the order that it asks for. */
export interface Statement {
  sql: string
  /** Its keys, which are columns of it; none when the rows have no order. */
  keys: readonly Key[]
  columns: readonly Named[]
  /** A condition over its columns. */
  condition: string
}

/** Kinds that can be sorted and compared alike by every way of answering. */
const SORTED = ['blob', 'integer', 'decimal', 'double', 'date', 'timestamp', 'text', 'boolean', 'struct']

/** Generates statements that have one right answer, up to the order of rows that their keys leave open. */
export class Statements {
  readonly #draw: Draw
  readonly #expressions: Expressions
  readonly #sources: Sources
  readonly #combinations: Combinations

  constructor(seed: number, tables?: readonly Table[]) {
    this.#draw = new Draw(seed)
    this.#expressions = new Expressions(this.#draw)
    const query = (depth: number) => this.#query(depth)
    this.#sources = new Sources(this.#draw, this.#expressions, query, tables)
    this.#combinations = new Combinations(this.#draw, this.#expressions, this.#sources, query)
  }

  next(): Statement {
    const query = this.#draw.chance(12) ? this.#combinations.twice() : this.#query(this.#draw.pick([0, 1, 1, 2]))
    const { columns } = query
    const own = columns.map(column => ({ ...column, sql: column.name }))
    const condition = this.#expressions.condition(own, 1)
    const isOpen = !/\bLIMIT \d+( OFFSET \d+)?$/.test(query.sql)
    if (!isOpen || this.#draw.chance(25)) return { sql: query.sql, keys: [], columns, condition }
    const keys = this.#keys(columns, query.unique, this.#draw.chance(60))
    const isWhole = query.unique?.every(name => keys.some(({ column }) => column === name)) ?? false
    const range = isWhole && this.#draw.chance(30) ? this.#range() : ''
    const isPlain = !/ (UNION|EXCEPT|INTERSECT)/.test(query.sql) && !query.sql.includes('ORDER BY')
    const sorted = isPlain || this.#draw.chance(50) ? query.sql : `SELECT * FROM (${query.sql}) AS q`
    return {
      sql: `${sorted} ORDER BY ${keys.map(({ written }) => written).join(', ')}${range}`,
      keys,
      columns,
      condition,
    }
  }

  #range(): string {
    const limit = this.#draw.pick([1, 10, 100, 900, 2_500])
    return ` LIMIT ${limit}${this.#draw.chance(40) ? ` OFFSET ${this.#draw.pick([1, 7, 100, 2_000])}` : ''}`
  }

  /** Keys of an order: some columns, then those that identify a row when it `isWhole`. */
  #keys(columns: readonly Named[], unique: readonly string[] | null, isWhole: boolean): Key[] {
    const sorted = columns.filter(({ kind }) => SORTED.includes(kind))
    const first = this.#draw.some(sorted, this.#draw.pick([1, 1, 2, 3])).map(({ name }) => name)
    const rest = isWhole ? (unique ?? []).filter(name => !first.includes(name)) : []
    const names = [...first, ...rest]
    if (names.length === 0) names.push((columns[0] as Named).name)
    return names.map(column => {
      const nulls = this.#draw.pick(['', '', ' NULLS FIRST', ' NULLS LAST'])
      return { column, written: `${column}${this.#draw.pick(['', ' DESC', ' DESC', ' ASC'])}${nulls}` }
    })
  }

  #query(depth: number): Query {
    if (depth > 0 && this.#draw.chance(15)) return this.#combinations.combined(depth)
    const source = this.#sources.source(depth)
    const conditions = [...source.where]
    for (let more = this.#draw.pick([0, 0, 0, 0, 1, 1, 2]); more > 0; more--)
      conditions.push(this.#expressions.condition(source.columns))
    const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''
    const rest = `FROM ${source.from}${where}`
    switch (this.#draw.below(10)) {
      case 0:
      case 1:
        return this.#grouped(source, rest)
      case 2:
        return this.#distinct(source, rest)
      case 3:
      case 4:
        return this.#windowed(source, rest)
      default:
        return this.#plain(source, rest)
    }
  }

  #plain(source: Source, rest: string): Query {
    const { columns, unique } = this.#projected(source, 85)
    const query = { sql: `SELECT ${written(columns)} ${rest}`, columns: renamed(columns), unique, rows: source.rows }
    if (unique === null || !this.#draw.chance(20)) return query
    const keys = this.#keys(query.columns, unique, true)
    const limited = `${query.sql} ORDER BY ${keys.map(key => key.written).join(', ')}${this.#range()}`
    return { ...query, sql: limited, rows: Math.min(source.rows, 2_500) }
  }

  /** Some values, and in so many of a hundred queries what identifies a row. */
  #projected(source: Source, percent: number): { columns: Named[]; unique: string[] | null } {
    const count = this.#draw.pick([1, 2, 2, 3, 4])
    const values = Array.from({ length: count }, () => this.#expressions.value(source.columns))
    const isWhole = source.unique !== null && this.#draw.chance(percent)
    const keys = isWhole ? source.columns.filter(({ sql }) => source.unique?.includes(sql)) : []
    const columns = [...values, ...keys].map((value, at) => ({ ...value, name: `c${at}` }))
    return { columns, unique: isWhole ? columns.slice(values.length).map(({ name }) => name) : null }
  }

  #grouped(source: Source, rest: string): Query {
    const keys = this.#draw
      .some(source.columns, this.#draw.pick([1, 1, 2]))
      .map(column => (this.#draw.chance(40) ? this.#expressions.value([column], 1) : column))
    const counted = Array.from({ length: this.#draw.pick([1, 2, 3]) }, () => this.#aggregate(source))
    const columns = [...keys, ...counted].map((value, at) => ({ ...value, name: `c${at}` }))
    const [isRolled, isHaving] = [this.#draw.chance(15), this.#draw.chance(25)]
    const by = keys.map(({ sql }) => sql).join(', ')
    const having = isHaving ? ` HAVING ${this.#expressions.condition([this.#aggregate(source)], 0)}` : ''
    return {
      sql: `SELECT ${written(columns)} ${rest} GROUP BY ${isRolled ? `ROLLUP (${by})` : by}${having}`,
      columns: renamed(columns),
      unique: isRolled ? null : keys.map((_, at) => `c${at}`),
      rows: Math.min(source.rows, ...keys.map(({ distinct }) => distinct * 20)),
    }
  }

  #aggregate({ columns, rows }: Source): Value {
    const value = this.#expressions.value(columns, 1)
    const filter = this.#draw.chance(15) ? ` FILTER (WHERE ${this.#expressions.condition(columns, 0)})` : ''
    if (this.#draw.chance(30)) return { sql: `count(*)${filter}`, kind: 'integer', low: 0, high: rows, distinct: 50 }
    if (value.kind === 'integer' && this.#draw.chance(60)) {
      const most = rows * Math.max(1, Math.abs(value.low), Math.abs(value.high))
      const bounds = { low: -most, high: most, distinct: 500 }
      return { ...value, ...bounds, sql: `sum((${value.sql})${this.#draw.pick(['', ' + 1', '::HUGEINT'])})${filter}` }
    }
    const isPlain = !['struct', 'list'].includes(value.kind)
    if (isPlain && this.#draw.chance(70))
      return { ...value, sql: `${this.#draw.pick(['min', 'max'])}(${value.sql})${filter}` }
    const counts = { kind: 'integer', low: 0, high: rows, distinct: 50 } as const
    return { sql: `count(DISTINCT ${value.sql})${filter}`, ...counts }
  }

  #distinct(source: Source, rest: string): Query {
    const { columns, unique } = this.#projected(source, 50)
    const [first] = columns as [Named, ...Named[]]
    if (unique !== null && SORTED.includes(first.kind)) {
      const order = [first.name, ...this.#keys(columns.slice(1), unique, true).map(key => key.written)].join(', ')
      const sql = `SELECT DISTINCT ON (${first.sql}) ${written(columns)} ${rest} ORDER BY ${order}`
      return {
        sql: `SELECT * FROM (${sql}) AS q`,
        columns: renamed(columns),
        unique: [first.name],
        rows: Math.min(first.distinct, source.rows),
      }
    }
    const sql = `SELECT DISTINCT ${written(columns)} ${rest}`
    return { sql, columns: renamed(columns), unique: columns.map(({ name }) => name), rows: source.rows }
  }

  #windowed(source: Source, rest: string): Query {
    const { columns, unique } = this.#projected(source, 90)
    const { sql: by } = this.#draw.pick(source.columns)
    const partition = this.#draw.chance(60) ? `PARTITION BY ${this.#draw.chance(5) ? `${by}, ${by}` : by} ` : ''
    const sorted = source.columns.filter(({ kind }) => SORTED.includes(kind))
    const first = this.#draw.pick(sorted.length > 0 ? sorted : source.columns)
    const direction = this.#draw.pick(['', ' DESC', ' DESC NULLS LAST', ' NULLS FIRST'])
    const ties = `${partition}ORDER BY ${first.sql}${direction}`
    const over = source.unique === null ? null : [ties, ...source.unique].join(', ')
    const value = this.#expressions.value(source.columns, 1)
    const counted = (sql: string): Value => ({ sql, kind: 'integer', low: 0, high: source.rows, distinct: source.rows })
    const choices: Value[] = [
      counted(`rank() OVER (${ties})`),
      counted(`count(${value.sql}) OVER (${ties})`),
      counted(`dense_rank() OVER (${ties})`),
    ]
    if (!['struct', 'list'].includes(value.kind))
      choices.push({ ...value, sql: `max(${value.sql}) OVER (${partition})` })
    if (over !== null) {
      const named = this.#draw.pick(['lag', 'lead', 'first_value', 'last_value'])
      choices.push({ ...value, sql: `${named}(${value.sql}) OVER (${over})` })
      choices.push(...Array(3).fill(counted(`row_number() OVER (${over})`)))
      choices.push(counted(`count(*) OVER (${over} ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)`))
    }
    const windows = this.#draw
      .some(choices, this.#draw.pick([1, 1, 2]))
      .map((each, at) => ({ ...each, name: `w${at}` }))
    const all = [...columns, ...windows]
    const [chosen] = windows as [Named, ...Named[]]
    const isQualified = chosen.kind === 'integer' && this.#draw.chance(50)
    const most = this.#draw.pick([1, 2, 3, 50])
    const qualify = isQualified ? ` QUALIFY ${chosen.sql} ${this.#draw.pick(['<=', '<=', '='])} ${most}` : ''
    const shown = isQualified && this.#draw.chance(50) ? columns : all
    return { sql: `SELECT ${written(shown)} ${rest}${qualify}`, columns: renamed(shown), unique, rows: source.rows }
  }
}

/** Columns as a SELECT has them. */
export const written = (columns: readonly Named[]) => columns.map(({ sql, name }) => `${sql} AS ${name}`).join(', ')
/** Columns as those of the query around have them. */
export const renamed = (columns: readonly Named[]) => columns.map(column => ({ ...column, sql: column.name }))
