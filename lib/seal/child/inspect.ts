import type { Connection } from '../../duckdb/child/duckdb.js'
import { describeFailure } from '../../duckdb/child/duckdb-failure.js'
import { createInstance, lockDown } from '../../duckdb/child/instance.js'
import type { EngineSettings } from '../../duckdb/jobs.js'
import { UnusableFile } from '../../files/regular.js'
import { refusedColumn } from '../../snapshots/codecs.js'
import type { InspectJob } from '../job.js'
import { PackageFiles } from './package-files.js'

/** Reads the footers of Parquet files. Returns what is wrong with them, one sentence each. */
export async function inspectFiles(job: InspectJob, settings: EngineSettings): Promise<string[]> {
  const instance = await createInstance(settings)
  const files = new PackageFiles(settings.given)
  try {
    const connection = await instance.connect()
    await lockDown(connection, settings, [settings.given])
    const problems: string[] = []
    for (const name of job.inspected) {
      const problem = await inspect(connection, files, name)
      if (problem !== null) problems.push(problem)
    }
    return problems
  } finally {
    instance.closeSync()
    await files.close()
  }
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
