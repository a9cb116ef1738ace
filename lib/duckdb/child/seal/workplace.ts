import { join } from 'node:path'
import { literal } from '../../../values/quote.js'
import type { EngineSettings } from '../../jobs.js'
import type { Connection } from '../duckdb.js'
import { createInstance } from '../fresh.js'
import { lockDown } from '../instance.js'
import { PackageFiles } from './package-files.js'
import type { Target } from './parts.js'

/** What a job works with. */
export interface Workplace {
  connection: Connection
  files: PackageFiles
  target: Target
}

/** Name of the database for rows that do not fit into memory. */
export const STAGING = 'staging'

/** Opens an engine that reads what the process is given, with a database in a file of the process. */
export async function openWorkplace(
  settings: EngineSettings,
  fileBytes: number,
): Promise<Workplace & { close(): Promise<void> }> {
  const { own, given, memoryLimitBytes } = settings
  const instance = await createInstance(settings)
  const files = new PackageFiles(given)
  const close = async () => {
    instance.closeSync()
    await files.close()
  }
  try {
    const connection = await instance.connect()
    // Only a quarter: memory that the engine frees stays mapped, and the rest of the process needs room too.
    await connection.run(`SET memory_limit = '${Math.floor(memoryLimitBytes / 4 / 1024)}KiB'`)
    await lockDown(connection, settings, [given])
    const database = literal(join(own, `${STAGING}.duckdb`))
    await connection.run(`ATTACH ${database} AS ${STAGING}; USE ${STAGING}`)
    return { connection, files, target: { folder: own, given, fileBytes }, close }
  } catch (cause) {
    await close()
    throw cause
  }
}
