import { isUint8Array } from 'node:util/types'
import { checkOptions } from '../values/known-options.js'
import { kindOf } from './cells.js'
import type { SourceOptions, SourceRows, TableSource } from './source.js'
import { isSupply, type OpenSupply, readOnce, type Supply } from './supply.js'

/** Options of {@link fromCsv}. */
export interface CsvOptions extends SourceOptions {
  /**
   * Whether an empty field in quotes is an empty text, as databases write it, and only one without quotes is NULL.
   * Default: false; both are NULL, as in files.
   */
  hasEmptyText?: boolean
}

/**
 * CSV from a generator, an array of pieces, or a stream of Node or of the web: UTF-8 with a header line, commas and
 * double quotes, as in a file. Pieces are bytes or strings, and may end anywhere.
 *
 * @param csv - The file: bytes, or its pieces, which are bytes or strings. The file is read once.
 * @param options - What an empty field in quotes is, and whether the order of the rows is kept. By default, rows are
 * stored in the order of the unique key of the table.
 * @returns A source for `tables` of `seal`.
 * @throws TypeError when an option does not exist, and when it is given neither bytes nor an Iterable or AsyncIterable, such as a
 * path, which {@link fromFile} takes.
 *
 * @example
 * ```ts
 * const { body } = await fetch('https://erp.example/orders.csv')
 * if (body) await sealer.seal({ projectId, tables: { orders: fromCsv(body) } })
 * ```
 */
export function fromCsv(
  csv: Uint8Array | Supply<Uint8Array | string>,
  options: CsvOptions = {},
): TableSource {
  checkOptions('fromCsv', options, { isOrdered: true, hasEmptyText: true })
  return sourceOf(csv, 'fromCsv()', options.hasEmptyText ? 'csv-with-empty-text' : 'csv', options)
}

/**
 * A Parquet file from a generator, an array of pieces, or a stream of Node or of the web.
 *
 * @param parquet - The file: bytes, or its pieces. The file is read once.
 * @param options - Whether the order of the rows is kept. By default, they are stored in the order of the unique key of
 * the table.
 * @returns A source for `tables` of `seal`.
 * @throws TypeError when an option does not exist, and when it is given neither bytes nor an Iterable or AsyncIterable, such as a
 * path, which {@link fromFile} takes.
 *
 * @example
 * ```ts
 * const { body } = await fetch('https://erp.example/orders.parquet')
 * if (body) await sealer.seal({ projectId, tables: { orders: fromParquet(body) } })
 * ```
 */
export function fromParquet(
  parquet: Uint8Array | Supply<Uint8Array>,
  options: SourceOptions = {},
): TableSource {
  checkOptions('fromParquet', options, { isOrdered: true })
  return sourceOf(parquet, 'fromParquet()', 'parquet', options)
}

function sourceOf(
  pieces: unknown,
  maker: string,
  format: SourceRows['format'],
  { isOrdered = false }: SourceOptions,
): TableSource {
  // A string is no supply, though it has an iterator: it may be meant as a path.
  const supply = isUint8Array(pieces) ? [pieces] : pieces
  if (!isSupply(supply))
    throw new TypeError(`${maker} takes an Iterable or AsyncIterable of bytes; fromFile() takes a path`)
  const begin = readOnce(supply)
  return {
    isOrdered,
    async read({ signal }) {
      return { format, chunks: chunksOf(begin(signal), signal, format !== 'parquet') }
    },
  }
}

async function* chunksOf(
  pieces: OpenSupply<unknown>,
  signal: AbortSignal,
  isText: boolean,
): AsyncGenerator<Uint8Array> {
  const joined = new JoinedText()
  try {
    for (;;) {
      const { done, value } = await pieces.next()
      signal.throwIfAborted()
      if (done) break
      if (isUint8Array(value)) {
        joined.end()
        yield value
      } else if (typeof value === 'string' && isText) yield joined.bytesOf(value)
      else throw new Error(`a piece is ${kindOf(value)}: ${isText ? 'give bytes or strings' : 'give bytes'}`)
    }
    joined.end()
  } finally {
    await pieces.close()
  }
}

/** Strings that follow each other: a pair of surrogates may be in two of them. */
class JoinedText {
  #half = ''

  bytesOf(piece: string): Uint8Array {
    const text = this.#half + piece
    const last = text.charCodeAt(text.length - 1)
    this.#half = last >= 0xd800 && last <= 0xdbff ? text.slice(-1) : ''
    const whole = text.slice(0, text.length - this.#half.length)
    if (/\p{Surrogate}/u.test(whole)) refuseHalf()
    return Buffer.from(whole)
  }

  end(): void {
    if (this.#half !== '') refuseHalf()
  }
}

function refuseHalf(): never {
  throw new Error('a string holds half of a surrogate pair, which UTF-8 has not')
}
