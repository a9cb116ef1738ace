import { type BoundParameter, readParameters } from '#lib/values/parameters.js'
import { type DirtyStatement, DirtyStatements } from './dirty.js'
import { literalsOf, withParameter } from './literals.js'

const of = (type: string, ...values: unknown[]) => values.map(value => ({ type, value }))

/** Values that a literal cannot have, or that engines treat apart, of every type. */
const EDGES: readonly unknown[] = [
  ...[
    null,
    true,
    '',
    '\u0000',
    'a\u0000b',
    '🌍',
    'é'.repeat(7),
    '🌍'.repeat(2_000),
    'x'.repeat(20_000),
    '%',
    '{}',
    '$.a',
  ],
  ...of('TINYINT', -128, 127),
  ...of('UTINYINT', 0, 255),
  ...of('INTEGER', -2_147_483_648, 2_147_483_647, 0, -1),
  ...of('BIGINT', '-9223372036854775808', '9223372036854775807', 0, null),
  ...of('UBIGINT', '18446744073709551615'),
  ...of('HUGEINT', '-170141183460469231731687303715884105728', '170141183460469231731687303715884105727'),
  ...of('UHUGEINT', '340282366920938463463374607431768211455'),
  ...of('DECIMAL(38,0)', '9'.repeat(38), `-${'9'.repeat(38)}`),
  ...of('DECIMAL(38,38)', `0.${'9'.repeat(38)}`),
  ...of('FLOAT', 'NaN', 'Infinity', 0),
  ...of('DOUBLE', 'NaN', '-Infinity', 5e-324, 1.7976931348623157e308),
  -0,
  ...of('DATE', '1970-01-01', '0001-01-01', '9999-12-31'),
  ...of('TIME', '00:00:00', '24:00:00'),
  ...of('TIMESTAMP', '0001-01-01T00:00:00', '9999-12-31T23:59:59.999999'),
  ...of('TIMESTAMP_NS', '1970-01-01T00:00:00.000000001'),
  ...of('TIMESTAMPTZ', '2026-11-20T01:02:03Z'),
  ...of('INTERVAL', 'P0D', 'P1M', 'P-1M-1DT-1S', 'P1Y2M3DT4H5M6S'),
  ...of('UUID', 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
  ...of('BLOB', '', '8A==', '/wA='),
  ...of('BIT', '1', '0101'),
  ...of(
    'INTEGER[]',
    [],
    [null],
    [null, 2_147_483_647],
    Array.from({ length: 3_000 }, (_, at) => at - 5),
    null,
  ),
  ...of('VARCHAR[]', [], [null, ''], ['🌍'.repeat(9), '\u0000'], ['a', 'b', null]),
  ...of('DOUBLE[]', [0.1, 'NaN', null], []),
  ...of('DATE[][]', [[], null, ['2026-01-01', null]], []),
  ...of('BOOLEAN[][][]', [[[true, null], []], null]),
]
/** How far a statement reads; the cost of another number says nothing. */
const OF_THE_FRAME = new Set(['50', '130', '600'])
const MOST = 3

/** A statement, and its values. */
export interface BoundDirtyStatement extends DirtyStatement {
  values: readonly BoundParameter[]
}

/**
 * Random statements of {@link DirtyStatements} with parameters for some of their literals: of the same type and value,
 * or of any. A seed always yields the same ones.
 */
export class BoundStatements {
  readonly functions: ReadonlySet<string>
  readonly #statements: DirtyStatements
  #state: number

  private constructor(statements: DirtyStatements, seed: number) {
    this.#statements = statements
    this.#state = seed
    this.functions = statements.functions
  }

  static async open(seed: number): Promise<BoundStatements> {
    return new BoundStatements(await DirtyStatements.open(seed), seed)
  }

  next(): BoundDirtyStatement {
    const { sql, about } = this.#statements.next()
    const literals = literalsOf(sql).filter(({ text }) => !OF_THE_FRAME.has(text))
    const sent: Record<string, unknown> = {}
    let written = sql
    // From the last one, so that the places of the others stay.
    for (let at = literals.length - 1; at >= 0; at--) {
      const count = Object.keys(sent).length
      const literal = literals[at]
      if (!literal || count === MOST || this.#below(Math.max(2, literals.length / MOST)) > 0) continue
      const name = `v${count}`
      sent[name] = this.#below(2) === 0 ? literal.sent : EDGES[this.#below(EDGES.length)]
      written = withParameter(written, literal, name)
    }
    return { about, sql: written, values: valuesOf(sent) }
  }

  #below(most: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * most)
  }
}

function valuesOf(sent: Record<string, unknown>): BoundParameter[] {
  return readParameters(JSON.parse(JSON.stringify(sent)))
}
