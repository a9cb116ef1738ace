import type { EngineSettings } from '../engine/jobs.js'
import type { Connection } from '../engine/worker/duckdb.js'
import { describeFailure } from '../engine/worker/duckdb-failure.js'
import { processSettings, serveJobs } from '../process/child.js'
import { sealTables } from './seal.js'
import type { SealJob } from './seal-job.js'

/** Entry point of the process that seals one package. */
const settings = processSettings<EngineSettings>()
let running: Connection | null = null

serveJobs({
  run: job =>
    sealTables(job as SealJob, settings, connection => {
      running = connection
    }),
  interrupt: () => running?.interrupt(),
  describe: describeFailure,
})
