import { type Kept, processSettings, serveJobs } from '../../flow/child.js'
import { heldBytes } from '../../flow/memory.js'
import type { Column } from '../../model.js'
import { typeText } from '../../values/parameter-types.js'
import type { Job, JobFailure, Statement, View, WorkerSettings } from '../jobs.js'
import { bindUnbuilt, boundColumns } from './bind-unbuilt.js'
import { buildRelations } from './build.js'
import type { Connection } from './duckdb.js'
import { describeFailure, KnownFailure } from './duckdb-failure.js'
import { FreshInstances } from './fresh.js'
import { SnapshotInstances } from './instances.js'
import { producePage } from './statement-rows.js'
import { writeChunk } from './write-chunk.js'
import { exportFile } from './write-export.js'

/**
 * The worker's process: it runs callers' statements, one job at a time, each in the instance of its snapshot.
 */
const settings = processSettings<WorkerSettings>()
/** Share of its memory limit that a worker may still hold after a job; beyond it, the worker is recycled. */
const MOST_KEPT = 0.6
/** When a job leaves more memory behind than the one before it, freed memory is returned to the system. */
const MOST_LEFT_BYTES = 32 * 1024 ** 2
const fresh = new FreshInstances(settings)
const snapshots = new SnapshotInstances(settings, fresh)
/** Bytes held after the last job. */
let held = 0
/** What an interrupt stops. */
let running: { interrupt(): void } | null = null

/** Runs a job's statement on a connection. `key` names what the connection can run again without planning it. */
async function withConnection<Value>(
  view: View,
  use: (connection: Connection) => Promise<Value>,
  key: string | null = null,
): Promise<Value> {
  const connection = await snapshots.connect(view, key)
  running = connection
  let isKept = false
  try {
    const value = await use(connection)
    isKept = key !== null
    return value
  } catch (cause) {
    const failure = describeFailure(cause)
    // After a failed assertion an instance answers no more queries; one that read a damaged file may have it
    // cached.
    if (failure.kind === 'assertion' || failure.kind === 'view') snapshots.closeLast()
    throw new KnownFailure(failure)
  } finally {
    running = null
    if (isKept) snapshots.keep(view, key as string, connection)
    else connection.disconnectSync()
  }
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

async function build(job: Job & { kind: 'build' }): Promise<unknown> {
  snapshots.closeAll() // leaves their memory to the build
  try {
    return await buildRelations(job, settings, fresh, connection => {
      running = connection
    })
  } finally {
    running = null
  }
}

async function bind(job: Job & { kind: 'bind' }): Promise<Column[]> {
  if (job.unbuilt.length === 0)
    return withConnection(job.view, connection => boundColumns(connection, job.statement))
  try {
    return await bindUnbuilt(job, settings, fresh, connection => {
      running = connection
    })
  } finally {
    running = null
  }
}

/** What a plan depends on besides the relations; null for a statement whose plan is not kept. A NULL has no type. */
function planKey({ sql, values }: Statement): string | null {
  if (values.length === 0) return null
  const types = values.map(({ name, type, value }) => [name, value !== null && type ? typeText(type) : null])
  return JSON.stringify([sql, types.sort()])
}

async function run(job: Job): Promise<unknown> {
  switch (job.kind) {
    case 'rows':
      return withConnection(job.view, connection => producePage(connection, job), planKey(job.statement))
    case 'bind':
      return bind(job)
    case 'chunk':
      return withConnection(job.view, connection =>
        writeChunk(connection, job, settings, stoppedWith(connection)),
      )
    case 'export':
      return withConnection(job.view, connection =>
        exportFile(connection, job, settings, stoppedWith(connection)),
      )
    case 'build':
      return build(job)
  }
}

/** Prepares the process for the next job, whose cap counts the memory that this one leaves behind. */
async function reset(failure: unknown): Promise<Kept> {
  const before = held
  held = heldBytes()
  if ((failure as JobFailure | null)?.kind === 'memory') return { heldBytes: held, recycle: 'memory-limit' }
  if (held > before + MOST_LEFT_BYTES) held = await releaseMemory()
  await snapshots.reset(held)
  const most = MOST_KEPT * settings.memoryLimitBytes
  if (held > most) {
    snapshots.closeAll()
    held = await releaseMemory()
  }
  await fresh.refill()
  return { heldBytes: held, recycle: held > most ? 'memory-kept' : null }
}

/** Returns freed memory to the system, and the bytes that are held after that. */
async function releaseMemory(): Promise<number> {
  await fresh.discard()
  return heldBytes()
}

serveJobs({
  run: job => run(job as Job),
  interrupt: () => running?.interrupt(),
  describe: describeFailure,
  reset,
})
void fresh.refill()
