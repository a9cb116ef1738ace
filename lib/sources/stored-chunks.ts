import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isUint8Array } from 'node:util/types'
import { namingSpace } from '../files/no-space.js'
import { TimeIsOver, waitForWork } from '../flow/waiting.js'
import { kindOf } from './cells.js'

/** What bounds a source that is being read. */
export interface SourceBounds {
  /** Time in which it has to take its next step. */
  idleMs: number
  mostBytes: number
  /** Time in which it has to give back what it holds when it is told to end. */
  endingMs: number
  /** Fires when the rows are not needed any more. */
  signal: AbortSignal
}

/**
 * Thrown when the source of a table has failed, or does not do what a source has to; `cause` is why. The table is null when
 * `cause` says what has failed.
 */
export class SourceFailed extends Error {
  constructor(table: string | null, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause)
    super(table === null ? why : `the source of ${JSON.stringify(table)} failed: ${why}`, { cause })
    this.name = 'SourceFailed'
  }
}

const BUFFER_BYTES = 1024 ** 2

/**
 * Waits for a step of the source of a table. Rejects with a {@link SourceFailed}, also when it takes too long, or
 * with the signal's reason.
 */
export async function stepOf<Value>(
  table: string,
  { idleMs, signal }: Pick<SourceBounds, 'idleMs' | 'signal'>,
  step: () => Promise<Value>,
): Promise<Value> {
  try {
    return await waitForWork({ signal, ms: idleMs }, step())
  } catch (cause) {
    if (signal.aborted) throw signal.reason
    const idle = new Error(`it has delivered nothing for ${idleMs / 1000} s`)
    throw new SourceFailed(table, cause instanceof TimeIsOver ? idle : cause)
  }
}

/**
 * Writes the chunks of the source of a table to a new file, which only this user can read. The next chunk is asked
 * for when there is room for it. Once the file exists, its path is in `written`. When this fails, `fail` is called
 * before the source is told to end.
 */
export async function storeChunks(
  table: string,
  chunks: AsyncIterable<Uint8Array>,
  path: string,
  bounds: SourceBounds & { written: string[]; fail(cause: unknown): void },
): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]()
  try {
    const file = await onDisk(path, () => open(path, 'wx', 0o600))
    try {
      bounds.written.push(path)
      const gathered = new WriteBuffer(file)
      let bytes = 0
      for (;;) {
        const { done, value } = await stepOf(table, bounds, async () => iterator.next())
        if (done) break
        if (!isUint8Array(value))
          throw new SourceFailed(table, `a chunk is ${kindOf(value)} instead of bytes`)
        bytes += value.length
        if (bytes > bounds.mostBytes)
          throw new SourceFailed(table, `it has delivered more than ${bounds.mostBytes} bytes`)
        if (!gathered.add(value)) await onDisk(path, () => gathered.write(value))
      }
      if (bytes === 0) throw new SourceFailed(table, 'it has delivered no bytes, not even a header')
      await onDisk(path, () => gathered.write())
    } finally {
      await file.close()
    }
  } catch (cause) {
    bounds.fail(cause)
    const end = async () => iterator.return?.()
    await waitForWork({ ms: bounds.endingMs }, end()).catch(() => {}) // the first error is thrown, not this one
    throw cause
  }
}

function onDisk<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  return namingSpace([dirname(path)], work)
}

/** Bytes on their way to a file, gathered since a source may deliver a row at a time. */
class WriteBuffer {
  readonly #file: FileHandle
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  #length = 0

  constructor(file: FileHandle) {
    this.#file = file
  }

  /** Copies a chunk, since its source may use its memory again; false when there is no room. */
  add(chunk: Uint8Array): boolean {
    if (this.#length + chunk.length > BUFFER_BYTES) return false
    this.#buffer.set(chunk, this.#length)
    this.#length += chunk.length
    return true
  }

  /** Writes the buffered bytes, and a chunk after them. */
  async write(chunk?: Uint8Array): Promise<void> {
    await this.#file.writeFile(this.#buffer.subarray(0, this.#length))
    this.#length = 0
    if (chunk && !this.add(chunk)) await this.#file.writeFile(chunk)
  }
}
