import assert from 'node:assert/strict'
import { DuckDBInstance, LIST, listValue, VARCHAR } from '@duckdb/node-api'
import { openCheck, type Parse } from '#lib/duckdb/child/guard/check.js'
import { EXTRA_FUNCTIONS } from '#lib/guard/extras.js'
import { FUNCTIONS } from '#lib/guard/inventory.js'
import { shapeOf } from '#lib/guard/shape.js'

/** Statements that are made, and how many of them must have a verdict that is kept for other numbers. */
const [MADE, LEAST_KEPT] = [1500, 500]
const NAMES = [...FUNCTIONS, ...EXTRA_FUNCTIONS].filter(name => /^[a-z_]\w*$/.test(name))
const PARSE = 'SELECT json_serialize_sql(text) FROM (SELECT unnest($1::VARCHAR[]) AS text)'

/** Makes statements with `#` for each digit of their numbers, the same ones in each run. */
class Maker {
  #seed = 20_261_128

  below(most: number): number {
    this.#seed = (this.#seed * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor(this.#seed / 65_536) % most
  }

  #one<Value>(...values: readonly Value[]): Value {
    return values[this.below(values.length)] as Value
  }

  #number = () => '#'.repeat(this.#one(1, 1, 1, 2, 2, 3, 4, 9))
  #column = () => this.#one('a', 'b', 't.a', 'c1')
  #name = () => this.#one(...NAMES)
  #ordinal = () => `${1 + this.below(3)}`

  #expression(depth: number): string {
    const [number, column, name] = [this.#number, this.#column, this.#name]
    if (depth === 0) return this.#one(number, number, column)()
    const inner = () => this.#expression(depth - 1)
    return this.#one(
      () => `${inner()} ${this.#one('+', '-', '*', '/', '//', '<', '=', '&', '<<', 'AND', '||')} ${inner()}`,
      () => `CASE WHEN ${inner()} THEN ${inner()} ELSE -${inner()} END`,
      () => `${inner()} IN (${number()}, ${inner()})`,
      () => `${column()} BETWEEN ${number()} AND ${number()}`,
      () => `[${number()}, ${inner()}][${number()}]`,
      () => `${name()}(${inner()}, ${number()}) OVER (PARTITION BY ${inner()}, ${inner()} ORDER BY ${inner()})`,
      () =>
        `${name()}(${inner()}) OVER (ORDER BY ${column()} ROWS BETWEEN ${number()} PRECEDING AND ${number()} FOLLOWING)`,
      () => `(SELECT ${inner()} FROM u LIMIT ${number()})`,
      () => `${inner()} IN (SELECT ${inner()} FROM u)`,
      () => `list_transform([${number()}], lambda y: y + ${number()})`,
      () => `${name()}(${inner()})`,
      () => `${name()}(${column()}, ${number()})`,
      () => `${name()}(${inner()}, ${number()}, ${inner()})`,
    )()
  }

  statement(): string {
    const [number, inner] = [this.#number, () => this.#expression(1 + this.below(3))]
    const before = this.#one('', '', `WITH t AS (SELECT ${number()} AS a FROM u) `)
    const distinct = this.#one('', '', 'DISTINCT ', `DISTINCT ON (${number()}) `)
    const from = this.#one(
      't',
      `t JOIN u ON t.a = u.a + ${number()}`,
      `range(${number()}) t(a)`,
      `(VALUES (${number()})) t(a)`,
    )
    const after = this.#one(
      ...[
        '',
        `LIMIT ${number()} OFFSET ${number()}`,
        `ORDER BY ${this.#ordinal()}`,
        `ORDER BY ${inner()} LIMIT ${number()}`,
      ],
      ...[`GROUP BY ${this.#ordinal()}`, `GROUP BY ALL HAVING ${inner()}`, `WHERE ${inner()}`, `QUALIFY ${inner()}`],
      ...[
        `GROUP BY ROLLUP (a, ${number()})`,
        `UNION ALL SELECT ${inner()} FROM u`,
        `FETCH FIRST ${number()} ROWS ONLY`,
      ],
    )
    return `${before}SELECT ${distinct}${inner()} AS v, ${inner()} FROM ${from} ${after}`
  }
}

describe('the verdict on a statement that was made by chance', () => {
  let instance: DuckDBInstance
  before(async () => {
    instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  })
  after(() => instance.closeSync())

  it('is the same for other numbers if it says so', async () => {
    const prepared = await (await instance.connect()).prepare(PARSE)
    const parse: Parse = async texts => {
      prepared.bind([listValue(texts)], [LIST(VARCHAR)])
      return (await prepared.run()).getChunk(0).getColumnValues(0).map(String) as [string, string]
    }
    const check = await openCheck({ relations: ['t', 'u'], functions: EXTRA_FUNCTIONS }, parse)
    const maker = new Maker()
    let kept = 0
    for (let made = 0; made < MADE; made++) {
      const statement = maker.statement()
      const filled = (digits: (length: number) => string) =>
        statement.replace(/#+/g, marks => digits(marks.length).padStart(marks.length, '0'))
      const texts = [
        ...['0', '9'].map(digit => filled(length => digit.repeat(length))),
        ...['1', '2'].map(digit => filled(() => digit)),
        filled(length => String(maker.below(10 ** length))),
      ]
      const shape = shapeOf(texts[0] as string)
      if (shape === null) continue
      // Numbers right after BY are no holes of a shape.
      if (!/\bBY #/.test(statement)) for (const text of texts) assert.equal(shapeOf(text), shape)
      else texts.splice(0, 5, ...texts.filter(text => shapeOf(text) === shape))
      const verdicts = []
      for (const text of texts) verdicts.push(await check(text))
      const first = verdicts.find(verdict => verdict.ok && verdict.anyNumbers)
      if (!first) continue
      kept += 1
      for (const [at, verdict] of verdicts.entries()) assert.deepEqual(verdict, first, texts[at])
    }
    assert.ok(kept >= LEAST_KEPT, `${kept} of ${MADE}`)
  })
})
