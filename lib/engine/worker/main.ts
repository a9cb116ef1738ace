import { mkdir } from 'node:fs/promises'
import { processSettings, serveJobs } from '../../process/child.js'
import { heldBytes } from '../../process/memory.js'
import type { EngineSettings, Job, JobFailure, View } from '../jobs.js'
import { buildRelations } from './build.js'
import type { Connection } from './duckdb.js'
import { describeFailure, KnownFailure } from './duckdb-failure.js'
import { FreshInstances } from './fresh.js'
import { SnapshotInstances } from './instances.js'
import { producePage } from './statement-rows.js'
import { writeChunk } from './write-chunk.js'
import { exportFile } from './write-export.js'

/** The worker's process: it runs callers' statements, one job at a time, each in the instance of its snapshot. */
const settings = processSettings<EngineSettings>()
/** Share of its memory limit that a worker may still have mapped after a job; beyond it, the worker is recycled. */
const MOST_KEPT = 0.6
const fresh = new FreshInstances(settings)
const snapshots = new SnapshotInstances(settings, fresh)
/** Bytes mapped when the last job ended. */
let held = 0
/** What an interrupt stops. */
let running: { interrupt(): void } | null = null

async function withConnection<Value>(view: View, use: (connection: Connection) => Promise<Value>): Promise<Value> {
  const connection = await snapshots.connect(view)
  running = connection
  try {
    return await use(connection)
  } catch (cause) {
    const failure = describeFailure(cause)
    // After a failed assertion an instance answers no more queries; one that read a damaged file may have it cached.
    if (failure.kind === 'assertion' || failure.kind === 'view') snapshots.closeLast()
    throw new KnownFailure(failure)
  } finally {
    running = null
    connection.disconnectSync()
  }
}

/** A signal that an interrupt aborts, beside stopping the connection. */
function stoppedWith(connection: Connection): AbortSignal {
  const stopping = new AbortController()
  running = {
    interrupt() {
      connection.interrupt()
      stopping.abort(new KnownFailure({ kind: 'interrupted', text: 'The export was stopped.' }))
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

async function run(job: Job): Promise<unknown> {
  // The folder may have been removed since the start, which must not fail a statement that writes or spills there.
  if (job.kind !== 'rows') await mkdir(settings.scratch, { recursive: true, mode: 0o700 })
  switch (job.kind) {
    case 'rows':
      return withConnection(job.view, connection => producePage(connection, job))
    case 'chunk':
      return withConnection(job.view, connection => writeChunk(connection, job, settings))
    case 'export':
      return withConnection(job.view, connection => exportFile(connection, job, settings, stoppedWith(connection)))
    case 'build':
      return build(job)
  }
}

serveJobs({
  run: job => run(job as Job),
  interrupt: () => running?.interrupt(),
  describe: describeFailure,
  // Memory that a large job leaves in the heaps counts towards the cap of the next one.
  mustRecycle: failure =>
    (failure as JobFailure | null)?.kind === 'memory' || held > MOST_KEPT * settings.memoryLimitBytes,
  reset: async () => {
    held = heldBytes()
    await snapshots.reset(held)
    await fresh.refill()
  },
})
void fresh.refill()
