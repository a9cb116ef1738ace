import { describeFailure } from '../../duckdb/child/duckdb-failure.js'
import type { EngineSettings } from '../../duckdb/jobs.js'
import { processSettings, serveJobs } from '../../flow/child.js'
import type { InspectJob, SealJob, TenantJob, TenantsJob } from '../job.js'
import { inspectFiles } from './inspect.js'
import { sealTables } from './seal.js'
import { Tenants } from './tenants.js'

/** Entry point of the process that seals one package, or the rows of many tenants, or inspects one snapshot. */
const settings = processSettings<EngineSettings>()
let tenants: Tenants | null = null

serveJobs({
  async run(given) {
    const job = given as SealJob | InspectJob | TenantsJob | TenantJob
    if ('inspected' in job) return inspectFiles(job, settings)
    if ('key' in job) return tenants?.seal(job)
    if (!('shared' in job)) return sealTables(job, settings)
    tenants = await Tenants.stage(job, settings)
    return tenants.found
  },
  describe: describeFailure,
})
