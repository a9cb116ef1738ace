import type { Limits } from '../call/limits.js'
import type { Hierarchy } from '../catalogue/definitions.js'
import { RecentMap } from '../flow/recent.js'
import type { Work } from '../flow/work.js'
import type { Column } from '../model.js'
import { identifier, literal } from '../values/quote.js'
import { type Engine, EngineFailure, type PointOfView, type RowsPage } from './port.js'
import type { PageRequest } from './results.js'

/** Results whose columns and numbers of rows are kept. */
const MOST_KEPT = 1_000
/** Failures that say the rows cannot be counted; the page that was asked for is there nevertheless. */
const UNCOUNTED: ReadonlySet<string> = new Set([
  ...['timeout', 'memory', 'query', 'row-bytes', 'no-connection', 'killed'],
])

/** What callers can ask of a result besides its rows; kept, so that later pages ask the engine nothing. */
export class ResultFacts {
  readonly #engine: Engine
  readonly #limits: Limits
  readonly #columns = new RecentMap<string, Column[]>(MOST_KEPT)
  readonly #totals = new RecentMap<string, number>(MOST_KEPT)
  readonly #entities = new RecentMap<string, boolean>(MOST_KEPT)

  constructor(engine: Engine, limits: Limits) {
    this.#engine = engine
    this.#limits = limits
  }

  /** The columns of a result. */
  async columns(
    { key, point, statement }: Pick<PageRequest, 'key' | 'point' | 'statement'>,
    work: Work,
  ): Promise<Column[]> {
    const known = this.#columns.get(key)
    if (known) return known
    const { columns } = await this.#engine.bind(point, statement, this.#timed(work))
    this.#columns.set(key, columns)
    return columns
  }

  /**
   * The number of rows of a result of which this page has been read; undefined when they cannot be counted in
   * what is left of the time of a query.
   */
  async total(request: PageRequest, page: RowsPage, work: Work): Promise<number | undefined> {
    const { key, point, statement, offset } = request
    const isEnd = !page.more && (page.rows > 0 || offset === 0)
    const known = isEnd ? offset + page.rows : this.#totals.get(key)
    if (known !== undefined) return this.#keep(key, known)
    const { columns: _, ...counted } = statement
    const sql = `SELECT count(*) AS total FROM (\n${statement.sql}\n) AS q`
    try {
      const timed = this.#timed(work, work.phases.spentMs.query)
      const { json } = await this.#engine.rows(point, { ...counted, sql }, { offset: 0, limit: 1 }, timed)
      return this.#keep(key, (JSON.parse(Buffer.from(json).toString()) as { total: number }).total)
    } catch (cause) {
      if (cause instanceof EngineFailure && UNCOUNTED.has(cause.kind)) return undefined
      throw cause
    }
  }

  /** Whether the table of the tree has a row of an entity among those that a caller with row limits sees. */
  async seesEntity(point: PointOfView, tree: Hierarchy, entityId: string, work: Work): Promise<boolean> {
    const { snapshot, rows } = point
    const key = [snapshot.projectId, snapshot.snapshotId, rows?.digest, entityId].join(' ')
    const known = this.#entities.get(key)
    if (known !== undefined) return known
    const [table, id] = [identifier(tree.table), identifier(tree.id)]
    const sql = `SELECT 1 AS seen FROM ${table} WHERE CAST(${id} AS UUID) = ${literal(entityId)}::UUID LIMIT 1`
    const statement = { sql, relations: [tree.table], volatile: false }
    const found = await this.#engine.rows(point, statement, { offset: 0, limit: 1 }, this.#timed(work))
    this.#entities.set(key, found.rows > 0)
    return found.rows > 0
  }

  #keep(key: string, total: number): number {
    this.#totals.set(key, total)
    return total
  }

  #timed({ phases, signal }: Work, spentMs = 0) {
    return { phases, signal, timeoutMs: Math.max(1, this.#limits.queryTimeoutMs - spentMs) }
  }
}
