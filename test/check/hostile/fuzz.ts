import { DuckDBInstance } from '@duckdb/node-api'
import { EXTRA_FUNCTIONS } from '#lib/guard/extras.js'
import { FUNCTIONS } from '#lib/guard/inventory.js'
import { EDGES, SAME, TEMPLATES } from './edges.js'

/** Relations of the tests' catalogue with columns of every kind, by their types in `EDGES`. */
const RELATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  fold_pressures: {
    entity_id: 'UUID',
    pressure_indicator: 'VARCHAR',
    biome: 'VARCHAR',
    scope: 'INTEGER',
    net: 'DOUBLE',
  },
  fold_risks: {
    entity: 'VARCHAR',
    risk: 'VARCHAR',
    score: 'DOUBLE',
    tags: 'VARCHAR[]',
    details: 'STRUCT',
    assessed_on: 'DATE',
  },
  risk_rows: { row_id: 'BIGINT', risk: 'VARCHAR', site: 'VARCHAR', measured_at: 'TIMESTAMP', meta: 'JSON' },
  dash_ipbes: { ipbes_pressure: 'VARCHAR', value: 'DOUBLE' },
}
const TYPES = Object.keys(EDGES)
const CASTS = ['VARCHAR', 'BIGINT', 'DOUBLE', 'BLOB', 'JSON', 'DATE', 'VARCHAR[]', 'BIT', 'TIMESTAMP', 'BOOLEAN']
const OPERATORS = [
  '+',
  '-',
  '*',
  '/',
  '%',
  '||',
  '=',
  '<',
  '>=',
  'AND',
  'OR',
  'IS DISTINCT FROM',
  '->',
  '->>',
  '&',
  '<<',
]
const WINDOWS = ['OVER ()', 'OVER (ORDER BY 1)', 'OVER (PARTITION BY 1 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)']

interface Overload {
  name: string
  types: readonly string[]
  given: string
  isAggregate: boolean
}

/** Random statements that try to break the engine; a seed always yields the same ones. */
export class Fuzz {
  readonly #overloads: readonly Overload[]
  #state: number

  private constructor(overloads: readonly Overload[], seed: number) {
    this.#overloads = overloads
    this.#state = seed
  }

  static async open(seed: number): Promise<Fuzz> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    const connection = await instance.connect()
    const result = await connection.runAndReadAll(`SELECT DISTINCT function_name, function_type, parameter_types,
      coalesce(return_type, 'ANY') FROM duckdb_functions()
      WHERE function_type IN ('scalar', 'aggregate', 'macro') ORDER BY ALL`)
    const overloads = result.getRowsJson().flatMap(row => {
      const [name, kind, types, given] = row as [string, string, (string | null)[], string]
      if (!(FUNCTIONS.has(name) || EXTRA_FUNCTIONS.has(name)) || !/^[a-z]/.test(name)) return []
      return [{ name, types: types.map(type => type ?? 'ANY'), given, isAggregate: kind === 'aggregate' }]
    })
    instance.closeSync()
    return new Fuzz(overloads, seed)
  }

  /** The next statement. */
  statement(): string {
    const select = this.#select(2)
    switch (this.#below(8)) {
      case 0:
        return `WITH t AS (${select}) SELECT * FROM t ${this.#tail()}`
      case 1:
        return `${select} ${this.#pick(['UNION ALL', 'EXCEPT', 'INTERSECT'])} ${this.#select(1)}`
      case 2:
        return `SELECT count(*) AS n, min(x::VARCHAR) AS m FROM (${select}) AS t`
      default:
        return select
    }
  }

  #select(depth: number): string {
    const [relation, columns] = this.#pick(Object.entries(RELATIONS))
    const list = Array.from({ length: 1 + this.#below(2) }, (_, at) => {
      const value = this.#expression(this.#pick(TYPES), columns, depth)
      return `${this.#below(4) === 0 ? `TRY(${value})` : value} AS ${at === 0 ? 'x' : `x${at}`}`
    })
    const where = this.#below(4) === 0 ? ` WHERE ${this.#expression('BOOLEAN', columns, 1)}` : ''
    return `SELECT ${list.join(', ')} FROM ${relation}${where} ${this.#tail()}`
  }

  #tail(): string {
    return this.#pick(['', '', 'LIMIT 3', 'ORDER BY 1', 'ORDER BY ALL DESC LIMIT 5', 'OFFSET 1'])
  }

  #expression(type: string, columns: Readonly<Record<string, string>>, depth: number): string {
    const own = Object.keys(columns).filter(name => columns[name] === type)
    if (own.length > 0 && this.#below(2) === 0) return this.#pick(own)
    if (depth === 0) return this.#pick(EDGES[type] ?? ['NULL'])
    const inner = (of = type) => this.#expression(SAME[of] ?? (EDGES[of] ? of : this.#pick(TYPES)), columns, depth - 1)
    switch (this.#below(12)) {
      case 0:
        return `CASE WHEN ${inner('BOOLEAN')} THEN ${inner()} ELSE ${inner()} END`
      case 1:
        return `${this.#pick(['CAST', 'TRY_CAST'])}(${inner(this.#pick(TYPES))} AS ${this.#pick(CASTS)})`
      case 2:
        return `(${inner(this.#pick(TYPES))} ${this.#pick(OPERATORS)} ${inner(this.#pick(TYPES))})`
      case 3:
        return this.#pick(TEMPLATES).replaceAll('$', () => inner('VARCHAR'))
      case 4:
        return `list_transform([${inner()}, ${inner()}], lambda y: ${this.#pick(['y', 'concat(y)', '[y]', 'hash(y)'])})`
      case 5:
        return `(SELECT ${inner()} LIMIT 1)`
      case 6:
        return `${this.#pick(['lag', 'lead', 'first_value', 'max', 'list'])}(${inner()}) ${this.#pick(WINDOWS)}`
      default:
        return this.#call(type, inner)
    }
  }

  #call(type: string, inner: (type: string) => string): string {
    const fitting = this.#overloads.filter(({ given }) => given === type || given === 'ANY' || given === 'T')
    const { name, types, isAggregate } = this.#pick(
      this.#below(3) > 0 && fitting.length > 0 ? fitting : this.#overloads,
    )
    const written = types.map(each => (each === 'LAMBDA' ? 'lambda y: y' : inner(each)))
    return `${name}(${written.join(', ')})${isAggregate ? ` ${this.#pick(WINDOWS)}` : ''}`
  }

  #pick<Value>(values: readonly Value[]): Value {
    return values[this.#below(values.length)] as Value
  }

  /** A random integer from 0 up to, but not including, `count`. */
  #below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count
  }
}
