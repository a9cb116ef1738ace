import { identifier, literal } from './quote.js'
import {
  type ColumnType,
  type ResultColumn,
  type StructField,
  TEXT_FUNCTION,
  TYPES,
  type TypeOf,
  UnsupportedType,
} from './types.js'

const MIN_BIGINT = '-9223372036854775808'
const MAX_BIGINT = '9223372036854775807'
/** Nested lists are read by nested lambdas, whose cost doubles with each level. */
const MAX_LIST_DEPTH = 8
/** Errors of {@link columnsForParquet}'s SQL for values that do not fit into the types of common readers. */
export const TOO_HUGE = 'a HUGEINT that is no BIGINT'
export const TOO_PRECISE = 'a TIMESTAMP_NS that is no TIMESTAMP'

/**
 * SQL for the columns of a Parquet file, over columns named c0, c1 … With `nanoseconds`, a TIMESTAMP_NS stays
 * one; without, it becomes a TIMESTAMP, which more readers take, and a value that does not fit is the error
 * TOO_PRECISE. The engine must have the function {@link TEXT_FUNCTION}, which spells a value as {@link
 * textOf} does.
 */
export function columnsForParquet(columns: readonly ResultColumn[], nanoseconds: boolean): string {
  return columns
    .map((column, index) => {
      const value = forParquet(`c${index}`, column.type, { depth: 0, nanoseconds })
      return `${value} AS ${identifier(column.name)}`
    })
    .join(', ')
}

/** Where a value is cast. */
interface CastContext {
  /** Number of lists and maps around the value. */
  depth: number
  nanoseconds: boolean
}

/** SQL for a value in a Parquet file; converts only what the format would lose, or common readers refuse. */
function forParquet(value: string, type: ColumnType, context: CastContext): string {
  const form = TYPES[type.kind].parquet
  switch (form) {
    case 'kept':
      return value
    case 'text':
      return asText(value)
    case 'bigint': {
      const fits =
        type.kind === 'hugeint'
          ? `BETWEEN ${MIN_BIGINT} AND ${MAX_BIGINT}`
          : `<= CAST(${MAX_BIGINT} AS UHUGEINT)`
      return fitting(value, `${value} ${fits}`, 'BIGINT', TOO_HUGE)
    }
    case 'nanoseconds':
      if (context.nanoseconds) return value
      return fitting(
        value,
        `NOT isfinite(${value}) OR epoch_ns(${value}) % 1000 = 0`,
        'TIMESTAMP',
        TOO_PRECISE,
      )
    case 'varchar':
      return checked(`CAST(${value} AS VARCHAR)`)
    case 'checked':
      return checked(value)
    case 'list':
      return listForParquet(value, type as TypeOf<'list' | 'array'>, context)
    case 'struct':
      return structForParquet(value, (type as TypeOf<'struct'>).fields, context)
    case 'map':
      return mapForParquet(value, type as TypeOf<'map'>, context)
    default:
      return form satisfies never
  }
}

function asText(value: string): string {
  return `${TEXT_FUNCTION}(${value})`
}

/** SQL that fails on a string that is not valid UTF-8, which some readers refuse. */
function checked(text: string): string {
  return `decode(encode(${text}))`
}

/** The value as `type` where `fits` holds, NULL as NULL, and otherwise an error. */
function fitting(value: string, fits: string, type: string, error: string): string {
  return `CASE WHEN ${fits} THEN CAST(${value} AS ${type}) WHEN ${value} IS NOT NULL THEN error(${literal(error)}) END`
}

/** Name of a lambda's parameter, and the context of its body. */
function within({ depth, nanoseconds }: CastContext): [parameter: string, context: CastContext] {
  if (depth >= MAX_LIST_DEPTH) throw new UnsupportedType(`lists nested more than ${MAX_LIST_DEPTH} deep`)
  return [`x${depth}`, { depth: depth + 1, nanoseconds }]
}

/**
 * A list_transform makes an ARRAY a LIST: the engine writes NULL arrays so that some readers refuse the file.
 */
function listForParquet(value: string, type: TypeOf<'list' | 'array'>, context: CastContext): string {
  const [item, inside] = within(context)
  const converted = forParquet(item, type.items, inside)
  if (converted === item && type.kind === 'list') return value
  return `list_transform(${value}, lambda ${item}: ${converted})`
}

function structForParquet(value: string, fields: readonly StructField[], context: CastContext): string {
  const values = fields.map(
    ({ name, isUnnamed }) => `struct_extract(${value}, ${isUnnamed ? name : literal(name)})`,
  )
  const converted = fields.map(({ type }, index) => forParquet(values[index] as string, type, context))
  const same =
    converted.every((each, index) => each === values[index]) && !fields.some(field => field.isUnnamed)
  if (same) return value
  const packed = converted.map((field, index) => `${identifier(fields[index]?.name as string)} := ${field}`)
  return `CASE WHEN ${value} IS NOT NULL THEN struct_pack(${packed.join(', ')}) END`
}

function mapForParquet(value: string, { key, value: mapped }: TypeOf<'map'>, context: CastContext): string {
  if (key.kind !== 'varchar' && key.kind !== 'json') return asText(value)
  const [item, inside] = within(context)
  const entry =
    `struct_pack(key := ${forParquet(`${item}.${identifier('key')}`, key, inside)}, ` +
    `value := ${forParquet(`${item}.${identifier('value')}`, mapped, inside)})`
  return (
    `CASE WHEN ${value} IS NOT NULL ` +
    `THEN map_from_entries(list_transform(map_entries(${value}), lambda ${item}: ${entry})) END`
  )
}
