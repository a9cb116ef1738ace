import { DuckDBInstance } from '@duckdb/node-api'
import { readStatements } from '../../sql/statements.js'
import type { Draw } from '../answers/draw.js'
import { overloads } from './calls.js'

/** Parts of a statement: a string, a quoted name, a word, blanks, or a sign. */
const PART = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\w+|\s+|./gs
/** What takes the place of a word. */
const OTHERS = [
  ...[
    'nothing',
    'x.nothing',
    'amounts',
    'amount',
    'main.amounts',
    'memory.amounts',
    'a.b.c.d',
    '"x y"',
    'temp.amounts',
  ],
  ...['fold_totals.total', 'fold_totals', '"AMOUNTS"', '42', "'text'", 'NULL', '-1.5', '[1]', "{'a': 1}", '*', '$p'],
  ...["DATE '2020-01-01'", '(SELECT 1, 2)', 'sum(1)', 'row_number() OVER ()', 'unnest([1])', 'lambda x: x'],
  ...['*COLUMNS(*)', 'COLUMNS(*)', 'concat(*COLUMNS(*))', '5!', "MAP {'a': [1]}", 'rowid', 'EXCLUDE', '9'],
]

/** The accepted statements, each changed in some places, so that most are wrong. */
export function changedStatements(draw: Draw, each: number): string[] {
  return readStatements('accepted').flatMap(({ sql }) => {
    const parts = sql.match(PART) ?? []
    const places = parts.flatMap((part, at) => (/^['"\w]/.test(part) ? [at] : []))
    return Array.from({ length: each }, () => {
      const changed = [...parts]
      const at = draw.pick(places)
      const part = parts[at] as string
      changed[at] = draw.pick(['', `${part} ${part}`, parts[draw.pick(places)] as string, ...draw.some(OTHERS, 6)])
      return changed.join('')
    })
  })
}

/** The accepted statements without names for what they select, so that the engine makes some. */
export function namelessStatements(): string[] {
  return readStatements('accepted').map(({ sql }) => sql.replaceAll(/ AS (?!\()\w+(?=,| FROM|$)/g, ''))
}

/** Values of many types, as SQL over the relation `amounts`. */
const VALUES = [
  ...['item', 'amount', '-1', "'x'", "'99999999999'", `'{"a": "x"}'`, `'[1, "y"]'`, '1e300', '[1, NULL]', "['a']"],
  ...['170141183460469231731687303715884105727::HUGEINT', "'\\xff'::BLOB", "'1'::JSON", "'101'::BIT", "{'a': 'x'}"],
  ...["DATE '290000-01-01'", "TIMESTAMP '9999-12-31'", "TIME '12:00'", 'INTERVAL 1000000000 MONTH', "MAP {'a': 'x'}"],
  ...["'00000000-0000-0000-0000-000000000001'::UUID", "union_value(b := 'zz')", 'NULL', "'nan'::DOUBLE"],
]
const TYPES = [
  ...['BOOLEAN', 'TINYINT', 'UTINYINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'UHUGEINT', 'FLOAT', 'DOUBLE', 'DECIMAL(4, 2)'],
  ...['DECIMAL(38, 10)', 'VARCHAR', 'BLOB', 'BIT', 'UUID', 'DATE', 'TIME', 'TIMETZ', 'TIMESTAMP', 'TIMESTAMPTZ'],
  ...['TIMESTAMP_NS', 'TIMESTAMP_S', 'INTERVAL', 'JSON', "ENUM('a', 'b')", 'INTEGER[]', 'VARCHAR[]', 'INTEGER[2]'],
  ...['STRUCT(a INTEGER)', 'STRUCT(b VARCHAR)', 'MAP(VARCHAR, INTEGER)', 'UNION(a INTEGER, b VARCHAR)', 'VARIANT'],
]
/** `V` is a value and `T` a type. */
const CASTS = [
  ...['SELECT CAST(V AS T) AS x FROM amounts', 'SELECT v::T AS x FROM (SELECT V AS v FROM amounts)'],
  ...[
    "SELECT v FROM (SELECT V AS v FROM amounts) WHERE v = CAST('x1' AS T)",
    'SELECT V FROM amounts UNION ALL SELECT NULL::T',
  ],
]

/** Values of each type, cast to each other one. */
export function castStatements(): string[] {
  return TYPES.flatMap(type =>
    VALUES.flatMap(value => CASTS.map(cast => cast.replaceAll(/\b[VT]\b/g, letter => (letter === 'V' ? value : type)))),
  )
}

/** Arguments of every kind, most of them wrong. */
const ARGUMENTS = [...VALUES, 'lambda x: x', 'amounts', 'nothing', `'{"a"'::JSON`, '(SELECT item FROM amounts)']
/** Arguments that the engine writes out, in messages and in names of columns. */
const WRITTEN_OUT = [
  '*COLUMNS(*)',
  '*COLUMNS(lambda c: true)',
  "lambda x: x, MAP {'a': [item]}, 5!",
  'amounts, *COLUMNS(*)',
]

/** Calls of every reviewed function with arguments of types and in numbers that it does not take: `each` draws, and some. */
export async function misusedFunctions(draw: Draw, each: number): Promise<string[]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const known = await overloads(await instance.connect())
  instance.closeSync()
  const calls = [...new Map(known.map(call => [call.name, call])).values()]
  return calls.flatMap(({ name, types, isAggregate }) => {
    const drawn = Array.from({ length: each }, () => {
      const count = Math.max(0, types.length + draw.below(3) - 1)
      return Array.from({ length: count }, () => draw.pick(ARGUMENTS)).join(', ')
    })
    return [...WRITTEN_OUT, ...drawn].map(given => {
      const over = isAggregate && draw.chance(50) ? ' OVER (PARTITION BY item ORDER BY amount)' : ''
      return `SELECT ${name}(${given})${over} FROM amounts`
    })
  })
}
