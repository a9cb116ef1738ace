import { createRequire } from 'node:module'
import type { Data, DataType, Field, RecordBatch, Schema, Struct, Table } from 'apache-arrow'
import { checkOptions } from '../values/known-options.js'
import { type ArrowSlice, type ParquetPackage, parquetOf } from './parquet-stream.js'
import type { SourceOptions, TableSource } from './source.js'
import { isSupply, type OpenSupply, readOnce, type Supply } from './supply.js'

/** A `RecordBatch` or a `Table` of apache-arrow. */
export interface ArrowRows {
  /** How many rows it has. */
  readonly numRows: number
  /** Its columns. */
  readonly schema: { readonly fields: readonly { readonly name: string }[] }
}

type ArrowPackage = typeof import('apache-arrow')

/** A larger batch is written in slices. */
const SLICE_BYTES = 8 * 1024 ** 2

/**
 * Arrow from a table, a generator of batches or tables, or a reader of apache-arrow. The packages `apache-arrow` and
 * `parquet-wasm` have to be installed; they write the rows as Parquet in this process, a few MiB at a time.
 *
 * @param batches - A table, or batches with the same columns. The batches are read once.
 * @param options - Whether the order of the rows is kept. By default, they are stored in the order of the unique key of
 * the table.
 * @returns A source for `tables` of `seal`. Sealing fails with a `SealerError` of the reason `source` when the packages
 * are not installed, for a column whose type Parquet or the engine does not keep, with what to cast it to, and when
 * batches have different columns.
 * @throws TypeError when an option does not exist, and when it is given neither.
 *
 * @example
 * ```ts
 * const batches = await RecordBatchReader.from(await fetch('https://erp.example/orders.arrow'))
 * await sealer.seal({ projectId, tables: { orders: fromArrow(batches) } })
 * ```
 */
export function fromArrow(batches: ArrowRows | Supply<ArrowRows>, options: SourceOptions = {}): TableSource {
  checkOptions('fromArrow', options, { isOrdered: true })
  // Tables and batches have an iterator over their rows.
  const supply: unknown = isArrow(batches) ? [batches] : batches
  if (!isSupply(supply))
    throw new TypeError('fromArrow() takes a Table of apache-arrow, or an Iterable of batches')
  const begin = readOnce(supply)
  return {
    isOrdered: options.isOrdered ?? false,
    async read({ signal }) {
      const [arrow, parquet] = await loadPackages()
      return { format: 'parquet', chunks: parquetOf(slicesOf(begin(signal), signal, arrow), parquet) }
    },
  }
}

async function loadPackages(): Promise<[ArrowPackage, ParquetPackage]> {
  try {
    return await Promise.all([import('apache-arrow'), import('parquet-wasm')])
  } catch (cause) {
    throw new Error('fromArrow() needs two packages beside foldgate: npm install apache-arrow parquet-wasm', {
      cause,
    })
  }
}

/** Node loads apache-arrow once for import and once for require(), and neither writes what the other has made. */
function arrowOf(rows: ArrowRows, imported: ArrowPackage): ArrowPackage {
  const isMadeBy = ({ Schema }: ArrowPackage) => rows.schema.constructor === Schema
  if (isMadeBy(imported)) return imported
  const required = createRequire(import.meta.url)('apache-arrow') as ArrowPackage
  if (isMadeBy(required)) return required
  throw new Error('a batch is of another copy of apache-arrow than foldgate loads: install one version of it')
}

/** Slices of batches that have the columns of the first one, all of which may hold NULL. */
async function* slicesOf(
  batches: OpenSupply<unknown>,
  signal: AbortSignal,
  imported: ArrowPackage,
): AsyncGenerator<ArrowSlice> {
  let columns: Columns | null = null
  let hasRows = false
  try {
    for (let number = 1; ; number++) {
      const { done, value } = await batches.next()
      signal.throwIfAborted()
      if (done) break
      if (!isArrow(value)) throw new Error(`batch ${number} is no RecordBatch and no Table of apache-arrow`)
      columns ??= new Columns(value, arrowOf(value, imported))
      for (const { schema, data, numRows } of 'batches' in value
        ? (value as Table).batches
        : [value as RecordBatch]) {
        if (!columns.areThoseOf(schema))
          throw new Error(`batch ${number} has other columns or types than the first one`)
        hasRows ||= numRows > 0
        const rows = Math.max(1, Math.floor((numRows * SLICE_BYTES) / (data.byteLength + 1)))
        for (let at = 0; at < numRows; at += rows)
          yield columns.sliceOf(data.slice(at, Math.min(rows, numRows - at)))
      }
    }
    if (columns === null) throw new Error('there is no batch, and so there are no columns')
    if (!hasRows) yield columns.empty()
  } finally {
    await batches.close()
  }
}

/** The columns of all batches. */
class Columns {
  readonly #arrow: ArrowPackage
  readonly #schema: Schema
  readonly #names: string

  constructor({ schema }: ArrowRows, arrow: ArrowPackage) {
    const { fields } = schema as Schema
    for (const { name, type } of fields) refuseLossy(name, type, arrow)
    this.#arrow = arrow
    this.#schema = new arrow.Schema(fields.map(({ name, type }) => new arrow.Field(name, type, true)))
    this.#names = namesOf(fields)
  }

  areThoseOf(schema: Schema): boolean {
    return schema.constructor === this.#arrow.Schema && namesOf(schema.fields) === this.#names
  }

  sliceOf(data: Data<Struct>): ArrowSlice {
    const { RecordBatch, Table, tableToIPC } = this.#arrow
    const table = new Table([new RecordBatch(this.#schema, data)])
    return { rows: data.length, ipc: tableToIPC(table, 'stream') }
  }

  empty(): ArrowSlice {
    const { makeData, Struct } = this.#arrow
    const none = { length: 0, nullCount: 0 }
    const children = this.#schema.fields.map(({ type }) => makeData({ type, ...none } as never))
    return this.sliceOf(makeData({ type: new Struct(this.#schema.fields), ...none, children }))
  }
}

function namesOf(fields: readonly Field[]): string {
  return JSON.stringify(fields.map(({ name, type }) => [name, `${type}`]))
}

function isArrow(value: unknown): value is ArrowRows {
  return typeof value === 'object' && value !== null && 'numRows' in value && 'schema' in value
}

/** Refuses a type that Parquet or its reader stores as another one, or not at all. */
function refuseLossy(name: string, type: DataType, arrow: ArrowPackage): void {
  const instead = insteadOf(type, arrow)
  if (instead !== null)
    throw new Error(
      `column ${JSON.stringify(name)} is of the Arrow type ${type}, which a table does not keep: cast it to ${instead}`,
    )
}

/** The type to which a column has to be cast; null when it is stored as it is. */
function insteadOf(type: DataType, arrow: ArrowPackage): string | null {
  const { DataType, DateUnit, TimeUnit } = arrow
  if (DataType.isDictionary(type)) return insteadOf(type.dictionary, arrow)
  if (DataType.isList(type) || DataType.isFixedSizeList(type)) return insteadOf(type.valueType, arrow)
  if (DataType.isDate(type)) return type.unit === DateUnit.DAY ? null : 'Date32<DAY>'
  if (DataType.isTime(type)) {
    const isKept = type.unit === TimeUnit.MILLISECOND || type.unit === TimeUnit.MICROSECOND
    return isKept ? null : 'Time64<MICROSECOND>'
  }
  if (DataType.isTimestamp(type)) {
    const isLost = type.unit === TimeUnit.SECOND || (type.unit === TimeUnit.NANOSECOND && type.timezone)
    return isLost ? 'Timestamp<MICROSECOND>' : null
  }
  if (DataType.isDecimal(type)) return type.precision <= 38 ? null : 'Decimal128 of at most 38 digits'
  if (DataType.isDuration(type) || DataType.isInterval(type)) return 'Int64'
  const isKept =
    DataType.isBool(type) ||
    DataType.isInt(type) ||
    DataType.isFloat(type) ||
    DataType.isUtf8(type) ||
    DataType.isLargeUtf8(type) ||
    DataType.isBinary(type) ||
    DataType.isLargeBinary(type) ||
    DataType.isFixedSizeBinary(type)
  return isKept ? null : 'Utf8'
}
