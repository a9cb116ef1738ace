import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../engine/engine.js'
import { EngineFailure } from '../engine/failure.js'
import type { RowsPage } from '../engine/jobs.js'
import type { PointOfView } from '../engine/plan.js'
import { AnalyticsError } from '../errors.js'
import type { CheckedStatement } from '../guard/guard.js'
import type { Limits } from '../options.js'
import type { Work } from '../work.js'
import { PageCache } from './pages.js'
import { Stretch } from './stretch.js'

/** A page of a result. */
export interface PageRequest {
  /** Names the result: two requests with the same key mean the same rows. */
  key: string
  point: PointOfView
  checked: CheckedStatement
  offset: number
  limit: number
}

/** What is stored of one result. */
interface Stored {
  stretches: Stretch[]
  /** The stretch that is being written, if any, and where it will start. */
  writing: { base: number; done: Promise<void> } | null
  /** Rows of the next stretch; none are written once that has failed. */
  nextRows: number
}

const FIRST_STRETCH_ROWS = 8_192
/** Results of which something is stored: each keeps files open. */
const MAX_STORED = 1_000
/** Failures after which the call has no time left, or nobody who waits. */
const OF_TIME: ReadonlySet<string> = new Set(['timeout', 'no-connection', 'cancelled'])
/** Failures that the rows cause, and would cause again. */
const OF_THE_ROWS: ReadonlySet<string> = new Set([
  'query',
  'assertion',
  'memory',
  'timeout',
  'file-bytes',
  'row-bytes',
  'interrupted',
])
/** How much shorter the next stretch is after one that could not be written. */
const SHORTER = 16
const TARGET_STRETCH_BYTES = 128 * 1024 ** 2
/** A page waits this long for a stretch that is being written; then it is computed on its own. */
const WAIT_FOR_STRETCH_MS = 10_000

/**
 * What queries have produced so far. The first page is computed as such; from the second on, the rows behind it are
 * written ahead, a short stretch first and long ones for whoever reads on, each row once, and later pages are cut from
 * them without a connection. All of it can be lost at any time: what is not there is computed again. A stretch that
 * cannot be written fails nobody.
 */
export class Results {
  readonly #engine: Engine
  readonly #folder: string
  readonly #limits: Limits
  readonly #maxBytes: number
  readonly #pages = new PageCache()
  readonly #stored = new Map<string, Stored>()
  #bytes = 0
  readonly #ready: Promise<unknown>

  constructor(engine: Engine, options: { folder: string; limits: Limits; maxBytes: number }) {
    this.#engine = engine
    this.#folder = options.folder
    this.#limits = options.limits
    this.#maxBytes = options.maxBytes
    this.#ready = rm(this.#folder, { recursive: true, force: true }).then(() =>
      mkdir(this.#folder, { recursive: true, mode: 0o700 }),
    )
    this.#ready.catch(() => {}) // told to whoever writes a stretch
  }

  /** A page of a result that is the same whenever it is computed. */
  async page(request: PageRequest, work: Work): Promise<RowsPage> {
    const { key, offset, limit } = request
    const known = this.#pages.find(key, offset, limit)
    if (known) return known
    const cut = await work.phases.of('query', this.#cut(request))
    if (cut) return cut // from a file, which is as quick the next time
    const page = await this.#compute(request, work)
    this.#pages.keep(key, offset, limit, page)
    return page
  }

  /**
   * A page of a result that differs from run to run: one run is stored whole as far as a stretch goes, and its key
   * belongs to the cursors of that run alone.
   */
  async pageOfRun(request: PageRequest, work: Work): Promise<RowsPage> {
    if (request.offset === 0)
      await this.#write(request, 0, work)?.catch(cause => {
        // A page may do where a stretch does not; what has used up a time of the call is its answer.
        if (cause instanceof AnalyticsError || (cause instanceof EngineFailure && OF_TIME.has(cause.kind))) throw cause
      })
    const page = (await work.phases.of('query', this.#cut(request))) ?? (await this.#compute(request, work))
    if (request.offset === 0 && !page.more) await this.#drop(request.key) // no cursor leads back to it
    return page
  }

  /** What stored rows take on disk. */
  get bytes(): number {
    return this.#bytes
  }

  async close(): Promise<void> {
    for (const key of [...this.#stored.keys()]) await this.#drop(key)
  }

  async #cut(request: PageRequest): Promise<RowsPage | null> {
    const { key, offset, limit } = request
    const stored = this.#stored.get(key)
    if (!stored) return null
    this.#stored.delete(key)
    this.#stored.set(key, stored) // used last
    const find = () => stored.stretches.find(stretch => stretch.covers(offset, limit))
    if (!find() && stored.writing && stored.writing.base <= offset)
      await within(stored.writing.done, WAIT_FOR_STRETCH_MS)
    const stretch = find()
    if (!stretch) return null
    const { pageBytes, rowBytes } = this.#limits
    const page = await stretch.cut({ offset, limit, pageBytes, rowBytes }).catch(cause => {
      if (cause instanceof EngineFailure) throw cause
      return null // it was thrown away meanwhile
    })
    if (!page) return null
    const reached = offset + page.rows
    // Past the middle, the next stretch starts where a reader with this limit will ask for a page that this one lacks.
    if (stretch.more && reached > stretch.base + stretch.rows / 2) {
      this.#write(request, reached + Math.floor((stretch.end - reached) / limit) * limit)
    }
    return page
  }

  async #compute(request: PageRequest, work: Work): Promise<RowsPage> {
    const { point, checked, offset, limit } = request
    const page = await this.#engine.rows(point, checked, { offset, limit }, work)
    if (offset > 0 && page.more) this.#write(request, offset + page.rows)
    return page
  }

  /**
   * Starts to write a stretch from row `base` on, unless the page there is, or one is under way: for the call whose
   * `work` it is, or ahead of any.
   */
  #write({ key, point, checked, limit }: PageRequest, base: number, work?: Work): Promise<void> | undefined {
    const stored = this.#stored.get(key) ?? { stretches: [], writing: null, nextRows: FIRST_STRETCH_ROWS }
    this.#stored.set(key, stored)
    if (stored.writing || stored.nextRows < 1 || stored.stretches.some(stretch => stretch.covers(base, limit)))
      return undefined
    const write = async () => {
      await this.#ready
      const into = join(this.#folder, `${randomUUID()}.jsonl`)
      const written = await this.#engine.write(point, checked, { offset: base, limit: stored.nextRows }, into, work)
      const stretch = await Stretch.open(base, written)
      if (this.#stored.get(key) !== stored) return stretch.remove()
      stored.stretches.push(stretch)
      this.#bytes += stretch.bytes
      const fitting = Math.floor(TARGET_STRETCH_BYTES / Math.max(1, stretch.bytes / Math.max(1, stretch.rows)))
      stored.nextRows = Math.max(1, fitting)
    }
    const written = write()
    const done = written
      .catch(cause => {
        // What the rows themselves cause comes again: shorter stretches, then none, and the page that holds the row
        // tells the error. Anything else, such as a connection that somebody needed, may go well the next time.
        if (cause instanceof EngineFailure && OF_THE_ROWS.has(cause.kind)) {
          stored.nextRows = stored.nextRows > FIRST_STRETCH_ROWS ? Math.ceil(stored.nextRows / SHORTER) : 0
        }
      })
      .then(() => this.#shrink())
      .catch(() => {}) // a file that cannot be removed now goes with the folder at the next start
      .finally(() => {
        stored.writing = null
      })
    stored.writing = { base, done }
    return written
  }

  async #shrink(): Promise<void> {
    for (const key of this.#stored.keys()) {
      if (this.#bytes <= this.#maxBytes && this.#stored.size <= MAX_STORED) return
      await this.#drop(key)
    }
  }

  async #drop(key: string): Promise<void> {
    const stored = this.#stored.get(key)
    this.#stored.delete(key)
    for (const stretch of stored?.stretches ?? []) {
      this.#bytes -= stretch.bytes
      await stretch.remove()
    }
  }
}

/** Waits for work, but no longer than this. */
async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([work, new Promise<void>(resolve => (timer = setTimeout(resolve, ms)))])
  clearTimeout(timer)
}
