import { type FileHandle, open, rm } from 'node:fs/promises'
import { Output, OutputFull } from '../../values/output.js'
import type { Vector } from '../../values/vector.js'
import { type Copied, type Copying, fileTooLarge } from './copy.js'
import type { Connection } from './duckdb.js'
import { streamRows } from './statement-rows.js'

/** Bytes that are written to the file at once. */
const PART_BYTES = 256 * 1024

/** A text format: how a row is written, and what precedes the rows. */
export interface RowFormat {
  header?(out: Output): void
  row(vectors: readonly Vector[], row: number, out: Output): void
}

/** Which rows are written. */
export interface Choice {
  /** SQL after the statement. */
  range?: string
  /** Whether a row, as it is written, stays. */
  isWanted?(row: Uint8Array): boolean
  /** Takes the place at which a row ends; false ends the file with it. */
  onRow?(end: number): boolean
}

/**
 * Writes rows of a statement to a file. Fails when it passes `maxBytes`. The file is removed after a failure.
 */
export async function writeRows(
  connection: Connection,
  copying: Copying,
  format: RowFormat,
  { range, isWanted, onRow }: Choice = {},
): Promise<Copied> {
  const { path, maxBytes, signal } = copying
  const file = await open(path, 'w')
  try {
    const target = new TextFile(file, maxBytes, signal)
    const { out } = target
    format.header?.(out)
    let rows = 0
    reading: for await (const part of streamRows(connection, { ...copying, path: `${path}.again` }, range)) {
      for (let row = 0; row < part.rows; row++) {
        const start = out.length
        format.row(part.vectors, row, out)
        if (isWanted?.(out.view(start)) === false) {
          out.cutTo(start)
          continue
        }
        rows += 1
        if (onRow?.(target.bytes) === false) break reading
        if (out.length >= PART_BYTES) await target.flush()
      }
      signal.throwIfAborted()
    }
    await target.flush()
    await file.close()
    return { rows, bytes: target.bytes }
  } catch (cause) {
    await file.close().catch(() => {})
    await rm(path, { force: true })
    if (signal.aborted) throw signal.reason
    throw cause instanceof OutputFull ? fileTooLarge(maxBytes) : cause
  }
}

/** A file of text that is written in parts. */
class TextFile {
  readonly out = new Output()
  readonly #file: FileHandle
  readonly #maxBytes: number
  readonly #signal: AbortSignal
  #written = 0

  constructor(file: FileHandle, maxBytes: number, signal: AbortSignal) {
    this.#file = file
    this.#maxBytes = maxBytes
    this.#signal = signal
    this.out.most = maxBytes
  }

  /** Bytes so far, also those that are not in the file yet. */
  get bytes(): number {
    return this.#written + this.out.length
  }

  /** Writes the bytes in `out` to the file. */
  async flush(): Promise<void> {
    this.#signal.throwIfAborted()
    if (this.bytes > this.#maxBytes) throw fileTooLarge(this.#maxBytes)
    const part = this.out.take()
    this.#written += part.length
    await this.#file.writeFile(part)
  }
}
