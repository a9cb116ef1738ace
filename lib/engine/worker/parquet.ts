import type { DuckDBListType, DuckDBMapType, DuckDBStructType, DuckDBType, DuckDBUnionType } from '@duckdb/node-api'
import { identifier } from '../quote.js'
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
  unionMembers,
} from './projection.js'
import { strictJson } from './strict-json.js'

/** SQL for the columns of a Parquet file, over columns named c0, c1 … */
export function columnsForParquet(columns: readonly ResultColumn[]): string {
  return columns
    .map((column, index) => `${forParquet(`c${index}`, column.type, 0)} AS ${identifier(column.name)}`)
    .join(', ')
}

/** SQL for a value in a Parquet file; converts only what the format would lose. */
function forParquet(value: string, type: DuckDBType, depth: number): string {
  switch (type.typeId) {
    case Id.HUGEINT:
    case Id.UHUGEINT:
      return `CAST(${value} AS DECIMAL(38, 0))`
    case Id.VARCHAR:
      return type.alias === 'JSON' ? `CAST(${strictJson(value)} AS JSON)` : checkedText(value)
    case Id.ENUM:
      return checkedText(`CAST(${value} AS VARCHAR)`)
    case Id.INTERVAL:
    case Id.BIT:
    case Id.TIME_TZ:
      return plainText(value, type)
    case Id.UNION:
      return unionMembers(value, type as DuckDBUnionType, asText)
    case Id.LIST:
    case Id.ARRAY:
      return listForParquet(value, (type as DuckDBListType).valueType, depth)
    case Id.STRUCT:
      return structForParquet(value, type as DuckDBStructType, depth)
    case Id.MAP:
      return mapForParquet(value, type as DuckDBMapType, depth)
    case Id.VARIANT:
    case Id.GEOMETRY:
    case Id.BIGNUM:
      throw new UnsupportedType(`values of type ${String(type)}`)
    default:
      return value
  }
}

/** SQL for a value as a string: a string as it is, anything else as JSON, scalars without quotes. */
function asText(value: string, type: DuckDBType): string {
  if (type.alias === 'JSON') return strictJson(value)
  if (type.typeId === Id.VARCHAR || type.typeId === Id.ENUM || type.typeId === Id.UUID)
    return checkedText(`CAST(${value} AS VARCHAR)`)
  const json = asJson(value, type, { depth: 0, mostBytes: Number.MAX_SAFE_INTEGER })
  const isQuoted = `starts_with(${json}, '"')`
  return holdsMembers(type) ? json : `CASE WHEN ${isQuoted} THEN ${json}[2:-2] ELSE ${json} END`
}

function holdsMembers(type: DuckDBType): boolean {
  return [Id.LIST, Id.ARRAY, Id.STRUCT, Id.MAP].includes(type.typeId)
}

function listForParquet(value: string, type: DuckDBType, depth: number): string {
  const item = lambdaParameter(depth)
  const converted = forParquet(item, type, depth + 1)
  return converted === item ? value : `list_transform(${value}, lambda ${item}: ${converted})`
}

function structForParquet(value: string, type: DuckDBStructType, depth: number): string {
  const names = fieldNames(type)
  const fields = type.entryTypes.map((_, index) => fieldOf(value, type, index))
  const converted = fields.map((field, index) => forParquet(field, type.entryTypes[index] as DuckDBType, depth))
  const same = converted.every((field, index) => field === fields[index]) && !type.entryNames.includes('')
  if (same) return value
  const packed = converted.map((field, index) => `${identifier(names[index] as string)} := ${field}`)
  return `CASE WHEN ${value} IS NOT NULL THEN struct_pack(${packed.join(', ')}) END`
}

function mapForParquet(value: string, type: DuckDBMapType, depth: number): string {
  if (type.keyType.typeId !== Id.VARCHAR) return asJson(value, type, { depth, mostBytes: Number.MAX_SAFE_INTEGER })
  const item = lambdaParameter(depth)
  const member = `${item}.${identifier('value')}`
  const converted = forParquet(member, type.valueType, depth + 1)
  if (converted === member) return value
  const entry = `struct_pack(key := ${item}.${identifier('key')}, value := ${converted})`
  return `CASE WHEN ${value} IS NOT NULL THEN map_from_entries(list_transform(map_entries(${value}), lambda ${item}: ${entry})) END`
}
