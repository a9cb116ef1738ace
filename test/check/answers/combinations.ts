import type { Draw } from './draw.js'
import type { Expressions } from './expressions.js'
import type { Source, Sources } from './sources.js'
import { type Query, renamed, written } from './statements.js'
import type { Value } from './tables.js'

/** Generates queries of two others: set operations, and CTEs that are read twice. */
export class Combinations {
  readonly #draw: Draw
  readonly #expressions: Expressions
  readonly #sources: Sources
  readonly #query: (depth: number) => Query

  constructor(draw: Draw, expressions: Expressions, sources: Sources, query: (depth: number) => Query) {
    this.#draw = draw
    this.#expressions = expressions
    this.#sources = sources
    this.#query = query
  }

  /** Two queries with the same kinds of columns. */
  combined(depth: number): Query {
    const first = this.#query(depth - 1)
    const [left, right] = [first, this.#draw.chance(50) ? first : this.#query(depth - 1)].map(query =>
      this.#sources.of(query),
    ) as [Source, Source]
    const pairs = left.columns.flatMap(a => {
      const [b] = right.columns
        .filter(({ kind }) => kind === a.kind && kind !== 'list')
        .sort(
          (x, y) =>
            Number(y.sql.split('.')[1] === a.sql.split('.')[1]) - Number(x.sql.split('.')[1] === a.sql.split('.')[1]),
        )
      return b ? [[a, b] as const] : []
    })
    const columns = pairs.map(([a, b], at) => ({ ...a, ...wider(a, b), name: `c${at}` }))
    if (pairs.length === 0) columns.push({ ...one, name: 'c0' })
    const more = this.#draw.chance(60) ? ` WHERE ${this.#expressions.condition(right.columns, 0)}` : ''
    const side = (at: 0 | 1) =>
      pairs.length === 0 ? '1 AS c0' : pairs.map((pair, n) => `${pair[at].sql} AS c${n}`).join(', ')
    const [a, b] = [`SELECT ${side(0)} FROM ${left.from}`, `SELECT ${side(1)} FROM ${right.from}${more}`]
    const by = this.#draw.pick([
      'UNION ALL',
      'UNION ALL',
      'UNION',
      'EXCEPT',
      'INTERSECT',
      'EXCEPT ALL',
      'INTERSECT ALL',
    ])
    const isSet = ['UNION', 'EXCEPT', 'INTERSECT'].includes(by)
    return {
      sql: `${a} ${by} ${b}`,
      columns: renamed(columns),
      unique: isSet ? columns.map(({ name }) => name) : null,
      rows: left.rows + right.rows,
    }
  }

  /** A query that is read twice. */
  twice(): Query {
    const inner = this.#query(1)
    const [first, second] = [this.#sources.of(inner, 'w'), this.#sources.of(inner, 'w')]
    const { unique } = inner
    const both = unique !== null && unique.length > 0
    const on = both ? unique.map((_, at) => `${first.unique?.[at]} = ${second.unique?.[at]}`).join(' AND ') : ''
    const columns = (both ? [...first.columns, ...second.columns] : first.columns).map((value, at) => ({
      ...value,
      name: `c${at}`,
    }))
    const kept = this.#draw.some(columns, 4)
    const identity = kept.filter(({ sql }) => first.unique?.includes(sql)).map(({ name }) => name)
    const isKnown = both && identity.length === unique.length
    const sql = both
      ? `WITH w AS (${inner.sql}) SELECT ${written(kept)} FROM ${first.from} ${this.#draw.pick(['JOIN', 'LEFT JOIN'])} ${second.from} ON ${on}`
      : `WITH w AS (${inner.sql}) SELECT ${written(kept)} FROM ${first.from} WHERE (SELECT count(*) FROM w) > 3`
    return { sql, columns: renamed(kept), unique: isKnown ? identity : null, rows: inner.rows }
  }
}

const one: Value = { sql: '1', kind: 'integer', low: 1, high: 1, distinct: 1 }

const wider = (a: Value, b: Value) => ({ low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) })
