import type { DuckDBType as DuckType, DuckDBValue as DuckValue } from '@duckdb/node-api'
import type { ParameterKind, ParameterType } from '../../values/parameter-types.js'
import type { BoundParameter, BoundValue } from '../../values/parameters.js'
import type { Interval, TimeWithZone } from '../../values/vector.js'
import { api } from './duckdb.js'

/** Values and types by the names of parameters, as `connection.run()`, `stream()` and `bind()` take them. */
export type Bindings = readonly [values: Record<string, DuckValue>, types: Record<string, DuckType>]

/**
 * What DuckDB binds for parameters. A NULL has no type there, whatever its parameter says: the statement gives
 * it one, by a cast if need be. Items that are NULL have the type of their list.
 */
export function bindingsOf(parameters: readonly BoundParameter[]): Bindings {
  // Without a prototype, `__proto__` is a name like any other.
  const [values, types] = [Object.create(null), Object.create(null)] as [...Bindings]
  for (const { name, type, value } of parameters) {
    types[name] = type ? duckdbType(type) : api.SQLNULL
    values[name] = type ? duckdbValue(type, value) : null
  }
  return [values, types]
}

/** A type of DuckDB, and how a value of it is made. */
interface Bindable {
  type: DuckType
  make(value: never): DuckValue
}

const same = (value: number | bigint | boolean | string) => value

const SCALARS: Readonly<Record<ParameterKind, Bindable>> = {
  boolean: { type: api.BOOLEAN, make: same },
  tinyint: { type: api.TINYINT, make: same },
  smallint: { type: api.SMALLINT, make: same },
  integer: { type: api.INTEGER, make: same },
  bigint: { type: api.BIGINT, make: same },
  hugeint: { type: api.HUGEINT, make: same },
  utinyint: { type: api.UTINYINT, make: same },
  usmallint: { type: api.USMALLINT, make: same },
  uinteger: { type: api.UINTEGER, make: same },
  ubigint: { type: api.UBIGINT, make: same },
  uhugeint: { type: api.UHUGEINT, make: same },
  float: { type: api.FLOAT, make: same },
  double: { type: api.DOUBLE, make: same },
  varchar: { type: api.VARCHAR, make: same },
  uuid: {
    type: api.UUID,
    make: (text: string) => api.uuidValue(BigInt(`0x${text.replaceAll('-', '')}`)),
  },
  blob: { type: api.BLOB, make: (bytes: Uint8Array) => api.blobValue(bytes) },
  bit: { type: api.BIT, make: (bits: string) => api.bitValue(bits) },
  date: { type: api.DATE, make: (days: number) => api.dateValue(days) },
  time: { type: api.TIME, make: (micros: bigint) => api.timeValue(micros) },
  time_ns: { type: api.TIME_NS, make: (nanos: bigint) => api.timeNSValue(nanos) },
  time_tz: {
    type: api.TIMETZ,
    make: ({ micros, offset }: TimeWithZone) => api.timeTZValue(BigInt(micros), offset),
  },
  timestamp: { type: api.TIMESTAMP, make: (micros: bigint) => api.timestampValue(micros) },
  timestamp_s: { type: api.TIMESTAMP_S, make: (s: bigint) => api.timestampSecondsValue(s) },
  timestamp_ms: { type: api.TIMESTAMP_MS, make: (ms: bigint) => api.timestampMillisValue(ms) },
  timestamp_ns: { type: api.TIMESTAMP_NS, make: (ns: bigint) => api.timestampNanosValue(ns) },
  timestamp_tz: { type: api.TIMESTAMPTZ, make: (micros: bigint) => api.timestampTZValue(micros) },
  interval: {
    type: api.INTERVAL,
    make: ({ months, days, micros }: Interval) => api.intervalValue(months, days, BigInt(micros)),
  },
}

function duckdbType(type: ParameterType): DuckType {
  if (type.kind === 'list') return api.LIST(duckdbType(type.items))
  return type.kind === 'decimal' ? api.DECIMAL(type.width, type.scale) : SCALARS[type.kind].type
}

function duckdbValue(type: ParameterType, value: BoundValue): DuckValue {
  if (value === null) return null
  if (type.kind === 'list')
    return api.listValue((value as BoundValue[]).map(item => duckdbValue(type.items, item)))
  if (type.kind === 'decimal') return api.decimalValue(value as bigint, type.width, type.scale)
  return SCALARS[type.kind].make(value as never)
}
