import type { ColumnType, TypeKind, TypeOf } from '../../values/types.js'
import type { Integer, Slice, Value, Vector } from '../../values/vector.js'
import { bindings, type DataChunk, DuckDBLogicalType, type RawVector } from './duckdb.js'
import { columnType } from './types.js'

const TWO_32 = 2 ** 32
const HEX = Buffer.from('0123456789abcdef')

/** The columns of a chunk, whose memory they are: it must be referenced as long as they are read. */
export function readChunk({ chunk, rowCount }: DataChunk, types: readonly ColumnType[]): Vector[] {
  return types.map((type, column) =>
    readVector(bindings.data_chunk_get_vector(chunk, column), type, rowCount),
  )
}

/** The type of the only column of a chunk. */
export function typeOfChunk({ chunk }: DataChunk): ColumnType {
  const type = bindings.vector_get_column_type(bindings.data_chunk_get_vector(chunk, 0))
  return columnType(DuckDBLogicalType.create(type).asType())
}

/** The first `count` values of a vector. */
function readVector(raw: RawVector, type: ColumnType, count: number, isField = false): Vector {
  switch (type.kind) {
    case 'list':
    case 'map':
      return new ListValues(raw, type, count)
    case 'array':
      return new ArrayValues(raw, type, count)
    case 'struct':
      return new StructValues(
        raw,
        type.fields.map((field, at) => readField(raw, at, field.type, count)),
        count,
      )
    case 'union': // a struct whose first field is the number of the member
      return new UnionValues(
        raw,
        type.members.map((member, at) => readField(raw, at + 1, member.type, count)),
        count,
      )
    default:
      return new ScalarValues(raw, type, count, isField)
  }
}

function readField(raw: RawVector, at: number, type: ColumnType, count: number): Vector {
  return readVector(bindings.struct_vector_get_child(raw, at), type, count, true)
}

/** What vectors have in common: which of their values are NULL. */
abstract class DuckVector implements Vector {
  readonly #validity: Uint8Array | null
  readonly children: readonly Vector[] = []

  constructor(raw: RawVector, count: number) {
    this.#validity = count > 0 ? bindings.vector_get_validity(raw, Math.ceil(count / 64) * 8) : null
  }

  get numbers(): Float64Array | null {
    return null
  }

  isNull(index: number): boolean {
    return this.#validity !== null && ((this.#validity[index >> 3] as number) & (1 << (index & 7))) === 0
  }

  /** Of nested values, never called. */
  value(_index: number): Value {
    throw new Error('nested values have no scalars')
  }

  start(_index: number): number {
    throw new Error('scalars have no items')
  }

  end(_index: number): number {
    throw new Error('scalars have no items')
  }
}

class ScalarValues extends DuckVector {
  override readonly value: ReadValue
  readonly #readNumbers: (() => Float64Array | null) | null
  #numbers: Float64Array | null | undefined

  constructor(raw: RawVector, type: ColumnType, count: number, isField: boolean) {
    super(raw, count)
    // Memory of a field may be anything where its struct is NULL, so it is not read before it is asked for.
    const runs = isField ? 0 : count
    const [bytes, read, readNumbers] = layoutOf(type)
    const data = dataOf(raw, bytes * count)
    this.value = read(data, { raw, count, isString: index => index < runs && !this.isNull(index) })
    this.#readNumbers = readNumbers && !isField ? () => readNumbers(data) : null
  }

  override get numbers(): Float64Array | null {
    if (this.#numbers === undefined) this.#numbers = this.#readNumbers?.() ?? null
    return this.#numbers
  }
}

class StructValues extends DuckVector {
  override readonly children: readonly Vector[]

  constructor(raw: RawVector, children: readonly Vector[], count: number) {
    super(raw, count)
    this.children = children
  }
}

class UnionValues extends StructValues {
  readonly #tags: Vector

  constructor(raw: RawVector, members: readonly Vector[], count: number) {
    super(raw, members, count)
    this.#tags = readField(raw, 0, { kind: 'utinyint' }, count)
  }

  override isNull(index: number): boolean {
    return super.isNull(index) || this.#tags.isNull(index)
  }

  override value(index: number): Value {
    return this.#tags.value(index)
  }
}

class ListValues extends DuckVector {
  override readonly children: readonly Vector[]
  /** Per list, where it begins and its length, as halves of 64-bit integers. */
  readonly #entries: Uint32Array

  constructor(raw: RawVector, type: TypeOf<'list' | 'map'>, count: number) {
    super(raw, count)
    const data = bindings.vector_get_data(raw, count * 16)
    this.#entries = new Uint32Array(data.buffer, data.byteOffset, count * 4)
    const child = bindings.list_vector_get_child(raw)
    const items = bindings.list_vector_get_size(raw)
    this.children =
      type.kind === 'list'
        ? [readVector(child, type.items, items)]
        : [type.key, type.value].map((each, at) => readField(child, at, each, items))
  }

  override start(index: number): number {
    return this.#word(4 * index)
  }

  override end(index: number): number {
    return this.#word(4 * index) + this.#word(4 * index + 2)
  }

  #word(at: number): number {
    return (this.#entries[at] as number) + (this.#entries[at + 1] as number) * TWO_32
  }
}

class ArrayValues extends DuckVector {
  override readonly children: readonly Vector[]
  readonly #length: number

  constructor(raw: RawVector, type: TypeOf<'array'>, count: number) {
    super(raw, count)
    this.#length = bindings.array_type_array_size(bindings.vector_get_column_type(raw))
    this.children = [readVector(bindings.array_vector_get_child(raw), type.items, count * this.#length)]
  }

  override start(index: number): number {
    return index * this.#length
  }

  override end(index: number): number {
    return (index + 1) * this.#length
  }
}

/** Bytes of DuckDB's string_t: a length, then the string itself, or four bytes of it and a pointer. */
const [STRING_BYTES, INLINE_BYTES, POINTER_AT] = [16, 12, 8]
/** Largest offset of a TIMETZ from UTC, in seconds; it is stored as the difference from this. */
const MAX_OFFSET = 16 * 3600 - 1
const OFFSET_BITS = 24n
const OFFSET_MASK = (1n << OFFSET_BITS) - 1n

/** Reads the value at an index. */
type ReadValue = (index: number) => Value

/** Bytes of a value, how to read it, and how to read all as numbers. */
type Layout = readonly [
  bytes: number,
  read: (data: DataView, vector: VectorData) => ReadValue,
  readNumbers?: (data: DataView) => Float64Array | null,
]

/** A vector that is read. */
interface VectorData {
  raw: RawVector
  count: number
  /** Whether there is certainly a value at this index. */
  isString(index: number): boolean
}

/** Reads numbers of a width, which lie next to each other. */
const numbersAs =
  (Numbers: Int8ArrayConstructor | Int16ArrayConstructor | Int32ArrayConstructor) =>
  ({ buffer, byteOffset, byteLength }: DataView) =>
    new Float64Array(new Numbers(buffer as ArrayBuffer, byteOffset, byteLength / Numbers.BYTES_PER_ELEMENT))

const int16: Layout = [2, data => index => data.getInt16(2 * index, true), numbersAs(Int16Array)]
const int32: Layout = [4, data => index => data.getInt32(4 * index, true), numbersAs(Int32Array)]
const int64: Layout = [8, data => index => signed64(data, 8 * index)]
const bigint: Layout = [8, int64[1], numbers64]
const text: Layout = [STRING_BYTES, (data, { isString }) => stringsOf(data, isString)]

/** How DuckDB lays out the values of each type, but for DECIMAL, whose layout depends on its width. */
const LAYOUTS: Readonly<
  Record<Exclude<TypeKind, 'decimal' | 'list' | 'array' | 'map' | 'struct' | 'union'>, Layout>
> = {
  boolean: [1, data => index => data.getUint8(index) !== 0],
  tinyint: [1, data => index => data.getInt8(index), numbersAs(Int8Array)],
  smallint: int16,
  integer: int32,
  utinyint: [1, data => index => data.getUint8(index)],
  usmallint: [2, data => index => data.getUint16(2 * index, true)],
  uinteger: [4, data => index => data.getUint32(4 * index, true)],
  bigint,
  ubigint: [8, data => index => unsigned64(data, 8 * index)],
  hugeint: [16, data => index => signed128(data, 16 * index)],
  uhugeint: [16, data => index => unsigned128(data, 16 * index)],
  float: [4, data => index => data.getFloat32(4 * index, true)],
  double: [8, data => index => data.getFloat64(8 * index, true)],
  varchar: text,
  json: text,
  blob: text,
  bit: text,
  enum: [0, (_, { raw, count }) => enumReader(raw, count)],
  uuid: [16, data => index => uuidText(data, 16 * index)],
  date: int32,
  time: int64,
  time_ns: int64,
  time_tz: [8, data => index => timeWithZone(data.getBigUint64(8 * index, true))],
  timestamp: int64,
  timestamp_s: int64,
  timestamp_ms: int64,
  timestamp_ns: int64,
  timestamp_tz: int64,
  interval: [
    16,
    data => index => ({
      months: data.getInt32(16 * index, true),
      days: data.getInt32(16 * index + 4, true),
      micros: signed64(data, 16 * index + 8),
    }),
  ],
}

function layoutOf(type: ColumnType): Layout {
  if (type.kind !== 'decimal') return LAYOUTS[type.kind as keyof typeof LAYOUTS]
  if (type.width <= 4) return int16
  if (type.width <= 9) return int32
  return type.width <= 18 ? bigint : LAYOUTS.hugeint
}

function dataOf(raw: RawVector, bytes: number): DataView {
  const data = bytes > 0 ? bindings.vector_get_data(raw, bytes) : new Uint8Array()
  return new DataView(data.buffer, data.byteOffset, data.byteLength)
}

function signed64(data: DataView, at: number): Integer {
  const number = data.getInt32(at + 4, true) * TWO_32 + data.getUint32(at, true)
  return Number.isSafeInteger(number) ? number : data.getBigInt64(at, true)
}

function numbers64({ buffer, byteOffset, byteLength }: DataView): Float64Array | null {
  const halves = new Int32Array(buffer, byteOffset, byteLength / 4)
  const numbers = new Float64Array(byteLength / 8)
  let isExact = true
  for (let index = 0; index < numbers.length; index++) {
    const number = (halves[2 * index + 1] as number) * TWO_32 + ((halves[2 * index] as number) >>> 0)
    if (!Number.isSafeInteger(number)) isExact = false
    numbers[index] = number
  }
  return isExact ? numbers : null
}

function unsigned64(data: DataView, at: number): Integer {
  const number = data.getUint32(at + 4, true) * TWO_32 + data.getUint32(at, true)
  return Number.isSafeInteger(number) ? number : data.getBigUint64(at, true)
}

function signed128(data: DataView, at: number): Integer {
  return narrowed((data.getBigInt64(at + 8, true) << 64n) | data.getBigUint64(at, true))
}

function unsigned128(data: DataView, at: number): Integer {
  return narrowed((data.getBigUint64(at + 8, true) << 64n) | data.getBigUint64(at, true))
}

function narrowed(value: bigint): Integer {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** A UUID that is written over, and where the two digits of each of its bytes are. */
const uuid = Buffer.alloc(36, '-')
const UUID_PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]

/** Stored as a 128-bit integer whose highest bit is inverted, so that it sorts as its text does. */
function uuidText(data: DataView, at: number): string {
  for (const [index, place] of UUID_PLACES.entries()) {
    const byte = data.getUint8(at + 15 - index) ^ (index === 0 ? 0x80 : 0)
    uuid[place] = HEX[byte >> 4] as number
    uuid[place + 1] = HEX[byte & 15] as number
  }
  return uuid.toString('latin1')
}

function timeWithZone(bits: bigint): Value {
  return { micros: Number(bits >> OFFSET_BITS), offset: MAX_OFFSET - Number(bits & OFFSET_MASK) }
}

/** Names of an ENUM as bytes, by their numbers. */
function enumReader(raw: RawVector, count: number): ReadValue {
  const type = bindings.vector_get_column_type(raw)
  const size = bindings.enum_dictionary_size(type)
  const names: (Slice | undefined)[] = []
  const nameOf = (number: number): Slice => {
    const known = names[number]
    if (known) return known
    const bytes = Buffer.from(bindings.enum_dictionary_value(type, number))
    const name = { bytes, from: 0, to: bytes.length }
    names[number] = name
    return name
  }
  // The largest number of each width is left free, so an ENUM of 256 names has two bytes, although one would do.
  const width = size < 2 ** 8 ? 1 : size < 2 ** 16 ? 2 : 4
  const data = dataOf(raw, width * count)
  if (width === 1) return index => nameOf(data.getUint8(index))
  return width === 2
    ? index => nameOf(data.getUint16(2 * index, true))
    : index => nameOf(data.getUint32(4 * index, true))
}

/**
 * Reads strings. Strings of more than 12 bytes take a call into DuckDB of most of a microsecond, so strings that lie
 * next to each other in memory, in their order or, as in blocks that are not compressed, in the opposite one, are read
 * together: from the first to the end of the last, and no byte that none of them has.
 */
function stringsOf(data: DataView, isString: (index: number) => boolean): ReadValue {
  const here = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  const slice: Slice = { bytes: here, from: 0, to: 0 }
  const pointer = (index: number) =>
    data.getUint32(STRING_BYTES * index + POINTER_AT, true) +
    data.getUint32(STRING_BYTES * index + POINTER_AT + 4, true) * TWO_32
  const lengthOf = (index: number) => data.getUint32(STRING_BYTES * index, true)
  let run: Uint8Array = here
  let [runStart, runEnd] = [0, 0]
  const readRun = (index: number, at: number, length: number) => {
    let [first, start, end] = [index, at, at + length]
    for (let next = index + 1; isString(next) && end - start < MAX_RUN_BYTES; next++) {
      const size = lengthOf(next)
      if (size <= INLINE_BYTES) continue
      const place = pointer(next)
      if (place === end) end += size
      else if (place + size === start) [first, start] = [next, place]
      else break
    }
    const pointed = data.byteOffset + STRING_BYTES * first + POINTER_AT
    run = bindings.get_data_from_pointer(data.buffer as ArrayBuffer, pointed, end - start)
    runStart = start
    runEnd = end
  }
  return index => {
    const at = STRING_BYTES * index
    const length = data.getUint32(at, true)
    if (length <= INLINE_BYTES) {
      slice.bytes = here
      slice.from = at + 4
    } else {
      const start = pointer(index)
      if (start < runStart || start + length > runEnd) readRun(index, start, length)
      slice.bytes = run
      slice.from = start - runStart
    }
    slice.to = slice.from + length
    return slice
  }
}

/** Strings that are read together end once they have this many bytes. */
const MAX_RUN_BYTES = 1024 * 1024
