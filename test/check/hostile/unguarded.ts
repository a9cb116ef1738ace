import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExportFormat } from 'foldgate/client'
import { resolveLimits } from '#lib/call/limits.js'
import { duckdbEngine } from '#lib/duckdb-engine.js'
import { type Engine, EngineFailure, type PointOfView, type Statement } from '#lib/engine/port.js'
import { workOfNobody } from '#lib/flow/work.js'
import { SnapshotReader } from '#lib/snapshots/reader.js'
import { catalogue } from '../../service/catalogue.js'
import type { Service } from '../../service/service.js'

/** Everything that a statement could change for later ones, as one value. */
const STATE = `SELECT list(x ORDER BY x) AS state FROM (
  SELECT 'database ' || database_name AS x FROM duckdb_databases()
  UNION ALL SELECT concat_ws(' ', 'setting', name, value) FROM duckdb_settings()
  UNION ALL SELECT 'table ' || table_name FROM duckdb_tables() WHERE database_name IN ('memory', 'temp')
  UNION ALL SELECT 'view ' || view_name FROM duckdb_views() WHERE NOT internal
  UNION ALL SELECT 'function ' || function_name FROM duckdb_functions() WHERE NOT internal
  UNION ALL SELECT 'type ' || type_name FROM duckdb_types() WHERE NOT internal
  UNION ALL SELECT 'sequence ' || sequence_name FROM duckdb_sequences()
  UNION ALL SELECT 'variable ' || name FROM duckdb_variables()
  UNION ALL SELECT 'prepared ' || name FROM duckdb_prepared_statements()
  UNION ALL SELECT 'secret ' || name FROM duckdb_secrets()
  UNION ALL SELECT 'log ' || message FROM duckdb_logs()
  UNION ALL SELECT 'seen by ' || count(*) FROM amounts)`

/** The result of the guard for a statement that may read every relation. */
function checked(sql: string): Statement {
  return { sql, relations: catalogue.summaries.map(relation => relation.name), volatile: false }
}

/** Rows as JSON, or why there are none. */
export type Outcome = { rows: string } | { failure: string; detail: string }

/** An engine with one connection and without a guard, over the relations of one project. */
export class Unguarded {
  readonly folder: string
  readonly #engine: Engine
  readonly #point: PointOfView
  readonly #queryTimeoutMs: number
  #ended = 0
  #died = 0
  #untouched: string | null = null
  #beside: PointOfView | null = null

  private constructor(folder: string, point: PointOfView, queryTimeoutMs: number) {
    this.folder = folder
    this.#point = point
    this.#queryTimeoutMs = queryTimeoutMs
    const options = { folder, connections: 1, residents: 1, spares: 1, memoryLimitBytes: 512 * 1024 ** 2 }
    this.#engine = duckdbEngine(options)({
      catalogue,
      limits: resolveLimits({ queryTimeoutMs }),
      onEvent: event => {
        if (event.type === 'engine' && event.what !== 'died') this.#ended += 1
        if (event.type === 'engine' && event.what === 'died') this.#died += 1
      },
    })
  }

  /** `beside` is another project of the organization, which the process has open too; `builds`: relations of its own. */
  static async open(
    service: Service,
    projectId: string,
    {
      queryTimeoutMs = 300,
      beside,
      builds = true,
    }: { queryTimeoutMs?: number; beside?: string; builds?: boolean } = {},
  ): Promise<Unguarded> {
    const pointOf = async (id: string): Promise<PointOfView> => {
      const snapshot = await new SnapshotReader(service.snapshots).latest(id, AbortSignal.timeout(5_000))
      if (!snapshot) throw new Error('the project has no snapshot')
      return { snapshot, organization: 'north', entityId: null, ownershipView: 'gross' }
    }
    const folder = await mkdtemp(join(tmpdir(), 'foldgate-unguarded-'))
    const unguarded = new Unguarded(folder, await pointOf(projectId), queryTimeoutMs)
    await unguarded.#engine.ready()
    for (const { name } of builds ? catalogue.summaries : []) await unguarded.run(`SELECT 1 FROM ${name} LIMIT 1`)
    if (beside) unguarded.#beside = await pointOf(beside)
    await unguarded.#warm()
    if (builds) unguarded.#untouched = await unguarded.#state()
    return unguarded
  }

  /** Runs a statement as if the guard had accepted it, and as if the project belonged to `organization`. */
  async run(statement: string, organization = this.#point.organization): Promise<Outcome> {
    const point = { ...this.#point, organization }
    return this.#outcome(async () => {
      const page = await this.#engine.rows(point, checked(statement), { offset: 0, limit: 500 }, this.#work())
      return Buffer.from(page.json).toString()
    })
  }

  /** Runs a statement into a file of stored lines or of a format, without reading the file. */
  async runIntoFile(statement: string, kind: 'lines' | ExportFormat): Promise<Outcome> {
    return this.#outcome(async () => {
      const range = { offset: 0, limit: 500 }
      const made =
        kind === 'lines'
          ? await this.#engine.write(this.#point, checked(statement), range, this.#work())
          : await this.#engine.export(this.#point, checked(statement), this.#work(resolveLimits().exportTimeoutMs), {
              format: kind,
              escapesFormulas: true,
            })
      return `${made.rows} rows`
    })
  }

  /** Binds a statement over a relation that is not built, without running it; returns its columns. */
  async bind(statement: string): Promise<Outcome> {
    return this.#outcome(async () => {
      const reading = { ...checked(statement), relations: ['amounts'] }
      const { columns, relations } = await this.#engine.bind(this.#point, reading, this.#work(10_000))
      return JSON.stringify([columns, relations])
    })
  }

  #work(timeoutMs = this.#queryTimeoutMs) {
    return { ...workOfNobody(), timeoutMs }
  }

  async #outcome(work: () => Promise<string>): Promise<Outcome> {
    try {
      return { rows: await work() }
    } catch (cause) {
      if (!(cause instanceof EngineFailure)) throw cause
      return { failure: cause.kind, detail: `${cause.message} ${String(cause.cause ?? '')}` }
    }
  }

  /** Number of processes that ended during a job. */
  get died(): number {
    return this.#died
  }

  /** Runs a statement, then checks whether it left anything for the next one. */
  async runAndLook(statement: string): Promise<{ outcome: Outcome; left: string | null }> {
    const before = this.#ended
    await this.#warm()
    const outcome = await this.run(statement)
    const state = await this.#state()
    // If the process ended with its statement, this checks its successor.
    const left = state === this.#untouched ? null : `${this.#ended - before} replaced, then ${state}`
    return { outcome, left }
  }

  /** Makes sure that the process has the other project open. */
  async #warm(): Promise<void> {
    const point = this.#beside
    if (!point) return
    for (let again = 0; again < 5; again++) {
      const work = this.#work(10_000)
      const read = this.#engine.rows(point, checked('SELECT item FROM amounts'), { offset: 0, limit: 500 }, work)
      const outcome = await this.#outcome(async () => Buffer.from((await read).json).toString())
      if ('rows' in outcome) return
    }
    throw new Error('the other project is not open')
  }

  async close(): Promise<void> {
    await this.#engine.close()
    await rm(this.folder, { recursive: true, force: true })
  }

  async #state(): Promise<string> {
    // A process that has just started may need more than the few hundred milliseconds that a statement gets here. A
    // process without enough memory for this is replaced.
    let outcome = await this.run(STATE)
    for (let again = 0; again < 3 && 'failure' in outcome && /timeout|memory/.test(outcome.failure); again++)
      outcome = await this.run(STATE)
    // Every process has its own scratch folder.
    if ('rows' in outcome) return outcome.rows.replaceAll(/\/scratch\/\d+/g, '/scratch')
    return `${outcome.failure}: ${outcome.detail}`
  }
}
