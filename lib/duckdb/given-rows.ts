const SCALARS = [
  'BOOLEAN',
  'TINYINT',
  'SMALLINT',
  'INTEGER',
  'BIGINT',
  'FLOAT',
  'DOUBLE',
  'VARCHAR',
  'UUID',
  'DATE',
  'TIME',
  'TIMESTAMP',
  'TIMESTAMP_NS',
  'TIMESTAMP WITH TIME ZONE',
  'BLOB',
  'JSON',
] as const

/**
 * Type of a column of {@link GivenRows}, as DuckDB names it. In JSON, a BLOB is its base64, a value of type
 * JSON a string of JSON, a struct and a map (whose keys are strings) an object, and every other value what
 * DuckDB reads it from.
 */
export type GivenType =
  | (typeof SCALARS)[number]
  | {
      /** Digits of a DECIMAL, in all and after the point. */
      decimal: readonly [precision: number, scale: number]
    }
  | {
      /** Type of the items of a list. */
      list: GivenType
    }
  | {
      /** Fields of a STRUCT. */
      struct: readonly GivenColumn[]
    }
  | {
      /** Type of the values of a MAP. */
      map: GivenType
    }

/** A column of {@link GivenRows}, or a field of a struct. */
export interface GivenColumn {
  /** Its name in the exported file. */
  name: string
  /** The type of its values. */
  type: GivenType
}

/** Rows that another engine has produced, in a file: a JSON object per line, with the members `c0`, `c1` … */
export interface GivenRows {
  /** Absolute path; it can be removed once the rows are exported. */
  path: string
  /** The columns, in the order of the members. */
  columns: readonly GivenColumn[]
  /** Most bytes of a line. Default: 16 MiB. */
  lineBytes?: number
}

/** Throws a TypeError that names a type that rows cannot have. */
export function checkTypes(columns: readonly GivenColumn[]): void {
  for (const { type } of columns) checkType(type)
}

function checkType(type: GivenType): void {
  if (typeof type === 'string') {
    if (!SCALARS.includes(type)) throw new TypeError(`rows cannot have the type ${type}`)
  } else if ('struct' in type) checkTypes(type.struct)
  else if (!('decimal' in type)) checkType('list' in type ? type.list : type.map)
}
