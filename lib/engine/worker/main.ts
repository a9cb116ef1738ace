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

/** The process in which strangers' statements run: one job at a time, each in the instance of its snapshot. */
const settings = processSettings<EngineSettings>()
/** The part of its memory that a process may have left when a job is done; the rest is what the next one can use. */
const MOST_KEPT = 0.6
const fresh = new FreshInstances(settings)
const snapshots = new SnapshotInstances(settings, fresh)
/** What it had mapped when the last job was done. */
let held = 0
let running: Connection | null = null

async function withConnection<Value>(view: View, use: (connection: Connection) => Promise<Value>): Promise<Value> {
  const connection = await snapshots.connect(view)
  running = connection
  try {
    return await use(connection)
  } catch (cause) {
    const failure = describeFailure(cause)
    // What is left of an instance that has failed answers nothing any more; one that read a damaged file may keep it.
    if (failure.kind === 'assertion' || failure.kind === 'view') snapshots.closeLast()
    throw new KnownFailure(failure)
  } finally {
    running = null
    connection.disconnectSync()
  }
}

async function build(job: Job & { kind: 'build' }): Promise<unknown> {
  snapshots.closeAll() // a build takes all the memory there is: what queries have attached goes first
  try {
    return await buildRelations(job, settings, fresh, connection => {
      running = connection
    })
  } finally {
    running = null
  }
}

async function run(job: Job): Promise<unknown> {
  // Also where somebody has removed it: what is written there, spilled rows among it, is no fault of the statement's.
  if (job.kind !== 'rows') await mkdir(settings.scratch, { recursive: true, mode: 0o700 })
  switch (job.kind) {
    case 'rows':
      return withConnection(job.view, connection => producePage(connection, job))
    case 'chunk':
      return withConnection(job.view, connection => writeChunk(connection, job, settings))
    case 'export':
      return withConnection(job.view, connection => exportFile(connection, job, settings))
    case 'build':
      return build(job)
  }
}

serveJobs({
  run: job => run(job as Job),
  interrupt: () => running?.interrupt(),
  describe: describeFailure,
  // What a large job leaves in the heaps counts against the cap of the next one.
  mustRecycle: failure =>
    (failure as JobFailure | null)?.kind === 'memory' || held > MOST_KEPT * settings.memoryLimitBytes,
  reset: async () => {
    held = heldBytes()
    await snapshots.reset(held)
    await fresh.refill()
  },
})
void fresh.refill()
