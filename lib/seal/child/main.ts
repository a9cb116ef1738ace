import type { Connection } from '../../duckdb/child/duckdb.js'
import { describeFailure } from '../../duckdb/child/duckdb-failure.js'
import type { EngineSettings } from '../../duckdb/jobs.js'
import { UnusableFile } from '../../files/regular.js'
import { processSettings, serveJobs } from '../../flow/child.js'
import { refusedColumn } from '../../snapshots/codecs.js'
import type { InspectJob, SealJob, TenantJob, TenantsJob } from '../job.js'
import { sealTables } from './seal.js'
import { stageTenants, type Tenants } from './tenants.js'
import { type PackageFiles, withWorkplace } from './workplace.js'

/** Entry point of the process that seals one package, or the rows of many tenants, or inspects one snapshot. */
const settings = processSettings<EngineSettings>()
let tenants: Tenants | null = null

serveJobs({
  async run(given) {
    const job = given as SealJob | InspectJob | TenantsJob | TenantJob
    if ('inspected' in job) return inspectFiles(job)
    if ('key' in job) return tenants?.seal(job)
    if (!('shared' in job)) return sealTables(job, settings)
    tenants = await stageTenants(job, settings)
    return tenants.found
  },
  describe: describeFailure,
})

/** Reads the footers of Parquet files. Returns what is wrong with them, one sentence each. */
function inspectFiles({ inspected }: InspectJob): Promise<string[]> {
  return withWorkplace(settings, 0, async ({ connection, files, close }) => {
    const problems: string[] = []
    for (const name of inspected) {
      const problem = await inspect(connection, files, name)
      if (problem !== null) problems.push(problem)
    }
    await close()
    return problems
  })
}

async function inspect(connection: Connection, files: PackageFiles, name: string): Promise<string | null> {
  try {
    const { path } = await files.open(name)
    const refused = await refusedColumn(connection, path)
    return (
      refused && `the column ${JSON.stringify(refused.column.slice(0, 60))} of ${name} ${refused.problem}`
    )
  } catch (cause) {
    if (cause instanceof UnusableFile) return cause.about(name)
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return `${name} is missing`
    if (!['query', 'fault'].includes(describeFailure(cause).kind)) throw cause
    return `${name} cannot be read: the file is damaged or of another format`
  }
}
