/** A type of PostgreSQL, as its catalogue has it. */
export interface PostgresType {
  name: string
  /** How messages name it. */
  title: string
  isBuiltIn: boolean
  /** `b` for a base type, `d` for a domain, `e` for an enum, `c` for a composite type. */
  kind: string
  /** `S` for text. */
  category: string
  /** Type and modifier of which a domain is. */
  base: string | null
  modifier: number
  /** Type of the elements of an array. */
  element: string | null
}

/** How the values of a type become text that DuckDB casts to a type of its own without loss. */
export interface Conversion {
  /** The type of DuckDB; null when only the catalogue can tell it. */
  type: string | null
  /** Expression of the text; absent when the text that PostgreSQL writes is the one. */
  sql?: (value: string) => string
}

/** Types whose text DuckDB reads as it is, with the settings of transaction.ts. */
const SAME: Readonly<Record<string, string>> = {
  bool: 'BOOLEAN',
  int2: 'SMALLINT',
  int4: 'INTEGER',
  int8: 'BIGINT',
  oid: 'UINTEGER',
  float4: 'FLOAT',
  float8: 'DOUBLE',
  uuid: 'UUID',
  time: 'TIME',
  timetz: 'TIME WITH TIME ZONE',
  timestamp: 'TIMESTAMP',
  timestamptz: 'TIMESTAMPTZ',
  interval: 'INTERVAL',
  bit: 'BIT',
  varbit: 'BIT',
  text: 'VARCHAR',
  varchar: 'VARCHAR',
  name: 'VARCHAR',
  char: 'VARCHAR', // "char", a single byte
  json: 'JSON',
  jsonb: 'JSON',
}
/** Types whose text never has a brace, so that one of their arrays can be translated as a whole. */
const WITHOUT_BRACES =
  /^(bool|int[248]|oid|float[48]|numeric|uuid|timetz|time|timestamptz|timestamp|interval)$/

/** DuckDB takes years before Christ for years after it, unless BC is in parentheses. */
const DATE: Conversion = {
  type: 'DATE',
  sql: value =>
    `CASE WHEN ${value} < '0001-01-01' THEN replace(${value}::text, ' BC', ' (BC)') ELSE ${value}::text END`,
}

/** Each byte as `\xFF`. The strings mean the same whatever `standard_conforming_strings` is. */
const BYTES: Conversion = {
  type: 'BLOB',
  sql: value => `regexp_replace(encode(${value}, 'hex'), '..', E'\\\\\\\\x\\\\&', 'g')`,
}

const CONVERTED: Readonly<Record<string, Conversion>> = {
  // Blanks at the end count for nothing in PostgreSQL, and would for DuckDB: its cast takes them off.
  bpchar: { type: 'VARCHAR', sql: value => `${value}::text` },
  bytea: BYTES,
  date: DATE,
}

/** The conversion of a type; null when it has no counterpart. */
export function conversionOf(
  types: ReadonlyMap<string, PostgresType>,
  oid: string,
  modifier: number,
): Conversion | null {
  const type = types.get(oid)
  if (!type) return null
  if (type.base !== null) return conversionOf(types, type.base, type.modifier)
  if (type.element !== null) return listOf(types, type.element, modifier)
  if (type.kind === 'e' || (type.kind === 'b' && type.category === 'S' && !type.isBuiltIn))
    return { type: 'VARCHAR' } // such as citext
  if (!type.isBuiltIn) return null
  if (type.name === 'numeric') return { type: decimal(modifier) }
  const same = SAME[type.name]
  return same === undefined ? (CONVERTED[type.name] ?? null) : { type: same }
}

/** The type for `numeric(p, s)`; null when DuckDB has none as wide, or when any number of digits may come. */
function decimal(modifier: number): string | null {
  if (modifier < 4) return null
  const precision = ((modifier - 4) >> 16) & 0xffff
  const scale = (((modifier - 4) & 0x7ff) ^ 1024) - 1024 // 11 bits with a sign
  // A negative scale adds zeros before the point, and one above the precision after it.
  const width = scale < 0 ? precision - scale : Math.max(precision, scale)
  return width > 38 ? null : `DECIMAL(${width},${Math.max(scale, 0)})`
}

function listOf(
  types: ReadonlyMap<string, PostgresType>,
  element: string,
  modifier: number,
): Conversion | null {
  const of = conversionOf(types, element, modifier)
  // DuckDB parses a list of JSON anew, and numbers with many digits lose some.
  if (!of || of.type === 'JSON') return null
  const type = of.type === null ? null : `${of.type}[]`
  if (WITHOUT_BRACES.test(nameOf(types, element)))
    return { type, sql: value => `translate(${value}::text, '{}', '[]')` }
  const text = of.sql?.('item') ?? 'item::text'
  const quoted = `'"' || replace(replace(${text}, E'\\\\', E'\\\\\\\\'), '"', E'\\\\"') || '"'`
  const items = `SELECT coalesce(${quoted}, 'NULL') FROM unnest(LIST) WITH ORDINALITY AS items (item, at) ORDER BY at`
  return {
    type,
    sql: value =>
      // DuckDB refuses the text with braces that is left of arrays that are no lists.
      `CASE WHEN array_ndims(${value}) > 1 OR array_lower(${value}, 1) <> 1 THEN ${value}::text ` +
      `WHEN ${value} IS NOT NULL THEN '[' || array_to_string(ARRAY(${items.replace('LIST', () => value)}), ',') || ']' END`,
  }
}

/** The name of a built-in type, also of one that a domain is of. */
function nameOf(types: ReadonlyMap<string, PostgresType>, oid: string): string {
  const type = types.get(oid)
  if (type?.base) return nameOf(types, type.base)
  return type?.isBuiltIn ? type.name : ''
}

/** What to write for a column that has no conversion. */
export function adviceFor(types: ReadonlyMap<string, PostgresType>, oid: string, column: string): string {
  const type = types.get(oid)
  const title = `is of the type ${type?.title ?? 'unknown'}`
  const item = type?.element ?? null
  const [name, list] = item === null ? [nameOf(types, oid), ''] : [nameOf(types, item), '[]']
  if (name === 'numeric')
    return (
      `${title}, of which no column holds all values: write the digits that it has, as in ` +
      `${column}::numeric(18,2)${list} with at most 38, or ${column}::float8${list} where rounding does no harm`
    )
  const isComposite = [type, types.get(item ?? '')].some(of => of?.kind === 'c' || of?.name === 'record')
  const isJson = isComposite || name === 'json' || name === 'jsonb'
  return `${title}, which has no counterpart: write ${isJson ? `to_jsonb(${column})` : `${column}::text`}`
}
