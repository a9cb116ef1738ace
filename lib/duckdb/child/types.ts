import type {
  DuckDBArrayType,
  DuckDBDecimalType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  DuckDBType,
  DuckDBUnionType,
} from '@duckdb/node-api'
import { type ColumnType, type ScalarKind, type StructField, UnsupportedType } from '../../values/types.js'
import { DuckDBTypeId as Id } from './duckdb.js'

/**
 * Most lists and maps around a value: SQL reads them by nested lambdas, whose cost doubles with each level.
 */
const MAX_LIST_DEPTH = 8

const SCALARS: Readonly<Partial<Record<number, ScalarKind>>> = {
  [Id.BOOLEAN]: 'boolean',
  [Id.TINYINT]: 'tinyint',
  [Id.SMALLINT]: 'smallint',
  [Id.INTEGER]: 'integer',
  [Id.BIGINT]: 'bigint',
  [Id.HUGEINT]: 'hugeint',
  [Id.UTINYINT]: 'utinyint',
  [Id.USMALLINT]: 'usmallint',
  [Id.UINTEGER]: 'uinteger',
  [Id.UBIGINT]: 'ubigint',
  [Id.UHUGEINT]: 'uhugeint',
  [Id.FLOAT]: 'float',
  [Id.DOUBLE]: 'double',
  [Id.ENUM]: 'enum',
  [Id.UUID]: 'uuid',
  [Id.BLOB]: 'blob',
  [Id.BIT]: 'bit',
  [Id.DATE]: 'date',
  [Id.TIME]: 'time',
  [Id.TIME_NS]: 'time_ns',
  [Id.TIME_TZ]: 'time_tz',
  [Id.TIMESTAMP]: 'timestamp',
  [Id.TIMESTAMP_S]: 'timestamp_s',
  [Id.TIMESTAMP_MS]: 'timestamp_ms',
  [Id.TIMESTAMP_NS]: 'timestamp_ns',
  [Id.TIMESTAMP_TZ]: 'timestamp_tz',
  [Id.INTERVAL]: 'interval',
}

/** The type of a column of DuckDB; throws `UnsupportedType` for one that no format has. */
export function columnType(type: DuckDBType, depth = 0): ColumnType {
  switch (type.typeId) {
    case Id.VARCHAR:
      return { kind: type.alias === 'JSON' ? 'json' : 'varchar' }
    case Id.DECIMAL: {
      const { width, scale } = type as DuckDBDecimalType
      return { kind: 'decimal', width, scale }
    }
    case Id.LIST:
    case Id.ARRAY: {
      const items = (type as DuckDBListType | DuckDBArrayType).valueType
      return {
        kind: type.typeId === Id.LIST ? 'list' : 'array',
        items: columnType(items, within(depth, items)),
      }
    }
    case Id.MAP: {
      const { keyType, valueType } = type as DuckDBMapType
      const inside = within(depth)
      return { kind: 'map', key: columnType(keyType, inside), value: columnType(valueType, inside) }
    }
    case Id.STRUCT: {
      const { entryNames, entryTypes } = type as DuckDBStructType
      return { kind: 'struct', fields: fieldsOf(entryNames, entryTypes, depth) }
    }
    case Id.UNION: {
      const { memberTags, memberTypes } = type as DuckDBUnionType
      return { kind: 'union', members: fieldsOf(memberTags, memberTypes, depth) }
    }
    default: {
      const kind = SCALARS[type.typeId]
      if (kind === undefined) throw new UnsupportedType(`values of type ${String(type)}`)
      return { kind }
    }
  }
}

function fieldsOf(names: readonly string[], types: readonly DuckDBType[], depth: number): StructField[] {
  return types.map((each, index) => {
    const name = names[index] ?? ''
    const type = columnType(each, depth)
    return name === '' ? { name: String(index + 1), type, isUnnamed: true } : { name, type }
  })
}

/** The depth inside a list or map. Lists of plain values are not counted. */
function within(depth: number, items?: DuckDBType): number {
  if (items && isPlain(items)) return depth
  if (depth >= MAX_LIST_DEPTH) throw new UnsupportedType(`lists nested more than ${MAX_LIST_DEPTH} deep`)
  return depth + 1
}

function isPlain(type: DuckDBType): boolean {
  switch (type.typeId) {
    case Id.VARCHAR:
      return type.alias !== 'JSON'
    case Id.BOOLEAN:
    case Id.TINYINT:
    case Id.SMALLINT:
    case Id.INTEGER:
    case Id.UTINYINT:
    case Id.USMALLINT:
    case Id.UINTEGER:
    case Id.UUID:
      return true
    default:
      return false
  }
}
