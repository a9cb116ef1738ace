import type { DuckDBListType, DuckDBMapType, DuckDBStructType, DuckDBType } from '@duckdb/node-api'
import { identifier, literal } from '../../values/quote.js'
import { asText } from './csv.js'
import { DuckDBTypeId as Id } from './duckdb.js'
import {
  asJson,
  checkedText,
  fieldNames,
  fieldOf,
  lambdaParameter,
  plainText,
  type ResultColumn,
  UnsupportedType,
} from './projection.js'
import { strictJson } from './strict-json.js'

const MIN_BIGINT = '-9223372036854775808'
const MAX_BIGINT = '9223372036854775807'
/** Errors of {@link columnsForParquet}'s SQL for values that do not fit into the types of common readers. */
export const TOO_HUGE = 'a HUGEINT that is no BIGINT'
export const TOO_PRECISE = 'a TIMESTAMP_NS that is no TIMESTAMP'

/**
 * SQL for the columns of a Parquet file, over columns named c0, c1 … With `nanoseconds`, a TIMESTAMP_NS stays one;
 * without, it becomes a TIMESTAMP, which more readers take, and a value that does not fit is the error TOO_PRECISE.
 */
export function columnsForParquet(columns: readonly ResultColumn[], nanoseconds: boolean): string {
  return columns
    .map((column, index) => {
      const value = forParquet(`c${index}`, column.type, { depth: 0, nanoseconds })
      return `${value} AS ${identifier(column.name)}`
    })
    .join(', ')
}

interface Place {
  /** Number of lists and maps around the value. */
  depth: number
  nanoseconds: boolean
}

/** SQL for a value in a Parquet file; converts only what the format would lose, or common readers refuse. */
function forParquet(value: string, type: DuckDBType, place: Place): string {
  switch (type.typeId) {
    case Id.HUGEINT:
      return fitting(value, `${value} BETWEEN ${MIN_BIGINT} AND ${MAX_BIGINT}`, 'BIGINT', TOO_HUGE)
    case Id.UHUGEINT:
      return fitting(value, `${value} <= CAST(${MAX_BIGINT} AS UHUGEINT)`, 'BIGINT', TOO_HUGE)
    case Id.TIMESTAMP_NS:
      if (place.nanoseconds) return value
      return fitting(value, `NOT isfinite(${value}) OR epoch_ns(${value}) % 1000 = 0`, 'TIMESTAMP', TOO_PRECISE)
    case Id.UUID:
      return `CAST(${value} AS VARCHAR)`
    case Id.VARCHAR:
      return type.alias === 'JSON' ? strictJson(value) : checkedText(value)
    case Id.ENUM:
      return checkedText(`CAST(${value} AS VARCHAR)`)
    case Id.INTERVAL:
    case Id.BIT:
    case Id.TIME_TZ:
      return plainText(value, type)
    case Id.UNION:
      return asText(value, type)
    case Id.LIST:
    case Id.ARRAY:
      return listForParquet(value, type as DuckDBListType, place)
    case Id.STRUCT:
      return structForParquet(value, type as DuckDBStructType, place)
    case Id.MAP:
      return mapForParquet(value, type as DuckDBMapType, place)
    case Id.VARIANT:
    case Id.GEOMETRY:
    case Id.BIGNUM:
      throw new UnsupportedType(`values of type ${String(type)}`)
    default:
      return value
  }
}

/** The value as `type` where `fits` holds, NULL as NULL, and otherwise an error. */
function fitting(value: string, fits: string, type: string, error: string): string {
  return `CASE WHEN ${fits} THEN CAST(${value} AS ${type}) WHEN ${value} IS NOT NULL THEN error(${literal(error)}) END`
}

/** A list_transform makes an ARRAY a LIST: the engine writes NULL arrays so that some readers refuse the file. */
function listForParquet(value: string, { typeId, valueType }: DuckDBListType, { depth, nanoseconds }: Place): string {
  const item = lambdaParameter(depth)
  const converted = forParquet(item, valueType, { depth: depth + 1, nanoseconds })
  if (converted === item && (typeId as number) === Id.LIST) return value
  return `list_transform(${value}, lambda ${item}: ${converted})`
}

function structForParquet(value: string, type: DuckDBStructType, place: Place): string {
  const names = fieldNames(type)
  const fields = type.entryTypes.map((_, index) => fieldOf(value, type, index))
  const converted = fields.map((field, index) => forParquet(field, type.entryTypes[index] as DuckDBType, place))
  const same = converted.every((field, index) => field === fields[index]) && !type.entryNames.includes('')
  if (same) return value
  const packed = converted.map((field, index) => `${identifier(names[index] as string)} := ${field}`)
  return `CASE WHEN ${value} IS NOT NULL THEN struct_pack(${packed.join(', ')}) END`
}

function mapForParquet(value: string, type: DuckDBMapType, { depth, nanoseconds }: Place): string {
  if (type.keyType.typeId !== Id.VARCHAR) return asJson(value, type, { depth, mostBytes: Number.MAX_SAFE_INTEGER })
  const item = lambdaParameter(depth)
  const inside = { depth: depth + 1, nanoseconds }
  const key = forParquet(`${item}.${identifier('key')}`, type.keyType, inside) // checks its text
  const member = forParquet(`${item}.${identifier('value')}`, type.valueType, inside)
  const entry = `struct_pack(key := ${key}, value := ${member})`
  return `CASE WHEN ${value} IS NOT NULL THEN map_from_entries(list_transform(map_entries(${value}), lambda ${item}: ${entry})) END`
}
