import { nearest } from '../values/nearest.js'

/** Types that a sealed column may have; lists of them are allowed too. */
const TYPES = new Set(
  (
    'BIGINT BIT BLOB BOOL BOOLEAN DATE DECIMAL DOUBLE FLOAT HUGEINT INT INTEGER INTERVAL JSON NUMERIC REAL SMALLINT ' +
    'TEXT TIME TIMESTAMP TIMESTAMPTZ TIMESTAMP_MS TIMESTAMP_NS TIMESTAMP_S TINYINT UBIGINT UHUGEINT UINTEGER USMALLINT ' +
    'UTINYINT UUID VARCHAR'
  ).split(' '),
)
/** Types of numbers that can be compared with a range. */
export const NUMBERS: ReadonlySet<string> = new Set(
  'BIGINT DECIMAL DOUBLE FLOAT HUGEINT INTEGER SMALLINT TINYINT UBIGINT UHUGEINT UINTEGER USMALLINT UTINYINT'.split(
    ' ',
  ),
)
/** Types whose values are strings. */
export const STRINGS: ReadonlySet<string> = new Set(['VARCHAR'])

/** Names of types that stand for another one. */
const SAME: Readonly<Record<string, string>> = {
  BOOL: 'BOOLEAN',
  INT: 'INTEGER',
  NUMERIC: 'DECIMAL',
  REAL: 'FLOAT',
  TEXT: 'VARCHAR',
  'TIMESTAMP WITH TIME ZONE': 'TIMESTAMPTZ',
}
/** Names of types in other databases, with what to write instead. */
const OTHER: Readonly<Record<string, string>> = {
  CHAR: 'VARCHAR',
  DATETIME: 'TIMESTAMP',
  ENUM: 'VARCHAR',
  FLOAT4: 'FLOAT',
  FLOAT8: 'DOUBLE',
  INT2: 'SMALLINT',
  INT4: 'INTEGER',
  INT8: 'BIGINT',
  JSONB: 'JSON',
  LONG: 'BIGINT',
  NUMBER: 'DOUBLE',
  STRING: 'VARCHAR',
  VARCHAR: 'VARCHAR', // with a length
}

/** The name of a type, without width and in capitals, by which two names of one type are equal. */
export function typeName(type: string): string {
  const bare = type.toUpperCase().replace(/ *\([^)]*\)/g, '')
  return SAME[bare] ?? bare
}

const LOWER_CASE = [...TYPES].map(type => type.toLowerCase())

/** What to write instead of what is no type; empty when that is not known. */
export function insteadOf(type: unknown): string {
  const name = typeof type === 'string' ? (/^\w+/.exec(type.toUpperCase())?.[0] ?? '') : ''
  const near = TYPES.has(name) ? null : nearest(name, LOWER_CASE)
  const instead = OTHER[name] ?? near?.toUpperCase()
  const list = typeof type === 'string' ? /(?:\[\d*\])*$/.exec(type)?.[0] : ''
  return instead === undefined ? '' : `: write ${instead}${list}`
}

const TYPE = /^(\w+)(?:\((\d{1,2})(?:, ?(\d{1,2}))?\))?(?: WITH TIME ZONE)?(?:\[\d*\])*$/i

/** Whether a value is the name of a type that a sealed column may have. */
export function isType(type: unknown): boolean {
  const [whole, name = '', width, scale] = (typeof type === 'string' && TYPE.exec(type)) || []
  if (whole === undefined || !TYPES.has(name.toUpperCase())) return false
  if (/ WITH TIME ZONE/i.test(whole) && !/^TIME(STAMP)?$/i.test(name)) return false
  if (width === undefined) return true
  return (
    /^(DECIMAL|NUMERIC)$/i.test(name) &&
    Number(width) >= 1 &&
    Number(width) <= 38 &&
    Number(scale ?? 0) <= Number(width)
  )
}
