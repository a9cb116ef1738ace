import type { Limits } from '../call/limits.js'
import { RecentMap } from '../flow/recent.js'
import { SingleFlight } from '../flow/single-flight.js'
import { Phases, type Work } from '../flow/work.js'
import { Chunk } from './chunk.js'
import { RunFailure } from './failure.js'
import {
  type ChunkRange,
  cancelled,
  type Engine,
  EngineFailure,
  type PageRange,
  type PointOfView,
  type RowsBefore,
  type RowsPage,
  type Statement,
  type TimedWork,
} from './port.js'

/** A request for a page of a result. */
export interface PageRequest extends PageRange {
  /** Identifies the result: requests with the same key and `first` read the same rows. */
  key: string
  /** Most rows of the first page, which the other pages go on from. */
  first: number
  point: PointOfView
  statement: Statement
}

/** The stored rows of one result. */
interface StoredResult {
  chunks: readonly Chunk[]
  /** Of the last page or chunk, then of the one before it. */
  paces: readonly Pace[]
  /** Most rows of the next chunk, after longer ones have failed. */
  mostRows: number
  /** See {@link WrittenChunk}. */
  settledAt?: number
}

/** Most bytes of pages in memory, and what a page takes beyond its JSON. */
const [MAX_BYTES, OVERHEAD_BYTES] = [64 * 1024 ** 2, 500]

const NOTHING: StoredResult = { chunks: [], paces: [], mostRows: Number.POSITIVE_INFINITY }

/** Most results of which chunks or paces are kept; each chunk keeps a file open. */
const MAX_STORED = 1_000
/** Failures that end the call, because a page without a chunk would fail in the same way. */
const OF_THE_CALL: ReadonlySet<string> = new Set([
  ...['no-connection', 'cancelled', 'building', 'unbuilt', 'relation', 'snapshot', 'killed'],
])

/**
 * Pages of results. Page 1 runs on its own. The call that needs rows after it writes a chunk that begins with
 * its page, a short one at first and longer ones as the caller reads on. A chunk leaves out the rows of the pages before
 * it, so that no row is lost or repeated although the engine puts those that are equal by the order of the statement in
 * another order when it reads more of them. Later pages are cut from chunks
 * without a connection. Pages and chunks can be lost at any time and are then computed again, except those of
 * a run. When a chunk cannot be written, its page runs on its own.
 */
export class Results {
  readonly #engine: Engine
  readonly #limits: Limits
  readonly #mostBytes: number
  readonly #pages = new RecentMap<string, RowsPage>(MAX_BYTES, {
    weigh: page => page.json.byteLength + OVERHEAD_BYTES,
  })
  readonly #stored: RecentMap<string, StoredResult>
  readonly #computing = new SingleFlight<RowsPage>({ isAbortedWhenLeft: true })
  /** What computing pages has spent so far, by their keys. */
  readonly #spent = new Map<string, Phases>()
  /** Resolves once the chunks of results that made room for others are removed. */
  #removed: Promise<void> = Promise.resolve()

  /** Keeps at most `mostBytes` of rows on disk, but for those of one chunk while its page is cut. */
  constructor(engine: Engine, limits: Limits, mostBytes: number) {
    this.#engine = engine
    this.#mostBytes = mostBytes
    this.#limits = limits
    const onDrop = (stored: StoredResult) => {
      // A file that stays is removed with its folder at the next start.
      this.#removed = Promise.allSettled([this.#removed, remove(stored)]).then(() => {}) // which keeps no results
    }
    this.#stored = new RecentMap(mostBytes, { weigh: bytesOf, mostEntries: MAX_STORED, onDrop })
  }

  /**
   * A page of a result that does not differ from run to run; concurrent calls for the same page share one
   * run.
   */
  async page(request: PageRequest, work: Work): Promise<RowsPage> {
    const { offset, limit } = request
    const key = `${keyOf(request)} ${offset} ${limit}`
    const known = this.#pages.get(key)
    if (known) return known
    const cut = await work.phases.of('query', this.#cut(request))
    if (cut) return cut // not kept in memory: the chunk is as quick the next time
    const { phases, signal } = work
    const compute = async (wanted: AbortSignal) => {
      const shared = new Phases()
      if (phases.parts) shared.parts = []
      this.#spent.set(key, shared)
      try {
        return await this.#compute(request, { phases: shared, signal: wanted })
      } finally {
        if (this.#spent.get(key) === shared) this.#spent.delete(key)
      }
    }
    const computing = this.#computing.join(key, { signal }, compute)
    const shared = this.#spent.get(key) // none when it has just ended
    return (shared ? phases.ofShared(shared, computing) : computing).catch(cause => {
      throw signal.aborted ? cancelled() : cause
    })
  }

  /**
   * A page of a result that differs from run to run. The first page stores a whole run under a key that only
   * the run's own cursors contain. Rows that are gone cannot be computed again.
   */
  async pageOfRun(request: PageRequest, work: Work): Promise<RowsPage> {
    const { offset } = request
    if (offset === 0) await this.#writeRun(request, this.#timed(work))
    const page = await work.phases.of('query', this.#cut(request))
    if (!page) throw new RunFailure('gone')
    if (offset === 0 && !page.more) await remove(this.#stored.delete(keyOf(request))) // no cursor refers to it
    return page
  }

  /** Number of rows of a run that is stored. */
  rowsOfRun(request: PageRequest): number | undefined {
    return this.#stored.get(keyOf(request))?.chunks[0]?.rows
  }

  /** Bytes of stored rows on disk. */
  get bytes(): number {
    return this.#stored.weight
  }

  async close(): Promise<void> {
    for (const stored of this.#stored.clear()) await remove(stored)
    await this.#removed
  }

  async #cut(request: PageRequest): Promise<RowsPage | null> {
    const { offset, limit, pageBytes = this.#limits.pageBytes } = request
    const stored = this.#stored.get(keyOf(request))
    if (!stored) return null
    const { rowBytes } = this.#limits
    for (const chunk of stored.chunks) {
      const page = await chunk.cut({ offset, limit, pageBytes, rowBytes }).catch(cause => {
        if (cause instanceof EngineFailure) throw cause
        return null // the chunk has been removed meanwhile
      })
      if (page) return page
    }
    return null
  }

  async #compute(request: PageRequest, work: Work): Promise<RowsPage> {
    const { point, statement, offset, limit, pageBytes } = request
    const range = { offset, limit, ...(pageBytes === undefined ? {} : { pageBytes }) }
    const key = keyOf(request)
    const deadline = performance.now() + this.#limits.queryTimeoutMs
    if (offset > 0) {
      const cut = await this.#write(request, work)
      if (cut) return cut
    }
    const timeoutMs = Math.max(1, deadline - performance.now())
    const page = await this.#paced(key, work, () =>
      this.#engine.rows(point, statement, range, { ...work, timeoutMs }),
    )
    this.#pages.set(`${key} ${offset} ${limit}`, page)
    return page
  }

  /**
   * Writes a chunk that begins with the page, and cuts the page from it; null when no chunk can be written.
   */
  async #write(request: PageRequest, work: Work): Promise<RowsPage | null> {
    const { point, statement, offset, limit } = request
    const key = keyOf(request)
    const timed = this.#timed(work)
    const stored = this.#stored.get(key)
    const rows = Math.min(
      Math.max(limit, rowsOfChunk(stored?.paces ?? [], timed.timeoutMs)),
      stored?.mostRows ?? limit,
    )
    if (rows < limit) return null
    try {
      const isStable = offset + rows > STABLE_FROM_ROWS
      const isSettled = isStable && offset >= (stored?.settledAt ?? Number.POSITIVE_INFINITY)
      const from = isSettled ? { offset } : await this.#startAfter(request, work)
      const range: ChunkRange = { ...from, limit: rows, mostBytes: MOST_BYTES, isStable }
      const written = await this.#paced(key, work, () => this.#engine.write(point, statement, range, timed))
      await this.#keep(key, await Chunk.open(offset, written), written.settledAt)
      return await this.#cut(request)
    } catch (cause) {
      const kind = cause instanceof EngineFailure ? cause.kind : null
      if (kind && OF_THE_CALL.has(kind)) throw cause
      // A failure that a row causes will recur: try shorter chunks, then none, until the row's own page
      // reports it.
      this.#stored.set(key, { ...NOTHING, ...this.#stored.get(key), mostRows: fewerRows(rows) })
      if (kind === 'timeout') throw cause // the page has no time left either
      return null
    }
  }

  /** The rows before a chunk: the chunks that end where it begins, and page 1; other rows are skipped. */
  async #startAfter(
    request: PageRequest,
    work: Work,
  ): Promise<Required<Pick<ChunkRange, 'offset' | 'before'>>> {
    const before: RowsBefore[] = []
    let { offset } = request
    const chunks = this.#stored.get(keyOf(request))?.chunks ?? []
    const covering = () => chunks.find(({ base, end }) => base < offset && offset <= end)
    for (let chunk = covering(); chunk; chunk = covering()) {
      before.unshift({ from: chunk.path, rows: offset - chunk.base })
      offset = chunk.base
    }
    const first = await this.page({ ...request, offset: 0, limit: request.first }, work)
    const rows = Math.min(offset, first.rows)
    return { offset: offset - rows, before: [{ from: first.json, rows }, ...before] }
  }

  /** Records the pace of a page or chunk, unless it ends the result. */
  async #paced<Made extends { rows: number; more: boolean } & ({ bytes: number } | { json: Uint8Array })>(
    key: string,
    { phases }: Work,
    produce: () => Promise<Made>,
  ): Promise<Made> {
    const before = phases.spentMs.query ?? 0
    const made = await produce()
    if (!made.more) return made
    const stored = this.#stored.get(key) ?? NOTHING
    const pace = {
      rows: made.rows,
      bytes: 'json' in made ? made.json.byteLength : made.bytes,
      ms: (phases.spentMs.query ?? 0) - before,
    }
    this.#stored.set(key, { ...stored, paces: [pace, ...stored.paces.slice(0, 1)] })
    await this.#removed
    return made
  }

  /** Stores all rows of one run. */
  async #writeRun(request: PageRequest, work: TimedWork): Promise<void> {
    const { point, statement } = request
    const every = { offset: 0, limit: Number.MAX_SAFE_INTEGER - 1 }
    const written = await this.#engine.write(point, statement, every, work).catch(cause => {
      throw cause instanceof EngineFailure && cause.kind === 'file-bytes'
        ? new RunFailure('too-large', cause)
        : cause
    })
    const chunk = await Chunk.open(0, written)
    if (chunk.more || chunk.bytes > this.#mostBytes) {
      await chunk.remove()
      throw new RunFailure('too-large')
    }
    await this.#keep(keyOf(request), chunk)
  }

  async #keep(key: string, chunk: Chunk, settledAt?: number): Promise<void> {
    const stored = this.#stored.get(key) ?? NOTHING
    const settled = settledAt === undefined ? {} : { settledAt }
    this.#stored.set(key, { ...stored, ...settled, chunks: [...stored.chunks, chunk] })
    await this.#removed
    if (this.bytes > this.#mostBytes) await remove(this.#stored.delete(key)).catch(() => {})
  }

  #timed({ signal, phases }: Work): TimedWork {
    return { signal, phases, timeoutMs: this.#limits.queryTimeoutMs }
  }
}

function bytesOf({ chunks }: StoredResult): number {
  return chunks.reduce((bytes, chunk) => bytes + chunk.bytes, 0)
}

async function remove(stored?: StoredResult): Promise<void> {
  for (const chunk of stored?.chunks ?? []) await chunk.remove()
}

/** Identifies the rows in their order, and where pages end. */
function keyOf({ key, first, pageBytes }: PageRequest): string {
  return `${key} ${first} ${pageBytes}`
}

/** The size and the cost of a page or chunk. */
interface Pace {
  rows: number
  bytes: number
  ms: number
}

/** A chunk aims for 16 times the bytes of the last page or chunk, but at least 2 MiB and at most 128 MiB. */
const LARGER = 16
const LEAST_BYTES = 2 * 1024 ** 2
/** A chunk whose rows become longer ends there. */
const MOST_BYTES = 128 * 1024 ** 2
/**
 * Chunks that end after so many rows come from the whole result in one order, others from what the engine finds soonest:
 * the first rows of a large result cost it less than sorting all of them.
 */
const STABLE_FROM_ROWS = 50_000
/** Lower bound of the time per row: the difference of two measurements can be 0 or negative. */
const LEAST_MS_OF_ROW = 1e-6
/** Share of a call's time limit that a chunk may be expected to take. */
const SHARE_OF_TIME = 0.7

/**
 * Rows of the next chunk, limited by its bytes and its time; the time per row is the slope between two paces.
 */
function rowsOfChunk([last, before]: readonly Pace[], timeoutMs: number): number {
  if (!last || last.rows === 0) return 0
  const bytes = Math.max(LEAST_BYTES, Math.min(LARGER * last.bytes, MOST_BYTES))
  const [rows, ms] =
    before && before.rows !== last.rows
      ? [last.rows - before.rows, last.ms - before.ms]
      : [last.rows, last.ms]
  const msOfRow = Math.max(LEAST_MS_OF_ROW, ms / rows)
  const inTime = last.rows + (timeoutMs * SHARE_OF_TIME - last.ms) / msOfRow
  return Math.floor(Math.min((bytes / Math.max(1, last.bytes)) * last.rows, inTime))
}

/** Most rows of the next chunk after one of `rows` rows has failed. */
function fewerRows(rows: number): number {
  return Math.floor(rows / LARGER)
}
