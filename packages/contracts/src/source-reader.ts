import { setTimeout } from 'node:timers/promises'
import { isUint8Array } from 'node:util/types'
import type { SourceRows } from 'foldgate/internal'
import type { TableSource } from 'foldgate/sealing'
import { answered, must, type Subject, wanted } from './contract.js'

/** A source whose rows do not end. */
export interface EndlessSource {
  /** The source, which was not read yet. */
  port: TableSource
  /** How many rows it has made, or fetched from where they come. */
  taken(): number
}

/** A source to check, which was not read yet. */
export interface SourceSubject extends Subject<TableSource> {
  /** Types of its columns in the catalogue, by their names; null when it declares none. */
  columns: Readonly<Record<string, string>> | null
  /**
   * The rows that it delivers, as texts; null is NULL. They are at least two, and have a NULL, and an empty text if the
   * source can deliver one.
   */
  rows: readonly Readonly<Record<string, string | null>>[]
  /** A source of the same kind that does not end, if there can be one; it shows whether a source waits for its reader. */
  endless?: EndlessSource
  /** How many connections, files and the like the sources of the subject hold, if they hold any. */
  held?(): number | Promise<number>
}

/** A number that has not changed for this long is taken to stay as it is. */
const STILL_MS = 50
const LOOK_EVERY_MS = 5
/** A source that is read. */
export interface Run {
  rows: SourceRows
  next(): Promise<IteratorResult<Uint8Array>>
  /** Tells the source to end before its last chunk. */
  end(): Promise<unknown>
}

/** What a source delivered when it was read to its end. */
export interface ReadBytes extends Pick<SourceRows, 'format'> {
  chunks: Uint8Array[]
  types: Readonly<Record<string, string>>
}

/** Reads sources for checks; whatever takes longer than `patienceMs` fails. */
export class SourceReader {
  readonly #patienceMs: number

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs
  }

  /** Waits for a step of a source or of its session. */
  settled<Value>(what: string, step: () => Promise<Value> | Value): Promise<Awaited<Value>> {
    return answered(this.#patienceMs, what, step)
  }

  /** Reads a source, in its session if it has one, which is ended in any case. */
  async reading<Result>(
    source: TableSource,
    columns: SourceSubject['columns'],
    signal: AbortSignal,
    work: (run: Run) => Promise<Result>,
  ): Promise<Result> {
    const { session } = source
    const handle = await this.settled('begin()', () => session?.begin(signal))
    let failed = true
    let iterator: AsyncIterator<Uint8Array> | undefined
    try {
      const request = { table: 'contract', columns, session: handle, signal }
      const rows = await this.settled('read()', () => source.read(request))
      iterator = rows.chunks[Symbol.asyncIterator]()
      const reads = iterator
      const result = await work({
        rows,
        next: () => this.settled('next() of its chunks', () => reads.next()),
        end: () => this.settled('return() of its chunks', () => reads.return?.()),
      })
      failed = false
      return result
    } finally {
      if (failed) void Promise.resolve(iterator?.return?.()).catch(() => {}) // the first error is thrown, not this one
      await this.settled('end() of its session', () => session?.end(handle, failed))
    }
  }

  /** Reads the source of a subject to its end. */
  async readAll({ port, columns }: SourceSubject): Promise<ReadBytes> {
    return this.reading(port, columns, wanted(), async ({ rows, next }) => {
      const chunks: Uint8Array[] = []
      for (let step = await next(); !step.done; step = await next())
        chunks.push(isUint8Array(step.value) ? Uint8Array.from(step.value) : step.value) // it may use its memory again
      return { format: rows.format, chunks, types: rows.types?.() ?? {} }
    })
  }

  /** Waits until a number is right and does not change any more; false when that takes too long. */
  async still(
    count: () => number | Promise<number>,
    isRight: (count: number) => boolean = () => true,
  ): Promise<boolean> {
    let last = await count()
    for (let [waited, since] = [0, 0]; waited < this.#patienceMs; waited += LOOK_EVERY_MS) {
      await setTimeout(LOOK_EVERY_MS)
      const now = await count()
      since = now === last && isRight(now) ? since + LOOK_EVERY_MS : 0
      if (since >= Math.min(STILL_MS, this.#patienceMs / 2)) return true
      last = now
    }
    return false
  }

  async mustHoldNothing({ held }: SourceSubject, when: string): Promise<void> {
    if (!held) return
    const isFree = await this.still(held, count => count === 0)
    must(isFree, `it held ${await held()} ${when}`, 'give back what it holds')
  }
}
