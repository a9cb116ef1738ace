import { type FileHandle, open, rm } from 'node:fs/promises'
import { COMMA, NEWLINE } from '../values/json-reader.js'
import { EngineFailure, type RowsPage, rowTooLarge, type WrittenChunk } from './port.js'

/** The range and the bounds of a page to cut from a chunk. */
export interface Cut {
  offset: number
  limit: number
  pageBytes: number
  rowBytes: number
}

/** Least bytes between two rows whose places are kept, so that 1 GiB of rows has at most 65,536 of them. */
const APART_BYTES = 16 * 1024
/** Bytes that are read at once to find the place of a row. */
const BLOCK_BYTES = 64 * 1024
/**
 * Rows of a page are as long as the others of the chunk, within this factor and these bytes; else they are
 * read again.
 */
const LONGER = 1.25
const SLACK_BYTES = 4 * 1024

/** Rows of a result on disk: `rows` rows from row `base` on, one JSON object per line. */
export class Chunk {
  readonly base: number
  readonly rows: number
  readonly bytes: number
  readonly more: boolean
  readonly path: string
  readonly #named: Pick<WrittenChunk, 'columns'>
  readonly #file: FileHandle
  /**
   * Rows and the bytes at which they begin, in their order: the ends of pages, and rows that were passed on the way to
   * others.
   */
  readonly #places: { row: number; byte: number }[] = [{ row: 0, byte: 0 }]

  private constructor(base: number, written: WrittenChunk, file: FileHandle) {
    this.base = base
    this.rows = written.rows
    this.bytes = written.bytes
    this.more = written.more
    this.path = written.path
    this.#named = written.columns ? { columns: written.columns } : {}
    this.#file = file
  }

  static async open(base: number, written: WrittenChunk): Promise<Chunk> {
    const handle = await open(written.path, 'r').catch(async cause => {
      await rm(written.path, { force: true })
      throw cause
    })
    return new Chunk(base, written, handle)
  }

  get end(): number {
    return this.base + this.rows
  }

  /**
   * Cuts a page, which ends early at `pageBytes`; null when it has rows that are not in the chunk. Throws when its first
   * row is larger than `rowBytes`.
   */
  async cut({ offset, limit, pageBytes, rowBytes }: Cut): Promise<RowsPage | null> {
    if (offset < this.base || offset > this.end || (this.more && offset === this.end)) return null
    const first = offset - this.base
    const most = Math.min(limit, this.rows - first)
    if (most <= 0) return { json: Buffer.alloc(0), rows: 0, more: this.more, ...this.#named }
    const start = await this.#startOf(first)
    const bound = Math.min(this.bytes - start, pageBytes + rowBytes)
    const likely = Math.ceil((LONGER * most * this.bytes) / this.rows) + SLACK_BYTES
    let buffer = await this.#read(start, Math.min(bound, likely))
    let page = pageIn(buffer, { most, pageBytes, rowBytes })
    if (page.isCutOff && buffer.length < bound) {
      buffer = await this.#read(start, bound)
      page = pageIn(buffer, { most, pageBytes, rowBytes })
    }
    const { rows, end } = page
    if (rows === most && most < limit && this.more) return null
    if (rows === 0) throw new EngineFailure('row-bytes', rowTooLarge(offset, rowBytes))
    this.#keepPlace(first + rows, start + end)
    return { json: buffer.subarray(0, end - 1), rows, more: this.more || first + rows < this.rows }
  }

  /**
   * The byte at which a row begins. Readers go on where a page ended, so that it seldom has to be looked for.
   */
  async #startOf(wanted: number): Promise<number> {
    let { row, byte } = this.#places.findLast(place => place.row <= wanted) as { row: number; byte: number }
    while (row < wanted) {
      const block = await this.#read(byte, Math.min(BLOCK_BYTES, this.bytes - byte))
      let end = 0
      for (let at = block.indexOf(NEWLINE); at >= 0 && row < wanted; at = block.indexOf(NEWLINE, end)) {
        row += 1
        end = at + 1
      }
      if (end > 0) this.#keepPlace(row, byte + end)
      byte += row === wanted ? end : block.length
    }
    return byte
  }

  #keepPlace(row: number, byte: number): void {
    const before = this.#places.findLastIndex(place => place.row <= row)
    if (byte - (this.#places[before]?.byte ?? 0) >= APART_BYTES)
      this.#places.splice(before + 1, 0, { row, byte })
  }

  async #read(from: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length)
    const { bytesRead } = await this.#file.read(buffer, 0, length, from)
    // `allocUnsafe` does not clear the buffer: after a short read, the rest would be old memory of this
    // process.
    if (bytesRead < length || length === 0) throw new Error('the stored rows are shorter than they were')
    return buffer
  }

  async remove(): Promise<void> {
    await this.#file.close()
    await rm(this.path, { force: true })
  }
}

/**
 * Puts commas between the rows at the start of a buffer; `isCutOff` when its end, and no bound, has ended the
 * page.
 */
function pageIn(
  buffer: Buffer,
  { most, pageBytes, rowBytes }: { most: number; pageBytes: number; rowBytes: number },
) {
  let [end, rows, size] = [0, 0, 0]
  while (rows < most) {
    const newline = buffer.indexOf(NEWLINE, end)
    if (newline < 0) return { rows, end, isCutOff: true }
    const rowSize = newline - end
    if (rowSize > rowBytes || (rows > 0 && size + rowSize > pageBytes)) break
    buffer[newline] = COMMA
    size += rowSize
    rows += 1
    end = newline + 1
  }
  return { rows, end, isCutOff: false }
}
