import type {
  DuckDBArrayType,
  DuckDBDecimalType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  DuckDBType,
  DuckDBUnionType,
} from '@duckdb/node-api'
import { identifier, literal } from '../../values/quote.js'
import { DuckDBTypeId as Id } from './duckdb.js'
import { decimalAsJson, floatAsText, integerAsJson } from './numbers.js'
import { strictJson } from './strict-json.js'
import * as text from './temporal.js'

/** A column of a result: its name as callers see it, which is unique in the result, and its type. */
export interface ResultColumn {
  name: string
  type: DuckDBType
}

/** A type that the output format cannot represent. */
export class UnsupportedType extends Error {}

/** Nested lists are read by nested lambdas, whose cost doubles with each level. */
const MAX_LIST_DEPTH = 8

/** Message for a string that is not valid UTF-8. */
export const NOT_UTF8 = 'A text of the result is not valid UTF-8.'

/** SQL for the JSON object of one row, over columns named c0, c1 …; above `mostBytes` it need not be valid. */
export function rowAsJson(columns: readonly ResultColumn[], mostBytes: number): string {
  const place = { depth: 0, mostBytes }
  const members = columns.map((column, index) => member(column.name, `c${index}`, column.type, place, index > 0))
  return `concat('{', ${[...members, "'}'"].join(', ')})`
}

/** The context of a value in its row. */
export interface Place {
  /** Number of enclosing lists and maps. */
  depth: number
  /** Longer values of type JSON are not checked: no row can hold them. */
  mostBytes: number
}

/** SQL for the JSON text of a value, NULL for NULL. */
export function asJson(value: string, type: DuckDBType, place: Place): string {
  if (writesItself(type)) return `CAST(to_json(${value}) AS VARCHAR)`
  switch (type.typeId) {
    case Id.VARCHAR:
      // A line break would end the row of a chunk, or of a file: many readers of NDJSON also end a line at CR. In valid
      // JSON it can only be white space between tokens.
      if (type.alias === 'JSON')
        return `replace(replace(${strictJson(value, place.mostBytes)}, chr(10), ' '), chr(13), ' ')`
      return `CAST(to_json(${checkedText(value)}) AS VARCHAR)`
    case Id.ENUM:
      return `CAST(to_json(${checkedText(`CAST(${value} AS VARCHAR)`)}) AS VARCHAR)`
    case Id.FLOAT:
    case Id.DOUBLE:
      return floatAsText(value, type, '"')
    case Id.BIGINT:
    case Id.HUGEINT:
    case Id.UBIGINT:
    case Id.UHUGEINT:
      return integerAsJson(value, type)
    case Id.DECIMAL:
      return decimalAsJson(value, type as DuckDBDecimalType)
    case Id.LIST:
    case Id.ARRAY:
      return listAsJson(value, (type as DuckDBListType | DuckDBArrayType).valueType, place)
    case Id.STRUCT:
      return structAsJson(value, type as DuckDBStructType, place)
    case Id.MAP:
      return mapAsJson(value, type as DuckDBMapType, place)
    case Id.UNION:
      return unionMembers(value, type as DuckDBUnionType, (member, memberType) => asJson(member, memberType, place))
    case Id.DATE:
    case Id.TIMESTAMP:
    case Id.TIMESTAMP_S:
    case Id.TIMESTAMP_MS:
    case Id.TIMESTAMP_NS:
    case Id.TIMESTAMP_TZ:
      return plainText(value, type, '"')
    default:
      return `CASE WHEN ${value} IS NOT NULL THEN concat('"', ${plainText(value, type)}, '"') END`
  }
}

/** SQL for the text of a scalar that needs no escaping in a JSON string; dates and timestamps may be quoted. */
export function plainText(value: string, type: DuckDBType, quote = ''): string {
  switch (type.typeId) {
    case Id.DATE:
      return text.date(value, quote)
    case Id.TIME:
    case Id.TIME_NS:
    case Id.BIT:
      return `CAST(${value} AS VARCHAR)`
    case Id.TIME_TZ:
      return text.timeWithZone(value)
    case Id.TIMESTAMP:
    case Id.TIMESTAMP_S:
    case Id.TIMESTAMP_MS:
    case Id.TIMESTAMP_NS:
      return text.timestamp(value, String(type), '', quote)
    case Id.TIMESTAMP_TZ:
      return text.timestamp(`(${value} AT TIME ZONE 'UTC')`, 'TIMESTAMP', 'Z', quote)
    case Id.INTERVAL:
      return text.interval(value)
    case Id.BLOB:
      return `base64(${value})`
    default:
      throw new UnsupportedType(`values of type ${String(type)}`)
  }
}

/** SQL for the member that a union holds, as `write` writes it. */
export function unionMembers(
  value: string,
  type: DuckDBUnionType,
  write: (member: string, type: DuckDBType) => string,
): string {
  const cases = type.memberTags.map((tag, index) => {
    const member = `union_extract(${value}, ${literal(tag)})`
    return `WHEN ${literal(tag)} THEN ${write(member, type.memberTypes[index] as DuckDBType)}`
  })
  return `CASE CAST(union_tag(${value}) AS VARCHAR) ${cases.join(' ')} END`
}

/** Names of a struct's fields; unnamed fields are numbered from 1, as DuckDB numbers them. */
export function fieldNames(type: DuckDBStructType): string[] {
  return type.entryNames.map((name, index) => (name === '' ? String(index + 1) : name))
}

/** SQL that reads a field of a struct. */
export function fieldOf(value: string, type: DuckDBStructType, index: number): string {
  const name = type.entryNames[index]
  return `struct_extract(${value}, ${name === '' || name === undefined ? index + 1 : literal(name)})`
}

/** Name of a lambda's parameter; throws `UnsupportedType` when lists are nested too deeply. */
export function lambdaParameter(depth: number): string {
  if (depth >= MAX_LIST_DEPTH) throw new UnsupportedType(`lists nested more than ${MAX_LIST_DEPTH} deep`)
  return `x${depth}`
}

/** SQL that fails on a string that is not valid UTF-8, which would make the whole answer unreadable. */
export function checkedText(text: string): string {
  return `decode(encode(${text}))`
}

/** Whether DuckDB's to_json is right for every value of this type. */
function writesItself(type: DuckDBType): boolean {
  switch (type.typeId) {
    case Id.BOOLEAN:
    case Id.TINYINT:
    case Id.SMALLINT:
    case Id.INTEGER:
    case Id.UTINYINT:
    case Id.USMALLINT:
    case Id.UINTEGER:
    case Id.UUID:
    case Id.SQLNULL:
      return true
    case Id.LIST:
    case Id.ARRAY:
      return writesItself((type as DuckDBListType).valueType)
    default:
      return false
  }
}

function member(name: string, value: string, type: DuckDBType, place: Place, comma: boolean): string {
  const key = literal(`${comma ? ',' : ''}${JSON.stringify(name)}:`)
  return `${key}, coalesce(${asJson(value, type, place)}, 'null')`
}

function listAsJson(value: string, type: DuckDBType, place: Place): string {
  if (isText(type)) return textsAsJson(value)
  const item = lambdaParameter(place.depth)
  const items = `list_transform(${value}, lambda ${item}: coalesce(${asJson(item, type, within(place))}, 'null'))`
  return `CASE WHEN ${value} IS NOT NULL THEN concat('[', array_to_string(${items}, ','), ']') END`
}

function within({ depth, mostBytes }: Place): Place {
  return { depth: depth + 1, mostBytes }
}

function isText(type: DuckDBType): boolean {
  return type.typeId === Id.VARCHAR && type.alias !== 'JSON'
}

/** SQL for a list of strings; to_json returns nothing when one of them is not valid UTF-8. */
function textsAsJson(value: string): string {
  const json = `CAST(to_json(${value}) AS VARCHAR)`
  return `CASE WHEN ${json} <> '' THEN ${json} WHEN ${value} IS NOT NULL THEN error(${literal(NOT_UTF8)}) END`
}

function structAsJson(value: string, type: DuckDBStructType, place: Place): string {
  const members = fieldNames(type).map((name, index) =>
    member(name, fieldOf(value, type, index), type.entryTypes[index] as DuckDBType, place, index > 0),
  )
  return `CASE WHEN ${value} IS NOT NULL THEN concat('{', ${[...members, "'}'"].join(', ')}) END`
}

function mapAsJson(value: string, type: DuckDBMapType, place: Place): string {
  const item = lambdaParameter(place.depth)
  const key = `coalesce(${asJson(`${item}.${identifier('key')}`, type.keyType, within(place))}, 'null')`
  const mapped = `coalesce(${asJson(`${item}.${identifier('value')}`, type.valueType, within(place))}, 'null')`
  const asObject = type.keyType.typeId === Id.VARCHAR && type.keyType.alias !== 'JSON'
  const entry = asObject ? `concat(${key}, ':', ${mapped})` : `concat('{"key":', ${key}, ',"value":', ${mapped}, '}')`
  const entries = `array_to_string(list_transform(map_entries(${value}), lambda ${item}: ${entry}), ',')`
  const [open, close] = asObject ? ["'{'", "'}'"] : ["'['", "']'"]
  return `CASE WHEN ${value} IS NOT NULL THEN concat(${open}, ${entries}, ${close}) END`
}
