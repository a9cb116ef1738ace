import { identifier } from 'foldgate/internal'

/** How a column of a sealed snapshot, whose type is DuckDB's, is stored for Trino. */
export interface StoredColumn {
  name: string
  /** Whether Trino reads the sealed file as it is. If not, DuckDB writes the table anew. */
  inPlace: boolean
  /** Type of the column where Trino reads the sealed file. */
  sealed: string
  /** DuckDB's SQL for the column of a new file, and its Trino type there. */
  select: string
  rewritten: string
  /** Trino's SQL for the value, from the column of a new file, and its type. */
  restore(column: string): string
  restored: string
}

/** Types that Trino reads from a sealed file. */
const IN_PLACE: Readonly<Record<string, string>> = {
  BOOLEAN: 'boolean',
  TINYINT: 'integer',
  SMALLINT: 'integer',
  INTEGER: 'integer',
  BIGINT: 'bigint',
  FLOAT: 'real',
  DOUBLE: 'double',
  VARCHAR: 'varchar',
  ENUM: 'varchar',
  BLOB: 'varbinary',
  UUID: 'uuid',
  DATE: 'date',
  TIME: 'time(6)',
  TIMESTAMP: 'timestamp(6)',
  'TIMESTAMP WITH TIME ZONE': 'timestamp(6) with time zone',
}

/** Types of a new file that hold what a sealed one has in a type that Trino does not read. */
const WIDER: Readonly<Record<string, [duckdb: string, trino: string]>> = {
  UTINYINT: ['INTEGER', 'integer'],
  USMALLINT: ['INTEGER', 'integer'],
  UINTEGER: ['BIGINT', 'bigint'],
  UBIGINT: ['DECIMAL(20, 0)', 'decimal(20, 0)'],
  HUGEINT: ['DECIMAL(38, 0)', 'decimal(38, 0)'],
  UHUGEINT: ['DECIMAL(38, 0)', 'decimal(38, 0)'],
  TIMESTAMP_S: ['TIMESTAMP', 'timestamp(6)'],
  TIMESTAMP_MS: ['TIMESTAMP', 'timestamp(6)'],
}

/** Types that a new file has as text, and the Trino type that the text is cast to. */
const AS_TEXT: Readonly<Record<string, string>> = {
  UUID: 'uuid',
  TIMESTAMP_NS: 'timestamp(9)',
  TIME_NS: 'time(9)',
  'TIME WITH TIME ZONE': 'time(6) with time zone',
}

/** How a column of this DuckDB type is stored. */
export function storedColumn(name: string, type: string): StoredColumn {
  const column = identifier(name)
  const sealed = sealedType(type)
  const asIs = {
    name,
    inPlace: sealed !== null,
    sealed: sealed ?? 'varchar',
    restore: (stored: string) => stored,
  }
  const base = type.startsWith('ENUM(') ? 'ENUM' : type
  const written = (duckdb: string, rewritten: string) => {
    return { ...asIs, select: `CAST(${column} AS ${duckdb}) AS ${column}`, rewritten, restored: rewritten }
  }
  const wider = WIDER[base]
  if (wider) return written(...wider)
  const text = written('VARCHAR', 'varchar')
  const cast = AS_TEXT[base]
  if (cast) return { ...text, restore: stored => `CAST(${stored} AS ${cast})`, restored: cast }
  const json = { ...text, restore: (stored: string) => `json_parse(${stored})`, restored: 'json' }
  if (base === 'JSON') return json
  if (isNested(type)) return { ...json, select: `CAST(to_json(${column}) AS VARCHAR) AS ${column}` }
  return sealed ? { ...asIs, select: column, rewritten: sealed, restored: sealed } : text
}

function isNested(type: string): boolean {
  return /^(STRUCT|MAP|UNION)\(|\]$/.test(type)
}

/** The Trino type with which a sealed column of this type is read; null when Trino cannot read it. */
function sealedType(type: string): string | null {
  const scalar = IN_PLACE[type.startsWith('ENUM(') && type.endsWith(')') ? 'ENUM' : type]
  if (scalar) return scalar
  const decimal = /^DECIMAL\((\d+),\s*(\d+)\)$/.exec(type)
  if (decimal) return `decimal(${decimal[1]}, ${decimal[2]})`
  const list = /^(.+)\[\d*\]$/s.exec(type)
  if (list) return around('array', [sealedType(list[1] as string)])
  const nested = /^(STRUCT|MAP)\((.*)\)$/s.exec(type)
  if (!nested) return null
  const parts = splitTop(nested[2] as string)
  if (nested[1] === 'MAP') return around('map', parts.map(sealedType))
  return around('row', parts.map(fieldOf))
}

function around(name: string, inner: readonly (string | null)[]): string | null {
  return inner.includes(null) ? null : `${name}(${inner.join(', ')})`
}

/** A field of a struct: its name, quoted where DuckDB quotes it, and its type. */
function fieldOf(field: string): string | null {
  const [, name, type = ''] = /^("(?:[^"]|"")*"|\S+) (.*)$/s.exec(field) ?? []
  const inner = sealedType(type)
  if (!name || !inner) return null
  return `${name.startsWith('"') ? name : identifier(name)} ${inner}`
}

/** Splits at the commas that are in no parentheses and no quotes. */
function splitTop(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  let quote = ''
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string
    if (quote) quote = character === quote ? '' : quote
    else if (character === '"' || character === "'") quote = character
    else if (character === '(') depth += 1
    else if (character === ')') depth -= 1
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(from, at).trim())
      from = at + 1
    }
  }
  return [...parts, text.slice(from).trim()]
}
