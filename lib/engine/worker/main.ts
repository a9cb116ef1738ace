import type { DuckDBConnection } from '@duckdb/node-api'
import { processSettings, serveJobs } from '../../process/child.js'
import { heldBytes } from '../../process/memory.js'
import type { EngineSettings, Job, JobFailure, View } from '../jobs.js'
import { buildRelations } from './build.js'
import { exportFile } from './export.js'
import { describeFailure, KnownFailure } from './failure.js'
import { FreshInstances } from './fresh.js'
import { SnapshotInstance } from './instance.js'
import { producePage } from './rows.js'
import { sealTables } from './seal.js'
import { writeStretch } from './stretch.js'

/** The process in which strangers' statements run: one job at a time, one snapshot at a time. */
const settings = processSettings<EngineSettings>()
/** The part of its memory that a process may have left when a job is done; the rest is what the next one can use. */
const MOST_KEPT = 0.6
const fresh = new FreshInstances(settings)
const snapshot = new SnapshotInstance(settings, fresh)
let running: DuckDBConnection | null = null

async function withConnection<Value>(
  view: View,
  use: (connection: DuckDBConnection) => Promise<Value>,
): Promise<Value> {
  const connection = await snapshot.connect(view)
  running = connection
  try {
    return await use(connection)
  } catch (cause) {
    const failure = describeFailure(cause)
    if (failure.kind === 'assertion') snapshot.close() // what is left of the instance answers nothing any more
    throw new KnownFailure(failure)
  } finally {
    running = null
    connection.disconnectSync()
  }
}

async function run(job: Job): Promise<unknown> {
  switch (job.kind) {
    case 'rows':
      return withConnection(job.view, connection => producePage(connection, job))
    case 'stretch':
      return withConnection(job.view, connection => writeStretch(connection, job, settings))
    case 'export':
      return withConnection(job.view, connection => exportFile(connection, job, settings))
    case 'build':
    case 'seal': {
      // Both take all the memory there is: what the last query attached goes first.
      snapshot.close()
      const hold = (connection: DuckDBConnection) => {
        running = connection
      }
      const work =
        job.kind === 'build' ? buildRelations(job, settings, fresh, hold) : sealTables(job, settings, fresh, hold)
      return work.finally(() => {
        running = null
      })
    }
  }
}

serveJobs({
  run: job => run(job as Job),
  interrupt: () => running?.interrupt(),
  describe: describeFailure,
  // What a large job leaves in the heaps counts against the cap of the next one.
  worn: failure =>
    (failure as JobFailure | null)?.kind === 'memory' || heldBytes() > MOST_KEPT * settings.memoryLimitBytes,
  tidy: async () => {
    await snapshot.tidy()
    await fresh.refill()
  },
})
void fresh.refill()
