import type { GivenType } from 'foldgate/internal'
import { jsonWriter } from './json-writer.js'
import { isoDate, isoTimestamp } from './temporal.js'
import { elements, fields, parameters, type TypeSignature } from './type-signatures.js'

/** How the values of a type reach DuckDB: as JSON of one of its types. */
export interface ExportType {
  /** Writes a value that is not NULL. */
  write(value: unknown): string
  /** DuckDB's type of the value. */
  given: GivenType
}

/** How values of a type are exported. Throws an `UnsupportedType` for a type that no result can hold. */
export function exportType(type: TypeSignature): ExportType {
  const [precision = 0, scale = 0] = parameters(type)
  const asJson = jsonWriter(type)
  const quoted = (value: unknown) => JSON.stringify(String(value))
  const plain = (given: GivenType, write: ExportType['write'] = String): ExportType => ({ given, write })
  // What DuckDB has no type for is a string in the form that pages have.
  const text = (write: ExportType['write'] = asJson) => plain('VARCHAR', write)
  switch (type.rawType) {
    case 'unknown':
      return plain('INTEGER')
    case 'boolean':
    case 'tinyint':
    case 'smallint':
    case 'integer':
    case 'bigint':
      return plain(type.rawType.toUpperCase() as GivenType)
    case 'real':
      return plain('FLOAT', asJson)
    case 'double':
      return plain('DOUBLE', asJson)
    case 'decimal':
      return plain({ decimal: [precision, scale] }, quoted)
    case 'uuid':
      return plain('UUID', quoted)
    case 'varbinary':
      return plain('BLOB', quoted)
    case 'json':
      return plain('JSON', quoted)
    case 'date':
      return plain('DATE', value => `"${duckdbYear(isoDate(String(value)))}"`)
    case 'time':
      return precision <= MICROSECONDS ? plain('TIME', quoted) : text()
    case 'timestamp':
      if (precision > NANOSECONDS) return text()
      return plain(precision <= MICROSECONDS ? 'TIMESTAMP' : 'TIMESTAMP_NS', value => {
        return `"${duckdbYear(isoTimestamp(String(value)))}"`
      })
    case 'timestamp with time zone':
      if (precision > MICROSECONDS) return text()
      return plain(
        'TIMESTAMP WITH TIME ZONE',
        value => `"${duckdbYear(JSON.parse(asJson(value)) as string)}"`,
      )
    case 'array':
      return listOf(exportType(elements(type)[0] as TypeSignature))
    case 'row':
      return structOf(fields(type).map(field => ({ name: field.name, type: exportType(field.type) })))
    case 'map':
      return mapOf(type, asJson)
    default:
      return text()
  }
}

const MICROSECONDS = 6
const NANOSECONDS = 9

/** Years as DuckDB reads them: without a sign, and those before the year 1 as (BC). */
function duckdbYear(iso: string): string {
  const [, sign, year, date, rest = ''] = /^([+-])(\d+)(-\d\d-\d\d)(.*)$/.exec(iso) ?? []
  if (!sign)
    return iso.startsWith('0000') ? `0001${iso.slice(4, 10)} (BC)${iso.slice(10).replace('T', ' ')}` : iso
  if (sign === '+') return `${Number(year)}${date}${rest}`
  return `${String(Number(year) + 1).padStart(4, '0')}${date} (BC)${rest.replace('T', ' ')}`
}

const nullable = (type: ExportType) => (value: unknown) => (value === null ? 'null' : type.write(value))

function listOf(item: ExportType): ExportType {
  const write = nullable(item)
  return { given: { list: item.given }, write: value => `[${(value as unknown[]).map(write).join(',')}]` }
}

function structOf(members: readonly { name: string; type: ExportType }[]): ExportType {
  const writers = members.map(({ name, type }) => ({
    key: `${JSON.stringify(name)}:`,
    write: nullable(type),
  }))
  return {
    given: { struct: members.map(({ name, type }) => ({ name, type: type.given })) },
    write: value =>
      `{${writers.map(({ key, write }, index) => key + write((value as unknown[])[index])).join(',')}}`,
  }
}

function mapOf(type: TypeSignature, asJson: (value: unknown) => string): ExportType {
  const [key, value] = elements(type) as [TypeSignature, TypeSignature]
  if (key.rawType !== 'varchar' && key.rawType !== 'char')
    return { given: 'VARCHAR', write: map => JSON.stringify(asJson(map)) }
  const member = exportType(value)
  const write = nullable(member)
  return {
    given: { map: member.given },
    write: map =>
      `{${Object.entries(map as object).map(([name, each]) => `${JSON.stringify(name)}:${write(each)}`)}}`,
  }
}
