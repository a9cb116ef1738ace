import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AnalyticsError, type QueryExample } from 'foldgate'
import { type Asker, cancelled, type Engine, type EngineHost, type OpenEngine } from 'foldgate/engine'
import { type Home, openHome } from 'foldgate/internal'
import { resolveTrino, type TrinoEngineOptions } from './options.js'
import { type StatementRequest, TrinoClient } from './protocol/client.js'
import { qualified } from './relations/schemas.js'
import { Views } from './relations/views.js'
import { RowProcess } from './rows/row-process.js'
import { written } from './rows/rows.js'
import { Gate } from './rules/gate.js'
import { checkStatement, isVolatile, relationsIn } from './statement/check-statement.js'
import { DIALECT } from './statement/refusal.js'
import { Syntax } from './statement/syntax.js'
import { Statements } from './statements.js'
import { rowWriter } from './values/json-writer.js'
import { type TrinoColumn, typeName } from './values/type-signatures.js'

const LOOK_WITHIN_MS = 5_000
/** Rows of an export, before DuckDB compresses them, may take this many times the bytes of its file. */
const SPOOL_FACTOR = 4

/**
 * Experimental: an engine that runs statements on a Trino that you operate. Statements are in Trino's dialect
 * of SQL. Throws a TypeError that names an option that is wrong.
 *
 * @example
 * ```ts
 * const trino = trinoEngine({
 *   url: 'https://trino.example:8443',
 *   auth: { password: process.env.TRINO_PASSWORD ?? '' },
 *   catalog: 'foldgate',
 *   duckdb: duckdbEngine({ folder: 'data/duckdb' }),
 *   folder: 'data/trino',
 *   shared: { folder: '/mnt/foldgate', location: 'local:///mnt/foldgate' },
 * })
 * const api = createAnalyticsApi({ ...options, engines: { trino } })
 * ```
 */
export function trinoEngine(options: TrinoEngineOptions): OpenEngine {
  const settings = resolveTrino(options)
  return host => openEngine(settings, host)
}

function openEngine(settings: ReturnType<typeof resolveTrino>, host: EngineHost): Engine {
  const { limits, catalogue } = host
  const { connections } = settings
  const { pageBytes, rowBytes } = limits
  const rowLimits = { pageBytes, rowBytes }
  const client = new TrinoClient(settings.at)
  let opening: Promise<Home> | undefined
  let isClosed = false
  /** The folders of this service, opened again when that has failed. */
  const home = () => {
    if (isClosed) throw cancelled()
    opening ??= openHome(settings.folder, cause =>
      host.onEvent({ type: 'dependency', port: 'engine', cause }),
    )
    opening.catch(() => {
      opening = undefined
    })
    return opening
  }
  const newFile = async (extension: string) => join((await home()).outbox, `${randomUUID()}.${extension}`)
  const rows = new RowProcess(settings.at, async () => (await home()).scratch)
  const duckdb = settings.duckdb(host)
  const views = new Views(settings, host, client, duckdb)
  const { user, catalog } = settings.at
  const gate = new Gate(client, { catalog, user, prefix: settings.prefix }, host.onEvent)
  const statements = new Statements(host, views, { connections, gate, shared: settings.shared })
  const syntax = new Syntax(client, views.nobody, limits.connectionWaitMs)
  const names = catalogue.summaries.map(({ name }) => name)
  let version = 'trino'
  let examples = settings.examples ?? catalogue.examples

  const columnsOf = async (request: StatementRequest) => {
    for await (const { columns } of client.run(request)) return columns
    return []
  }
  const described = (columns: readonly TrinoColumn[]) =>
    columns.map(({ name, type }) => ({ name, type: typeName(type) }))

  const check = async (sql: string, asker: Asker) => {
    const statement = checkStatement(sql)
    await gate.pass()
    await syntax.check(statement, asker)
    const readable = asker.readable && names.filter(name => asker.readable?.includes(name))
    const relations = relationsIn(statement, readable ?? names)
    return { sql: statement, relations, volatile: isVolatile(statement), ...(readable ? { readable } : {}) }
  }
  /** Leaves out worked queries that the cluster refuses, which callers would copy. */
  const checkExamples = async () => {
    const asker = { organization: '', ownerId: '', signal: new AbortController().signal }
    const refused = async ({ question, sql }: QueryExample) => {
      const problem = await check(sql, asker).catch((cause: AnalyticsError) => cause)
      if (!(problem instanceof AnalyticsError) || problem.class !== 'INVALID_QUERY') return false
      const cause = new Error(`Trino refuses the worked query "${question}": ${problem.message}`)
      host.onEvent({ type: 'dependency', port: 'engine', cause })
      return true
    }
    const found = await Promise.all(examples.map(refused))
    examples = examples.filter((_, at) => !found[at])
  }

  return {
    get version() {
      return version
    },
    dialect: DIALECT,
    digests: snapshot => [views.digestOfFile(snapshot)],
    get examples() {
      return examples
    },
    check,
    async columns(point, relations, work) {
      const schemas = await views.ready(point, relations, work)
      const reading = relations.map(async relation => {
        const sql = `SELECT * FROM ${qualified(schemas.view, relation)} LIMIT 0`
        const request = { sql, source: 'foldgate', signal: work.signal, timeoutMs: limits.buildTimeoutMs }
        return described(await columnsOf(request))
      })
      return Promise.all(reading)
    },
    bind: (point, statement, work) =>
      statements.bind(point, statement, work, async request => {
        const columns = await columnsOf(request)
        written(() => rowWriter(columns)) // fails as the rows would, when no result can hold them
        return described(columns)
      }),
    rows: (point, statement, range, work) =>
      statements.run(point, statement, work, request =>
        rows.run(request, { kind: 'page', range, limits: rowLimits }),
      ),
    async write(point, statement, range, work) {
      const path = await newFile('jsonl')
      const task = { kind: 'lines', range, limits: rowLimits, path } as const
      try {
        return await statements.run(point, statement, work, request => rows.run(request, task))
      } catch (cause) {
        await rm(path, { force: true })
        throw cause
      }
    },
    async export(point, statement, work, form) {
      const deadline = performance.now() + work.timeoutMs
      const path = await newFile('ndjson')
      try {
        const task = { kind: 'spool', path, mostBytes: SPOOL_FACTOR * limits.exportBytes } as const
        const given = await statements.run(point, statement, work, request => rows.run(request, task))
        const timeoutMs = Math.max(1, deadline - performance.now())
        return await duckdb.exportRows(given, point, statement, { ...work, timeoutMs }, form)
      } finally {
        await rm(path, { force: true })
      }
    },
    async ready() {
      const looking = client.info(AbortSignal.timeout(LOOK_WITHIN_MS)).then(
        info => {
          version = `trino ${info.version}`
        },
        cause => host.onEvent({ type: 'dependency', port: 'engine', cause }),
      )
      await Promise.all([duckdb.ready(), looking.then(checkExamples).catch(() => {})])
    },
    stats: () => {
      const { cacheBytes = 0, pids = [] } = duckdb.stats()
      return { connections, ...statements.load, cacheBytes, pids: [...pids, ...rows.pids] }
    },
    async answering(withinMs) {
      const answers = client.info(AbortSignal.timeout(withinMs)).then(
        ({ starting }) => !starting,
        () => false,
      )
      return { workers: (await answers) ? connections : 0 }
    },
    async close() {
      isClosed = true
      statements.close()
      rows.close()
      const left = opening?.then(({ leave }) => leave()).catch(() => {})
      await Promise.all([views.close(), duckdb.close(), left])
    },
  }
}
