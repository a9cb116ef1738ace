import { type DataType, type Field, type Table, TimeUnit, Type, tableFromIPC, type Vector } from 'apache-arrow'
import { readParquet } from 'parquet-wasm'

/** Reads the rows of a Parquet file without DuckDB, as the contract's JSON. */
export function readParquetRows(bytes: Uint8Array): Record<string, unknown>[] {
  return rowsOf(tableFromIPC(readParquet(bytes).intoIPCStream()))
}

/** The rows of a table as the contract's JSON. */
export function rowsOf(table: Table): Record<string, unknown>[] {
  const { fields } = table.schema
  const columns = fields.map((_, index) => table.getChildAt(index))
  return Array.from({ length: table.numRows }, (_, row) =>
    Object.fromEntries(
      fields.map((field, index) => [field.name, toJson(cell(columns[index] as Vector, row), field.type)]),
    ),
  )
}

/** Reads a value as stored. Arrow's getter would round a timestamp to a number of milliseconds. */
function cell(column: Vector, row: number): unknown {
  if (column.type.typeId !== Type.Timestamp || column.get(row) === null) return column.get(row)
  let index = row
  for (const data of column.data) {
    if (index < data.length) return data.values[index] as bigint
    index -= data.length
  }
  return null
}

/** Number of fractional digits of a second, per Arrow time unit. */
const FRACTION_DIGITS = {
  [TimeUnit.SECOND]: 0,
  [TimeUnit.MILLISECOND]: 3,
  [TimeUnit.MICROSECOND]: 6,
  [TimeUnit.NANOSECOND]: 9,
}

type Details = DataType & { scale: number; unit: TimeUnit; timezone?: string | null; precision: number }

function toJson(value: unknown, given: DataType): unknown {
  if (value === null || value === undefined) return null
  const type = given as Details
  switch (given.typeId) {
    case Type.Int:
      return number(BigInt(value as number | bigint))
    case Type.Float:
      return float(value as number, type.precision === 1)
    case Type.Decimal:
      return decimal(value as Uint32Array, type.scale)
    case Type.FixedSizeBinary:
      return Buffer.from(value as Uint8Array)
        .toString('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    case Type.Binary:
    case Type.LargeBinary:
      return Buffer.from(value as Uint8Array).toString('base64')
    case Type.Date:
      return day(BigInt(value as number) / 86_400_000n)
    case Type.Time:
      return clock(BigInt(value as number | bigint), FRACTION_DIGITS[type.unit])
    case Type.Timestamp:
      return instant(value as bigint | number, type)
    case Type.List:
    case Type.FixedSizeList:
      return [...(value as Iterable<unknown>)].map(item => toJson(item, (given.children[0] as Field).type))
    case Type.Struct:
      return struct(value as Iterable<[string, unknown]>, given.children)
    case Type.Map:
      return struct(
        value as Iterable<[string, unknown]>,
        null,
        ((given.children[0] as Field).type as DataType).children[1],
      )
    default:
      return value
  }
}

function struct(value: Iterable<[string, unknown]>, fields: Field[] | null, every?: Field): unknown {
  const entries = [...value].map(([name, member], index) => {
    const field = fields?.[index] ?? every
    return [name, toJson(member, (field as Field).type)] as const
  })
  return Object.fromEntries(entries)
}

function number(value: bigint): number | string {
  const safe = BigInt(Number.MAX_SAFE_INTEGER)
  return value >= -safe && value <= safe ? Number(value) : String(value)
}

function float(value: number, single: boolean): number | string {
  if (!Number.isFinite(value)) return String(value)
  if (!single) return value
  // Find the shortest decimal that rounds to the same single-precision number.
  for (let digits = 1; ; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return short
  }
}

function decimal(words: Uint32Array, scale: number): number | string {
  const unsigned = [...words].reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n)
  const unscaled = BigInt.asIntN(32 * words.length, unsigned)
  const negative = unscaled < 0n
  const digits = String(negative ? -unscaled : unscaled)
  const padded = digits.padStart(scale + 1, '0')
  const text = scale === 0 ? padded : `${padded.slice(0, -scale)}.${padded.slice(-scale)}`
  const signed = negative ? `-${text}` : text
  return digits.length <= 15 ? Number(signed) : signed
}

function day(days: bigint): string {
  const iso = new Date(Number(days) * 86_400_000).toISOString()
  return iso.slice(0, iso.indexOf('T'))
}

function instant(value: bigint | number, type: Details): string {
  const digits = typeof value === 'bigint' ? FRACTION_DIGITS[type.unit] : 3
  const ticks = typeof value === 'bigint' ? value : BigInt(Math.round(value))
  const perDay = 86_400n * 10n ** BigInt(digits)
  const within = ((ticks % perDay) + perDay) % perDay
  return `${day((ticks - within) / perDay)}T${clock(within, digits)}${type.timezone ? 'Z' : ''}`
}

function clock(ticks: bigint, digits: number): string {
  const perSecond = 10n ** BigInt(digits)
  const seconds = Number(ticks / perSecond)
  const two = (part: number) => String(part).padStart(2, '0')
  const fraction = String(ticks % perSecond)
    .padStart(digits, '0')
    .replace(/0+$/, '')
  const time = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  return digits > 0 && fraction ? `${time}.${fraction}` : time
}
