import type { Data, DataType, Date_, Decimal, Field, Table, Utf8 } from 'apache-arrow'
import type { Column } from '../model.js'

type ArrowModule = typeof import('apache-arrow')
/** A column, or the members of one, as the parts that its record batches hold. */
interface ColumnParts {
  type: DataType
  data: Data[]
}

/** Key of an SQL type in the metadata of a field. */
const TYPE_KEY = 'foldgate.type'
/** The largest number of 15 digits: a decimal with more may not be a double. */
const MOST = 999_999_999_999_999
const DAYS_OF_400_YEARS = 146_097

/**
 * The table with DECIMAL and DATE, also nested, as the values that pages have. Other columns are not copied. With
 * `described`, its columns, each field names its SQL type: the values of several types are of one type in Arrow.
 */
export function withPageValues(table: Table, arrow: ArrowModule, described?: readonly Column[]): Table {
  const { fields, metadata } = table.schema
  const batches = table.batches.filter(({ numRows }) => numRows > 0) // an empty table's batch has no nested columns
  const columns = fields.map(({ type }, index) =>
    converted({ type, data: batches.map(({ data }) => data.children[index] as Data) }, arrow),
  )
  const typed = retyped(fields, columns).map((field, at) => {
    const type = described?.[at]?.type
    return type === undefined
      ? field
      : field.clone({ metadata: new Map([...field.metadata, [TYPE_KEY, type]]) })
  })
  const schema = new arrow.Schema(typed, metadata)
  const type = new arrow.Struct(schema.fields)
  return new arrow.Table(
    schema,
    batches.map(({ numRows: length }, batch) => {
      const children = columns.map(({ data }) => data[batch] as Data)
      return new arrow.RecordBatch(schema, arrow.makeData({ type, length, nullCount: 0, children }))
    }),
  )
}

function converted(parts: ColumnParts, arrow: ArrowModule): ColumnParts {
  const { type, data } = parts
  if (arrow.DataType.isDate(type)) return dates(data as Data<Date_>[], arrow)
  if (arrow.DataType.isDecimal(type)) return decimals(type, data as Data<Decimal>[], arrow)
  const fields: Field[] = type.children ?? []
  const members = fields.map((field, index) =>
    converted({ type: field.type, data: data.map(({ children }) => children[index] as Data) }, arrow),
  )
  if (members.every((member, index) => member.type === fields[index]?.type)) return parts
  const children = retyped(fields, members)
  const outer = arrow.DataType.isMap(type)
    ? new arrow.Map_(children[0] as never, type.keysSorted)
    : arrow.DataType.isList(type)
      ? new arrow.List(children[0] as Field)
      : new arrow.Struct(children)
  const within = (part: number) => members.map(member => member.data[part] as Data)
  return {
    type: outer,
    data: data.map((part, at) =>
      part.clone(outer, part.offset, part.length, part.nullCount, part.buffers, within(at)),
    ),
  }
}

function retyped(fields: Field[], columns: ColumnParts[]): Field[] {
  return fields.map((field, index) => field.clone({ type: columns[index]?.type as DataType }))
}

/** Strings in a dictionary, so that each date is formatted and decoded once. */
function dates(data: Data<Date_>[], arrow: ArrowModule): ColumnParts {
  const found = new Map<number, number>()
  const all = data.map(({ values, length }) => {
    const indices = new Int32Array(length)
    for (let row = 0; row < length; row++) {
      const day = values[row] as number
      if (!found.has(day)) found.set(day, found.size)
      indices[row] = found.get(day) as number
    }
    return indices
  })
  const dictionary = new arrow.Vector([texts([...found.keys()].map(dateText), arrow)])
  const type = new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32())
  return {
    type,
    data: data.map(({ length, nullCount, nullBitmap }, at) =>
      arrow.makeData({ type, length, nullCount, nullBitmap, data: all[at] as Int32Array, dictionary }),
    ),
  }
}

/** Days that stand for the infinite dates of the engine. */
const INFINITE: ReadonlyMap<number, string> = new Map([
  [2 ** 31 - 1, 'infinity'],
  [1 - 2 ** 31, '-infinity'],
])

/** `YYYY-MM-DD`. A Date holds fewer years than a DATE, so it formats the day within 400 years. */
function dateText(day: number): string {
  const infinite = INFINITE.get(day)
  if (infinite) return infinite
  const cycles = Math.floor(day / DAYS_OF_400_YEARS)
  const date = new Date((day - cycles * DAYS_OF_400_YEARS) * 86_400_000)
  const year = date.getUTCFullYear() + cycles * 400
  const sign = year < 0 ? '-' : year > 9999 ? '+' : ''
  return sign + String(Math.abs(year)).padStart(sign ? 6 : 4, '0') + date.toISOString().slice(4, 10)
}

/** Float64 if every decimal has at most 15 digits, else a union of Float64 and Utf8. */
function decimals(type: Decimal, data: Data<Decimal>[], arrow: ArrowModule): ColumnParts {
  const all = data.map(part => split(part, type))
  const number = new arrow.Float64()
  const numbers = data.map(({ length, nullCount, nullBitmap }, at) =>
    arrow.makeData({ type: number, length, nullCount, nullBitmap, data: all[at]?.numbers as Float64Array }),
  )
  if (all.every(({ digits }) => digits.length === 0)) return { type: number, data: numbers }
  const members = [arrow.Field.new('number', number, true), arrow.Field.new('digits', new arrow.Utf8(), true)]
  const union = new arrow.DenseUnion([0, 1], members)
  return {
    type: union,
    data: all.map(({ typeIds, valueOffsets, digits }, at) =>
      arrow.makeData({
        type: union,
        length: typeIds.length,
        typeIds,
        valueOffsets,
        children: [numbers[at] as Data, texts(digits, arrow)],
      }),
    ),
  }
}

/** The decimals that are numbers, in their rows, and the others as digits, in order. */
function split(part: Data<Decimal>, { bitWidth, scale }: Decimal) {
  const { length, values } = part
  const words = bitWidth / 32
  const numbers = new Float64Array(length)
  const typeIds = new Int8Array(length)
  const valueOffsets = new Int32Array(length)
  const digits: string[] = []
  for (let row = 0; row < length; row++) {
    valueOffsets[row] = row
    if (part.nullCount > 0 && !part.getValid(row)) continue
    const first = row * words
    const unscaled = small(values, first, words)
    if (Math.abs(unscaled) <= MOST) {
      // A quotient of two numbers that doubles hold is the double nearest to the decimal.
      numbers[row] = scale <= 22 ? unscaled / 10 ** scale : Number(`${unscaled}e-${scale}`)
    } else {
      typeIds[row] = 1
      valueOffsets[row] = digits.push(decimalText(values, first, words, scale)) - 1
    }
  }
  return { numbers, typeIds, valueOffsets, digits }
}

/** The integer in little-endian words, NaN if it takes more than two. */
function small(values: Uint32Array, first: number, words: number): number {
  const high = (values[first + Math.min(1, words - 1)] as number) | 0
  if (words === 1) return high
  for (let word = 2; word < words; word++)
    if (((values[first + word] as number) | 0) !== high >> 31) return Number.NaN
  return high * 2 ** 32 + (values[first] as number)
}

function decimalText(words: Uint32Array, first: number, count: number, scale: number): string {
  const top = first + count - 1
  let unscaled = BigInt((words[top] as number) | 0)
  for (let word = top - 1; word >= first; word--) unscaled = (unscaled << 32n) | BigInt(words[word] as number)
  const negative = unscaled < 0n
  const digits = String(negative ? -unscaled : unscaled).padStart(scale + 1, '0')
  if (scale === 0) return negative ? `-${digits}` : digits
  return `${negative ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

function texts(strings: string[], arrow: ArrowModule): Data<Utf8> {
  const valueOffsets = new Int32Array(strings.length + 1)
  strings.forEach((text, index) => {
    valueOffsets[index + 1] = (valueOffsets[index] as number) + text.length // each is ASCII
  })
  const data = new TextEncoder().encode(strings.join(''))
  return arrow.makeData({ type: new arrow.Utf8(), length: strings.length, nullCount: 0, valueOffsets, data })
}
