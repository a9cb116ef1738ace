import { hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { NEWLINE, rowsIn } from '../values/json-reader.js'

/** Rows of a result that earlier pages and chunks have. */
export interface RowsBefore {
  /** A page as JSON, or the absolute path of a file with one JSON object per line. */
  from: Uint8Array | string
  /** How many of its rows, from the first one on. */
  rows: number
}

const READ_BYTES = 1024 ** 2

/**
 * Rows that are left out where a result is continued, each as often as earlier pages have it. Rows whose order is the
 * same by what the statement sorts by may come in another order each time it runs, such as once it is read to its
 * end; what earlier pages have is then neither repeated nor pushes another row out.
 */
export class RowsLeftOut {
  /** How often each row is still to be met, by its digest: rows can be long. */
  readonly #unmet = new Map<string, number>()
  #count = 0

  /** Reads rows before an offset. */
  static async read(before: readonly RowsBefore[]): Promise<RowsLeftOut> {
    const read = new RowsLeftOut()
    for (const { from, rows } of before) {
      let left = rows
      for await (const row of typeof from === 'string' ? linesOf(from) : rowsIn(from)) {
        if (left-- === 0) break
        read.#add(digestOf(row))
      }
    }
    return read
  }

  /** Rows that were not met yet. */
  get count(): number {
    return this.#count
  }

  /** Whether a row is one of them, which it then is no more. */
  meets(row: Uint8Array): boolean {
    if (this.#count === 0) return false
    const digest = digestOf(row)
    const times = this.#unmet.get(digest) ?? 0
    if (times === 0) return false
    this.#unmet.set(digest, times - 1)
    this.#count -= 1
    return true
  }

  #add(digest: string): void {
    this.#unmet.set(digest, (this.#unmet.get(digest) ?? 0) + 1)
    this.#count += 1
  }
}

function digestOf(row: Uint8Array): string {
  return hash('sha256', row, 'base64')
}

async function* linesOf(path: string): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array()
  for await (const part of createReadStream(path, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, part]) : part
    let from = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      yield bytes.subarray(from, end)
      from = end + 1
    }
    rest = bytes.subarray(from)
  }
}
