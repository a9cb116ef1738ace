import { type HeldMemory, processSettings, serveJobs, WithBytes } from '../../flow/child.js'
import { heldBytes } from '../../sandbox/memory.js'
import { typeText } from '../../values/parameter-types.js'
import type { Job, JobFailure, JobStatement, View, WorkerSettings } from '../jobs.js'
import { bindUnbuilt, buildRelations, describedColumns } from './build.js'
import type { Connection } from './duckdb.js'
import { describeFailure, KnownFailure } from './duckdb-failure.js'
import { FreshInstances, mayLast, ProjectInstances } from './instance.js'
import { producePage, streamed } from './statement-rows.js'
import { exportFile } from './write-export.js'
import { writeChunk } from './write-rows.js'

/**
 * The worker's process: it runs callers' statements, one job at a time, each in the instance of its project.
 */
const settings = processSettings<WorkerSettings>()
/** Share of its memory limit that a worker may still hold after a job; beyond it, the worker is recycled. */
const MOST_KEPT = 0.6
/** When a job leaves more memory behind than the one before it, freed memory is returned to the system. */
const MOST_LEFT_BYTES = 32 * 1024 ** 2
const fresh = new FreshInstances(settings)
const instances = new ProjectInstances(settings, fresh)
/** A failed job or one that took this long may have left memory behind. */
const LONG_MS = 5
/** After one in so many jobs, at random, the checks run that otherwise wait for a reason or for a pause. */
const CHECKED_ONE_OF = 16
/** Bytes held when last measured. */
let held = 0
let startedAt = 0
/** Whether the last job ran a statement that may have left something. */
let mayHaveLeft = false
/** The job that runs, or ran last. */
let latest: Job | null = null
/** What an interrupt stops. */
let running: { interrupt(): void } | null = null

/** What runs on a connection, and for which statement. */
interface OnConnection<Value> {
  view: View
  /** Not known for rows of another engine. */
  sql: string | undefined
  use(connection: Connection): Promise<Value>
  /** What the connection is kept with. Default: it is not kept. */
  key?: string
}

/**
 * Runs a job's statement on a connection. Where the engine fails an assertion, which the optimizer causes for some
 * fields of structs, the statement runs once more without the rules that are wrong for some statements.
 */
async function withConnection<Value>(job: OnConnection<Value>): Promise<Value> {
  return attempt(job).catch(cause => {
    if (job.sql === undefined || describeFailure(cause).kind !== 'assertion') throw cause
    const { view, use } = job // on a connection of its own
    return attempt({ view, use, sql: undefined })
  })
}

/** The connection is kept with its key, unless the statement failed or may have left something in it. */
async function attempt<Value>({ view, sql, use, key }: OnConnection<Value>): Promise<Value> {
  const connection = await instances.connect(view, key ?? null, sql)
  running = connection
  let isKept = false
  try {
    const value = await use(connection)
    isKept = !mayHaveLeft
    return value
  } catch (cause) {
    const failure = damagedIn(view, describeFailure(cause))
    // After a failed assertion an instance answers no more queries; an instance that has read a damaged file may have
    // it cached.
    if (failure.kind === 'assertion' || failure.kind === 'view') instances.closeLast()
    throw new KnownFailure(failure)
  } finally {
    if (isKept && key !== undefined) instances.keep(view, key, connection)
    else connection.disconnectSync()
  }
}

/** A failure that names a Parquet file of the view is one of the view. */
function damagedIn({ files }: View, failure: JobFailure): JobFailure {
  const { cause = '' } = failure
  const damaged = files.find(
    ({ form, files }) => form === 'sealed' && files.some(name => cause.includes(name)),
  )
  return damaged ? { kind: 'view', text: damaged.alias, cause } : failure
}

/** A signal that an interrupt aborts, beside stopping the connection. */
function stoppedWith(connection: Connection): AbortSignal {
  const stopping = new AbortController()
  running = {
    interrupt() {
      connection.interrupt()
      stopping.abort(new KnownFailure({ kind: 'interrupted', text: 'The query was stopped.' }))
    },
  }
  return stopping.signal
}

/** Makes a connection what an interrupt stops. */
function setRunning(connection: Connection): void {
  running = connection
}

/** What a connection is kept for: any statement, or with the plan of one with values. A NULL has no type. */
function keyOf({ sql, values = [] }: JobStatement): string {
  if (values.length === 0) return ''
  const types = values.map(({ name, type, value }) => [name, value !== null && type ? typeText(type) : null])
  return JSON.stringify([sql, types.sort()])
}

async function run(job: Job): Promise<unknown> {
  latest = job
  streamed.rows = 0
  startedAt = performance.now()
  const sql = 'statement' in job && !('path' in job.statement) ? job.statement.sql : undefined
  mayHaveLeft = sql !== undefined && mayLast(sql)
  switch (job.kind) {
    case 'rows': {
      const key = keyOf(job.statement)
      const use = (connection: Connection) => producePage(connection, job)
      const { json, ...page } = await withConnection({ view: job.view, sql, key, use })
      return new WithBytes(page, json)
    }
    case 'bind':
      if (job.unbuilt.length > 0) return bindUnbuilt(job, settings, fresh, setRunning)
      return withConnection({
        view: job.view,
        sql,
        use: connection => describedColumns(connection, job.statement),
      })
    case 'chunk':
      return withConnection({
        view: job.view,
        sql,
        use: connection => writeChunk(connection, job, settings, stoppedWith(connection)),
      })
    case 'export':
      return withConnection({
        view: job.view,
        sql,
        use: connection => exportFile(connection, job, settings, stoppedWith(connection)),
      })
    case 'build':
      // Their memory is left to a build, but a check of stored tables takes none.
      if (job.steps.some(({ file }) => file.form === 'built')) instances.closeAll()
      return buildRelations(job, settings, fresh, setRunning)
  }
}

/** A failure of a relation with its place in the job, by which the host finds it, and not with its alias. */
function placed(failure: JobFailure): JobFailure {
  const { kind, text: alias } = failure
  if ((kind !== 'view' && kind !== 'relation') || latest === null) return failure
  const steps = latest.kind === 'build' ? latest.steps : latest.kind === 'bind' ? latest.unbuilt : []
  const files = kind === 'view' ? latest.view.files : steps.map(({ file }) => file)
  const at = files.findIndex(file => file.alias === alias)
  return { ...failure, text: '', ...(at < 0 ? {} : { at }) }
}

/**
 * Prepares the process for the next job. What takes longer than a small job is done after those that give a reason, after
 * some that are chosen by chance, and in pauses.
 */
async function reset(failure: unknown): Promise<HeldMemory | null> {
  const isChecked = Math.random() * CHECKED_ONE_OF < 1
  const isLong = performance.now() - startedAt >= LONG_MS
  const hasFailed = failure !== null
  if (mayHaveLeft || hasFailed || isChecked) await instances.check()
  return hasFailed || isLong || isChecked ? keepWithin(failure) : null
}

/** Keeps no more memory than the next job, whose cap counts it, can do without. */
async function keepWithin(failure: unknown): Promise<HeldMemory> {
  const before = held
  held = heldBytes()
  if ((failure as JobFailure | null)?.kind === 'memory') return { heldBytes: held, recycle: 'memory-limit' }
  if (held > before + MOST_LEFT_BYTES) held = await releaseMemory()
  await instances.reduce(held)
  const most = MOST_KEPT * settings.memoryLimitBytes
  if (held > most) {
    instances.closeAll()
    held = await releaseMemory()
  }
  return { heldBytes: held, recycle: held > most ? 'memory-kept' : null }
}

/** Returns freed memory to the system, and the bytes that are held after that. */
async function releaseMemory(): Promise<number> {
  await fresh.discard()
  return heldBytes()
}

/** The checks that run in a pause: they take as long as several small jobs. */
async function rest(): Promise<HeldMemory> {
  await instances.check()
  const kept = await keepWithin(null)
  await fresh.refill()
  return kept
}

/** Groups and sorts strings and numbers, as most statements do. */
const TYPICAL = `SELECT i % 3 AS a, 'text ' || i AS b, sum(i * 1.5) AS c FROM range(10) t(i) GROUP BY ALL ORDER BY 1, 2`

/** Runs a statement of ours in an instance of its own, so that the first job finds its code loaded and compiled. */
async function warmUp(): Promise<void> {
  const instance = await fresh.take()
  try {
    const view = { folder: '', files: [] }
    const limits = { limit: 10, offset: 0, pageBytes: 1024 ** 2, rowBytes: 1024 ** 2 }
    const statement = { sql: TYPICAL }
    const connection = await instance.connect()
    await producePage(connection, { kind: 'rows', view, statement, ...limits })
  } finally {
    instance.closeSync()
  }
}

await warmUp().catch(() => {}) // jobs tell what does not work
await fresh.refill()
serveJobs({
  run: job =>
    run(job as Job).finally(() => {
      running = null
    }),
  interrupt: () => running?.interrupt(),
  made: () => streamed.rows,
  describe: cause => placed(describeFailure(cause)),
  reset,
  rest,
})
