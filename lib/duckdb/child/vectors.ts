import type { ColumnType, TypeOf } from '../../values/types.js'
import type { Value, Vector } from '../../values/vector.js'
import { bindings, type DataChunk, DuckDBLogicalType, type RawVector } from './duckdb.js'
import { type Reader, readerOf } from './scalars.js'
import { columnType } from './types.js'

const TWO_32 = 2 ** 32

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
abstract class Values implements Vector {
  readonly #validity: Uint8Array | null
  readonly children: readonly Vector[] = []

  constructor(raw: RawVector, count: number) {
    this.#validity = count > 0 ? bindings.vector_get_validity(raw, Math.ceil(count / 64) * 8) : null
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

class ScalarValues extends Values {
  override readonly value: Reader

  constructor(raw: RawVector, type: ColumnType, count: number, isField: boolean) {
    super(raw, count)
    // Memory of a field may be anything where its struct is NULL, so it is not read before it is asked for.
    const runs = isField ? 0 : count
    this.value = readerOf(type, { raw, count, isString: index => index < runs && !this.isNull(index) })
  }
}

class StructValues extends Values {
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

class ListValues extends Values {
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

class ArrayValues extends Values {
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
