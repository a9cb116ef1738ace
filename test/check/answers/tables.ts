/** What kind of values a column has, as far as a generated statement needs to know. */
export type Kind =
  | 'blob'
  | 'integer'
  | 'decimal'
  | 'double'
  | 'date'
  | 'timestamp'
  | 'text'
  | 'boolean'
  | 'struct'
  | 'list'

/** A value in SQL, and what is known of it. */
export interface Value {
  sql: string
  kind: Kind
  /** Bounds of a number, so that a cast of it cannot fail. */
  low: number
  high: number
  /** About how many values there are, so that a join stays small. */
  distinct: number
}

/** A column of a generated table: how row `i` computes it. */
export interface TableColumn extends Value {
  name: string
  type: string
}

/** A generated table, whose column `id` is unique and never NULL. */
export interface Table {
  name: string
  rows: number
  columns: readonly TableColumn[]
  /** What computes it, when it is a fold over the other tables. */
  fold?: string
}

const of = (
  kind: Kind,
  type: string,
  name: string,
  sql: string,
  [distinct, low, high]: readonly [number, number?, number?],
): TableColumn => ({ name, type, kind, sql, distinct, low: low ?? 0, high: high ?? distinct })

const STRUCT = 'STRUCT(a INTEGER, b VARCHAR, ended TIMESTAMP)'
const NOTES = "['12', 'x', '', '-7', '300', '70000', NULL, ' 4', '1.5', '2147483648']"

/** More than two row groups (122 880 rows each) and NULLs, ties, text that may be a number, and nested values. */
const big: Table = {
  name: 'big',
  rows: 260_000,
  columns: [
    of('integer', 'BIGINT', 'id', 'i', [260_000]),
    of('integer', 'BIGINT', 'k', '(i * 7919) % 260000', [260_000]),
    of('integer', 'INTEGER', 'n', 'CASE WHEN i % 17 = 3 THEN NULL ELSE (i * 31) % 601 - 300 END', [601, -300, 300]),
    of('integer', 'SMALLINT', 'g', 'i % 13', [13]),
    of('integer', 'UINTEGER', 'u', '(i * 104729) % 4100', [4_100]),
    of('integer', 'BIGINT', 'h', '((i * 7907) % 260000) - 130000', [260_000, -130_000, 130_000]),
    of(
      'decimal',
      'DECIMAL(12,2)',
      'd',
      '((i * 7901) % 200001 - 100000)::DECIMAL(12,2) / 100',
      [200_001, -1_000, 1_000],
    ),
    of('date', 'DATE', 'day', "DATE '2024-01-01' + ((i * 13) % 900)::INTEGER", [900]),
    of(
      'timestamp',
      'TIMESTAMP',
      'seen',
      "CASE WHEN i % 23 = 5 THEN NULL ELSE TIMESTAMP '2024-01-01' + INTERVAL 1 SECOND * ((i * 97) % 1000000) END",
      [240_000],
    ),
    of('text', 'VARCHAR', 'name', "CASE WHEN i % 19 = 4 THEN NULL ELSE 'name ' || (i * 37) % 5000 END", [5_000]),
    of('text', 'VARCHAR', 'note', `${NOTES}[1 + (i * 7) % 10]`, [10]),
    of('boolean', 'BOOLEAN', 'flag', 'CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN true ELSE false END', [2]),
    of('list', 'INTEGER[]', 'l', 'CASE WHEN i % 31 = 7 THEN NULL ELSE range(i % 4)::INTEGER[] END', [5]),
  ],
}

const many: Table = {
  name: 'many',
  rows: 2_000_000,
  columns: [
    of('integer', 'INTEGER', 'id', 'i', [2_000_000]),
    of('integer', 'BIGINT', 'k', '(i * 7919) % 2000003', [2_000_000, 0, 2_000_003]),
    of('integer', 'INTEGER', 'acc', 'CASE WHEN i % 41 = 8 THEN NULL ELSE (i * 13) % 5000 END', [5_000]),
    of('integer', 'SMALLINT', 'v', '(i * 17) % 2001 - 1000', [2_001, -1_000, 1_000]),
    of('blob', 'BLOB', 'mark', "CASE WHEN i % 43 = 9 THEN NULL ELSE unhex(printf('%02x', i % 9)) END", [9]),
    of('text', 'VARCHAR', 'code', "'name ' || (i * 19) % 300", [300]),
  ],
}

const acc: Table = {
  name: 'acc',
  rows: 5_000,
  columns: [
    of('integer', 'INTEGER', 'id', 'i', [5_000]),
    of('text', 'VARCHAR', 'name', "'name ' || i", [5_000]),
    of('integer', 'INTEGER', 'parent', 'CASE WHEN i % 7 = 0 THEN NULL ELSE i // 3 END', [1_600, 0, 5_000]),
    of('integer', 'BIGINT', 'score', '(i * 911) % 3001 - 1500', [3_001, -1_500, 1_500]),
    of('text', 'VARCHAR', 'region', "['north', 'south', 'east', NULL, 'west'][1 + i % 5]", [4]),
    of('date', 'DATE', 'day', "DATE '2024-01-01' + (i % 900)::INTEGER", [900]),
    of(
      'timestamp',
      'TIMESTAMPTZ',
      'moment',
      "TIMESTAMPTZ '2024-01-01 00:00:00+00' + INTERVAL 1 HOUR * (i % 900)",
      [900],
    ),
  ],
}

const few: Table = {
  name: 'few',
  rows: 15,
  columns: [
    of('integer', 'SMALLINT', 'id', 'i', [15]),
    of('text', 'VARCHAR', 'label', "CASE WHEN i = 4 THEN NULL ELSE 'name ' || i % 6 END", [6]),
    of('integer', 'BIGINT', 'v', 'CASE WHEN i % 4 = 1 THEN NULL ELSE i * 40 - 200 END', [10, -200, 360]),
    of('boolean', 'BOOLEAN', 'flag', 'CASE i % 3 WHEN 0 THEN NULL WHEN 1 THEN true ELSE false END', [2]),
    of('decimal', 'DECIMAL(5,1)', 'd', '(i * 3)::DECIMAL(5,1) / 2', [15, 0, 23]),
  ],
}

/** A fold; its columns are computed by its SQL. */
const days: Table = {
  name: 'days',
  rows: 900,
  fold: `SELECT (row_number() OVER (ORDER BY day))::INTEGER AS id, day, count(*) AS n, sum(d) AS total, max(name) AS name
    FROM big GROUP BY day ORDER BY day`,
  columns: [
    of('integer', 'INTEGER', 'id', 'id', [900, 1, 900]),
    of('date', 'DATE', 'day', 'day', [900]),
    of('integer', 'BIGINT', 'n', 'n', [3, 0, 400]),
    of('decimal', 'DECIMAL(38,2)', 'total', 'total', [900, -300_000, 300_000]),
    of('text', 'VARCHAR', 'name', 'name', [300]),
  ],
}

const EVENT =
  "{'a': (id * 11) % 70000, 'b': 'b' || id % 50, 'ended': TIMESTAMP '2024-01-01' + INTERVAL 1 HOUR * ((id * 3) % 9000)}"

/** A fold with structs, which tables cannot have, of more rows than a row group. */
const events: Table = {
  name: 'events',
  rows: 130_000,
  fold: `SELECT id, g, name, (CASE WHEN id % 29 = 6 THEN NULL ELSE ${EVENT} END)::${STRUCT} AS s
    FROM big WHERE id < 130000 ORDER BY id`,
  columns: [
    of('integer', 'BIGINT', 'id', 'id', [130_000]),
    of('integer', 'SMALLINT', 'g', 'g', [13]),
    of('text', 'VARCHAR', 'name', 'name', [5_000]),
    of('struct', STRUCT, 's', 's', [130_000]),
  ],
}

export const TABLES: readonly Table[] = [big, many, acc, few, days, events]

/** A statement that computes the rows of a table. */
export function rowsOf({ columns, rows, fold }: Table): string {
  if (fold !== undefined) return fold
  const list = columns.map(({ name, type, sql }) => `(${sql})::${type} AS ${name}`)
  return `SELECT ${list.join(', ')} FROM range(${rows}) AS r(i) ORDER BY i`
}
