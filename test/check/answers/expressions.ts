import type { Draw } from './draw.js'
import type { Kind, Value } from './tables.js'

/** Integer types, with the bounds that generated values may have in each. */
const INTEGERS: readonly (readonly [string, number, number])[] = [
  ['TINYINT', -128, 127],
  ['UTINYINT', 0, 255],
  ['SMALLINT', -32_768, 32_767],
  ['USMALLINT', 0, 65_535],
  ['INTEGER', -(2 ** 31), 2 ** 31 - 1],
  ['UINTEGER', 0, 2 ** 32 - 1],
  ['BIGINT', -Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ['UBIGINT', 0, Number.MAX_SAFE_INTEGER],
  ['HUGEINT', -Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ['UHUGEINT', 0, Number.MAX_SAFE_INTEGER],
]

const SCALARS: readonly Kind[] = ['blob', 'integer', 'decimal', 'double', 'date', 'timestamp', 'text', 'boolean']

/** Generates values and conditions over columns. No value depends on the order in which rows are read. */
export class Expressions {
  readonly #draw: Draw

  constructor(draw: Draw) {
    this.#draw = draw
  }

  /** A value over some of these columns; `depth` bounds how far it nests. */
  value(columns: readonly Value[], depth = 2): Value {
    const column = this.#draw.pick(columns)
    if (depth === 0) return column
    switch (this.#draw.below(9)) {
      case 0:
      case 1:
        return this.cast(this.#of(columns, SCALARS, depth - 1))
      case 2:
        return this.#part(column)
      case 3:
        return this.#computed(columns, depth)
      case 4: {
        const [left, right] = [this.value(columns, depth - 1), column]
        if (left.kind !== right.kind) return left
        const condition = this.condition(columns, depth - 1)
        const written = this.#draw.pick([
          `CASE WHEN ${condition} THEN ${left.sql} ELSE ${right.sql} END`,
          `coalesce(${left.sql}, ${right.sql})`,
          `if(${condition}, ${right.sql}, NULL)`,
        ])
        return joined(written, left, right)
      }
      default:
        return column
    }
  }

  /** A cast that cannot fail, or a TRY_CAST to any type. */
  cast(value: Value): Value {
    const { kind, sql, low, high } = value
    if (kind === 'integer' || kind === 'decimal') {
      const fitting = INTEGERS.filter(([, least, most]) => low >= least && high <= most)
      if (fitting.length > 0 && this.#draw.chance(45)) {
        const [type] = this.#draw.pick(fitting) as (typeof INTEGERS)[number]
        return { ...value, kind: 'integer', sql: `CAST(${sql} AS ${type})` }
      }
      if (this.#draw.chance(65)) {
        const narrow = INTEGERS.filter(([, least, most]) => low < least || high > most)
        const [type, least, most] = this.#draw.pick(narrow.length > 0 ? narrow : INTEGERS)
        // Where no value fits, any bounds will do.
        const bounds =
          low > most || high < least ? { low: 0, high: 100 } : { low: Math.max(low, least), high: Math.min(high, most) }
        return { ...value, ...bounds, kind: 'integer', sql: `TRY_CAST(${sql} AS ${type})`, distinct: mostlyNull(value) }
      }
      const other = this.#draw.pick(['DECIMAL(18,2)', 'DECIMAL(38,4)', 'VARCHAR', 'DOUBLE', 'TRY DECIMAL(5,2)'])
      if (other === 'VARCHAR') return { ...value, kind: 'text', sql: `CAST(${sql} AS VARCHAR)` }
      if (other === 'DOUBLE') return { ...value, kind: 'double', sql: `CAST(${sql} AS DOUBLE)` }
      if (other.startsWith('TRY'))
        return { ...value, kind: 'decimal', sql: `TRY_CAST(${sql} AS DECIMAL(5,2))`, distinct: mostlyNull(value) }
      return { ...value, kind: 'decimal', sql: `CAST(${sql} AS ${other})` }
    }
    if (kind === 'text') {
      const [type, low, high] = this.#draw.pick(INTEGERS)
      const to = this.#draw.pick([type, type, 'DECIMAL(9,2)', 'DATE'])
      const made: Kind = to === 'DATE' ? 'date' : to === type ? 'integer' : 'decimal'
      return { ...value, low, high, kind: made, sql: `TRY_CAST(${sql} AS ${to})`, distinct: 1 }
    }
    if (kind === 'blob') return { ...value, kind: 'text', sql: `hex(${sql})` }
    if (kind === 'date')
      return {
        ...value,
        ...this.#draw.pick([{ kind: 'timestamp', sql: `CAST(${sql} AS TIMESTAMP)` } as const, TEXT(sql)]),
      }
    if (kind === 'timestamp') {
      const type = this.#draw.pick([
        'DATE',
        'DATE',
        'VARCHAR',
        'TIMESTAMP_S',
        'TIMESTAMP_MS',
        'TIMESTAMP_NS',
        'TIMESTAMPTZ',
      ])
      const made: Kind = type === 'DATE' ? 'date' : type === 'VARCHAR' ? 'text' : kind
      return { ...value, kind: made, distinct: Math.min(value.distinct, 1_000), sql: `CAST(${sql} AS ${type})` }
    }
    if (kind === 'double')
      return { ...value, kind: 'integer', sql: `TRY_CAST(${sql} AS SMALLINT)`, distinct: mostlyNull(value) }
    if (kind === 'boolean') return { ...value, kind: 'integer', low: 0, high: 1, sql: `CAST(${sql} AS UTINYINT)` }
    return { ...value, ...TEXT(sql) }
  }

  /** A condition, which may be NULL. */
  condition(columns: readonly Value[], depth = 2): string {
    if (depth > 0 && this.#draw.chance(25)) {
      const [left, right] = [this.condition(columns, depth - 1), this.condition(columns, depth - 1)]
      return this.#draw.pick([`(${left} AND ${right})`, `(${left} OR ${right})`, `NOT (${left})`])
    }
    const any = this.value(columns, depth)
    const value = SCALARS.includes(any.kind) && this.#draw.chance(25) ? this.cast(any) : any
    const { sql, kind } = value
    const [small, large] = this.#constants(value)
    switch (this.#draw.below(14)) {
      case 0:
        return `${sql} IS ${this.#draw.pick(['', 'NOT ', 'NOT '])}NULL`
      case 1:
      case 2:
        return kind === 'boolean' ? sql : `${sql} BETWEEN ${small} AND ${large}`
      case 3:
        return `${sql} ${this.#draw.pick(['IN', 'NOT IN', 'NOT IN'])} (${small}, ${large}${this.#draw.pick(['', '', ', NULL'])})`
      case 4:
        return `${sql} IS ${this.#draw.pick(['', 'NOT ', 'NOT '])}DISTINCT FROM ${large}`
      case 5:
      case 6: {
        const other = columns.filter(column => column.kind === kind && column.sql !== sql)
        if (other.length > 0 && !['struct', 'list'].includes(kind))
          return `${sql} ${this.#draw.pick(['=', '<', '>=', '<>', '<>'])} ${this.#draw.pick(other).sql}`
        return `${sql} <> ${small}`
      }
      case 7: {
        const [other = value] = columns.filter(column => column.kind === kind && column.sql !== sql)
        if (kind === 'timestamp') return `date_trunc('month', ${sql}) ${this.#draw.pick(['=', '<>', '<'])} ${large}`
        return `(${sql} = ${other.sql} OR (${sql} IS NULL AND ${other.sql} IS NULL))`
      }
      default:
        return `${sql} ${this.#draw.pick([`< ${large}`, `<= ${large}`, `> ${small}`, `>= ${small}`, `<> ${small}`])}`
    }
  }

  /** Two constants of the kind of a value, the smaller one first. */
  #constants({ kind, low, high }: Value): [string, string] {
    // Most rows are between them, so that few results are empty.
    const quarter = Math.max(1, Math.floor(Math.min(high - low, 2 ** 31) / 4))
    const [small, large] = [Math.round(low) + this.#draw.below(quarter), Math.round(high) - this.#draw.below(quarter)]
    const days = [this.#draw.below(300), 300 + this.#draw.below(600)]
    switch (kind) {
      case 'integer':
        return [`${small}`, `${large}`]
      case 'decimal':
      case 'double':
        return [`${small}.5`, `${large}.75`]
      case 'date':
        return days.map(each => `(DATE '2024-01-01' + ${each})`) as [string, string]
      case 'timestamp':
        return days.map(each => `(TIMESTAMP '2024-01-01' + INTERVAL ${each} HOUR)`) as [string, string]
      case 'text':
        return [
          this.#draw.pick(["''", "'12'", "'2024-05-01'", "'name 2'"]),
          this.#draw.pick(["'name 4'", "'name 98'", "'x'"]),
        ]
      case 'boolean':
        return ['false', 'true']
      case 'struct':
        return ["{'a': 5, 'b': 'b1', 'ended': NULL::TIMESTAMP}", "{'a': 60000, 'b': 'b1', 'ended': NULL::TIMESTAMP}"]
      case 'list':
        return ['[0]', '[0, 1, 2]']
      case 'blob':
        return ["CAST('\\x02' AS BLOB)", "CAST('\\x05' AS BLOB)"]
    }
  }

  #of(columns: readonly Value[], kinds: readonly Kind[], depth: number): Value {
    const value = this.value(columns, depth)
    if (kinds.includes(value.kind)) return value
    return columns.find(({ kind }) => kinds.includes(kind)) ?? { ...value, kind: 'integer', low: 0, high: 7, sql: '7' }
  }

  /** A field of a struct, an element of a list, a part of a date or text. */
  #part(column: Value): Value {
    const { sql } = column
    switch (column.kind) {
      case 'struct':
        return this.#draw.pick<Value>([
          { sql: `${sql}.a`, kind: 'integer', low: 0, high: 70_000, distinct: 70_000 },
          { sql: `${sql}.b`, kind: 'text', low: 0, high: 50, distinct: 50 },
          { sql: `${sql}.ended`, kind: 'timestamp', low: 0, high: 9_000, distinct: 9_000 },
        ])
      case 'list':
        return this.#draw.pick<Value>([
          { sql: `${sql}[2]`, kind: 'integer', low: 0, high: 4, distinct: 2 },
          { sql: `len(${sql})`, kind: 'integer', low: 0, high: 4, distinct: 4 },
        ])
      case 'date':
      case 'timestamp':
        return {
          sql: `${this.#draw.pick(['month', 'day', 'hour'])}(${sql})`,
          kind: 'integer',
          low: 0,
          high: 31,
          distinct: 12,
        }
      case 'text':
        return this.#draw.pick<Value>([
          { ...column, sql: `upper(${sql})` },
          { ...column, sql: `substring(${sql}, 1, 6)`, distinct: Math.min(column.distinct, 20) },
          { sql: `length(${sql})`, kind: 'integer', low: 0, high: 12, distinct: 8 },
        ])
      default:
        return column
    }
  }

  #computed(columns: readonly Value[], depth: number): Value {
    const value = this.#of(columns, ['integer'], depth - 1)
    if (value.kind !== 'integer' || value.high - value.low > 10 ** 7) return value
    const { sql, low, high, distinct } = value
    const plain = `(${sql})::BIGINT`
    const most = Math.max(-low, high)
    return this.#draw.pick<Value>([
      { sql: `(${plain} % 10)`, kind: 'integer', low: -9, high: 9, distinct: 10 },
      { sql: `(${plain} + 5)`, kind: 'integer', low: low + 5, high: high + 5, distinct },
      { sql: `(-${plain})`, kind: 'integer', low: -high, high: -low, distinct },
      { sql: `(${plain} * 3 - 7)`, kind: 'integer', low: low * 3 - 7, high: high * 3 - 7, distinct },
      { sql: `abs(${plain})`, kind: 'integer', low: 0, high: most, distinct },
    ])
  }
}

/** A TRY_CAST may make many values NULL, which IS NOT DISTINCT FROM joins with each other. */
const mostlyNull = ({ distinct }: Value) => Math.min(distinct, 10)

const TEXT = (sql: string) => ({ kind: 'text', sql: `CAST(${sql} AS VARCHAR)` }) as const

function joined(sql: string, left: Value, right: Value): Value {
  return {
    ...left,
    sql,
    low: Math.min(left.low, right.low),
    high: Math.max(left.high, right.high),
    distinct: left.distinct + right.distinct,
  }
}
