import { processSettings, serveJobs } from '../../../flow/child.js'
import type { EngineSettings } from '../../jobs.js'
import type { InspectJob, SealJob } from '../../seal-job.js'
import { describeFailure } from '../duckdb-failure.js'
import { inspectFiles } from './inspect.js'
import { sealTables } from './seal.js'

/** Entry point of the process that seals one package, or inspects one snapshot. */
const settings = processSettings<EngineSettings>()

serveJobs({
  run: given => {
    const job = given as SealJob | InspectJob
    return 'inspected' in job ? inspectFiles(job, settings) : sealTables(job, settings)
  },
  describe: describeFailure,
})
