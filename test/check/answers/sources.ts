import type { Draw } from './draw.js'
import type { Expressions } from './expressions.js'
import type { Query } from './statements.js'
import { TABLES, type Table, type Value } from './tables.js'

/** What a FROM clause has. */
export interface Source {
  from: string
  /** Conditions for its WHERE clause. */
  where: readonly string[]
  columns: readonly Value[]
  /** Columns that identify a row; null when none are known to. */
  unique: readonly string[] | null
  /** About how many rows. */
  rows: number
}

/** Two columns by which sources are joined. */
interface Pair {
  on: string
  a: Value
  b: Value
  isEqual: boolean
  /** About how many rows the join has. */
  rows: number
}

/** Joins with more rows than these take too long. */
const MOST_ROWS = 400_000

/**
 * Generates FROM clauses over the tables and over other queries. None has ASOF, which compares whatever lies under a NULL
 * and may end the process of the test.
 */
export class Sources {
  readonly #draw: Draw
  readonly #expressions: Expressions
  readonly #query: (depth: number) => Query
  readonly #tables: readonly Table[]
  #aliases = 0

  constructor(draw: Draw, expressions: Expressions, query: (depth: number) => Query, tables = TABLES) {
    this.#draw = draw
    this.#expressions = expressions
    this.#query = query
    this.#tables = tables
  }

  /** A table, a join, or a query; `depth` bounds how far it nests. */
  source(depth: number): Source {
    let source = this.#one(depth)
    for (let joins = this.#draw.pick([0, 0, 1, 1, 1, 2]); joins > 0; joins--) source = this.#joined(source, depth - 1)
    return source
  }

  alias(): string {
    this.#aliases += 1
    return `t${this.#aliases}`
  }

  /** The rows of a query under an alias. */
  of({ sql, columns, unique, rows }: Query, name?: string): Source {
    const alias = this.alias()
    const ref = (column: string) => `${alias}.${column}`
    return {
      from: name === undefined ? `(${sql}) AS ${alias}` : `${name} AS ${alias}`,
      where: [],
      columns: columns.map(column => ({ ...column, sql: ref(column.name) })),
      unique: unique?.map(ref) ?? null,
      rows,
    }
  }

  #one(depth: number): Source {
    return depth > 0 && this.#draw.chance(35)
      ? this.of(this.#query(depth - 1))
      : this.#table(this.#draw.pick(this.#tables))
  }

  /** A table, narrowed most of the time when it is large: inside, or by a condition of the whole statement. */
  #table({ name, columns, rows }: Table): Source {
    const alias = this.alias()
    const source = {
      from: `${name} AS ${alias}`,
      where: [],
      columns: columns.map(column => ({ ...column, sql: `${alias}.${column.name}` })),
      unique: [`${alias}.id`],
      rows,
    }
    const isVast = rows > 1_000_000
    const kept = this.#draw.pick(isVast ? [700, 3_000, 130_000] : [700, 3_000, 9_000, 130_000, rows])
    if (kept >= rows) return source
    const by = columns.some(each => each.name === 'k') && this.#draw.chance(40) ? 'k' : 'id'
    return isVast || this.#draw.chance(70)
      ? { ...source, from: `(SELECT * FROM ${name} WHERE ${by} < ${kept}) AS ${alias}`, rows: kept }
      : { ...source, where: [`${alias}.${by} < ${kept}`] }
  }

  #joined(left: Source, depth: number): Source {
    for (let tries = 0; tries < 12; tries++) {
      const right = this.#one(Math.max(0, depth))
      const pair = this.#pair(left, right)
      if (pair) return this.#join(left, right, pair)
    }
    return left
  }

  /** Columns of two sources by which a join stays small. */
  #pair(left: Source, right: Source): Pair | null {
    const a = this.#draw.pick(left.columns)
    const fitting = right.columns.filter(b => mayMeet(a, b))
    if (fitting.length === 0) return null
    const b = this.#draw.pick(fitting)
    const rows =
      (left.rows * right.rows) / Math.max(1, Math.min(left.rows, a.distinct), Math.min(right.rows, b.distinct))
    const isSmall = left.rows * right.rows < 300_000
    if (isSmall && this.#draw.chance(30) && !['struct', 'list', 'boolean'].includes(a.kind)) {
      const on = `${a.sql} ${this.#draw.pick(['<', '>=', '<>'])} ${b.sql}`
      return { on, rows: left.rows * right.rows, isEqual: false, a, b }
    }
    if (rows > MOST_ROWS) return null
    const [first, second] = [a, b].map(each =>
      this.#draw.chance(30) && each.kind === 'integer' ? this.#expressions.cast(each) : each,
    )
    if (!first || !second || first.kind !== second.kind) return null
    return {
      on: `${first.sql} ${this.#draw.pick(['=', '=', '=', 'IS NOT DISTINCT FROM'])} ${second.sql}`,
      rows,
      isEqual: true,
      a,
      b,
    }
  }

  #join(left: Source, right: Source, { on, rows, isEqual, a, b }: Pair): Source {
    const columns = [...left.columns, ...right.columns]
    const unique = left.unique && right.unique ? [...left.unique, ...right.unique] : null
    switch (this.#draw.below(isEqual ? 12 : 8)) {
      case 0: {
        const exists = this.#draw.pick(['EXISTS', 'NOT EXISTS'])
        const where = [...right.where, on, ...this.#correlated(left, right)].join(' AND ')
        const condition = `${exists} (SELECT 1 FROM ${right.from} WHERE ${where})`
        return { ...left, where: [...left.where, condition] }
      }
      case 1: {
        const conditions = [...right.where, ...(isEqual ? this.#correlated(left, right) : [])]
        const within = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''
        const condition = `${a.sql} ${this.#draw.pick(['IN', 'IN', 'NOT IN'])} (SELECT ${b.sql} FROM ${right.from}${within})`
        return { ...left, where: [...left.where, condition] }
      }
      case 2:
      case 3: {
        const kind = this.#draw.pick(['LEFT', 'RIGHT', 'FULL'])
        if (kind === 'FULL' && !isEqual) return left
        const more = kind !== 'FULL' && this.#draw.chance(30) ? ` AND ${this.#expressions.condition(columns, 0)}` : ''
        return {
          from: `${left.from} ${kind} JOIN ${right.from} ON ${on}${more}`,
          where: [...left.where, ...right.where],
          columns,
          unique,
          rows: Math.max(rows, left.rows, right.rows),
        }
      }
      case 4: {
        const counted = this.#draw.pick(['count(*)', `max(${b.sql})`, `min(${b.sql})`, `count(DISTINCT ${b.sql})`])
        const alias = this.alias()
        const where = [...right.where, on, ...this.#correlated(left, right)].join(' AND ')
        const value: Value = counted.startsWith('count')
          ? { sql: `${alias}.x`, kind: 'integer', low: 0, high: rows, distinct: 10 }
          : { ...b, sql: `${alias}.x` }
        const from = `${left.from}, LATERAL (SELECT ${counted} AS x FROM ${right.from} WHERE ${where}) AS ${alias}`
        return isEqual ? { ...left, from, columns: [...left.columns, value] } : left
      }
      default: {
        const where = [...left.where, ...right.where]
        const more = this.#draw.chance(20) ? ` AND ${this.#expressions.condition(columns, 0)}` : ''
        return { from: `${left.from} JOIN ${right.from} ON ${on}${more}`, where, columns, unique, rows }
      }
    }
  }

  /** More conditions between a query and the one around it. */
  #correlated(left: Source, right: Source): string[] {
    const isSimple = ({ kind }: Value) => !['struct', 'list'].includes(kind)
    return Array.from({ length: this.#draw.pick([0, 0, 1, 2]) }, () => {
      const simple = left.columns.filter(isSimple)
      if (simple.length === 0) return 'true'
      const a = this.#draw.pick(simple)
      const b = right.columns.filter(column => column.kind === a.kind)
      if (b.length === 0) return 'true'
      return `${this.#draw.pick(b).sql} ${this.#draw.pick(['<>', '<', '>', 'IS DISTINCT FROM', '='])} ${a.sql}`
    })
  }
}

/** Whether values of two columns may be equal. */
function mayMeet(a: Value, b: Value): boolean {
  if (a.kind === 'text') return b.kind === 'text' && [a, b].every(({ sql }) => !/\.(note|region)$/.test(sql))
  return a.kind === b.kind && a.low <= b.high && b.low <= a.high
}
