import { type FileHandle, open, rm } from 'node:fs/promises'
import { EngineFailure, type RowsPage, rowTooLarge, type WrittenChunk } from './port.js'

/** The range and the bounds of a page to cut from a chunk. */
export interface Cut {
  offset: number
  limit: number
  pageBytes: number
  rowBytes: number
}

const NEWLINE = 10
const COMMA = 44

/** Rows of a result on disk: `rows` rows from row `base` on, one JSON object per line. */
export class Chunk {
  readonly base: number
  readonly rows: number
  readonly bytes: number
  readonly more: boolean
  readonly #path: string
  readonly #index: WrittenChunk['index']
  readonly #named: Pick<WrittenChunk, 'columns'>
  readonly #file: FileHandle

  private constructor(base: number, written: WrittenChunk, file: FileHandle) {
    this.base = base
    this.rows = written.rows
    this.bytes = written.bytes
    this.more = written.more
    this.#path = written.path
    this.#index = written.index
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

  /** Whether this page can be cut from the chunk alone. */
  covers(offset: number, limit: number): boolean {
    return offset >= this.base && (offset + limit <= this.end || (!this.more && offset <= this.end))
  }

  /** Cuts a page, which ends early at `pageBytes`; throws when its first row is larger than `rowBytes`. */
  async cut({ offset, limit, pageBytes, rowBytes }: Cut): Promise<RowsPage> {
    const { stride, starts } = this.#index
    const first = offset - this.base
    const last = Math.min(first + limit, this.rows)
    if (first >= last) return { json: Buffer.alloc(0), rows: 0, more: this.more, ...this.#named }
    const from = starts[Math.floor(first / stride)] ?? 0
    const skipped = (starts[Math.floor(first / stride) + 1] ?? this.bytes) - from
    const to = starts[Math.ceil(last / stride)] ?? this.bytes
    const length = Math.min(to - from, skipped + pageBytes + rowBytes)
    const buffer = Buffer.allocUnsafe(length)
    const { bytesRead } = await this.#file.read(buffer, 0, length, from)
    // `allocUnsafe` does not clear the buffer: after a short read, the rest would be old memory of this process.
    if (bytesRead < length) throw new Error('the stored rows are shorter than they were')
    let start = 0
    for (let line = first - (first % stride); line < first; line++) start = buffer.indexOf(NEWLINE, start) + 1
    let end = start
    let rows = 0
    let size = 0
    while (rows < last - first) {
      const newline = buffer.indexOf(NEWLINE, end)
      const rowSize = (newline < 0 ? length + 1 : newline) - end
      if (newline < 0 || rowSize > rowBytes || (rows > 0 && size + rowSize > pageBytes)) break
      buffer[newline] = COMMA
      size += rowSize
      rows += 1
      end = newline + 1
    }
    if (rows === 0) throw new EngineFailure('row-bytes', rowTooLarge(offset, rowBytes))
    return { json: buffer.subarray(start, end - 1), rows, more: this.more || first + rows < this.rows }
  }

  async remove(): Promise<void> {
    await this.#file.close()
    await rm(this.#path, { force: true })
  }
}
