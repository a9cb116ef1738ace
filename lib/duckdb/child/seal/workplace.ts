import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { literal } from '../../../values/quote.js'
import type { EngineSettings } from '../../jobs.js'
import type { Connection } from '../duckdb.js'
import { describeFailure } from '../duckdb-failure.js'
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

/** Memory of the engine, as long as it suffices: large tables spill, which costs little time. */
const LITTLE_BYTES = 128 * 1024 ** 2

/**
 * Runs work in an engine that takes little memory, and, when that does not suffice, once more in one that takes as much
 * as it may. Closes it when the work has failed.
 */
export async function withWorkplace<Result>(
  settings: EngineSettings,
  fileBytes: number,
  work: (place: Workplace & { close(): Promise<void> }) => Promise<Result>,
): Promise<Result> {
  // Only a quarter: memory that the engine frees stays mapped, and the rest of the process needs room too.
  const mostBytes = settings.memoryLimitBytes / 4
  for (const bytes of LITTLE_BYTES < mostBytes ? [LITTLE_BYTES, mostBytes] : [mostBytes]) {
    const place = await openWorkplace(settings, fileBytes, bytes)
    try {
      return await work(place)
    } catch (cause) {
      await place.close()
      if (bytes === mostBytes || describeFailure(cause).kind !== 'memory') throw cause
    }
  }
  throw new Error('there is no memory to be used')
}

/** Opens an engine that reads what the process is given, with a database in a file of the process. */
async function openWorkplace(
  settings: EngineSettings,
  fileBytes: number,
  memoryBytes: number,
): Promise<Workplace & { close(): Promise<void> }> {
  const { own, given } = settings
  const instance = await createInstance(settings)
  const files = new PackageFiles(given)
  const path = join(own, `${STAGING}.duckdb`)
  const close = async () => {
    instance.closeSync()
    await files.close()
  }
  try {
    await rm(path, { force: true })
    const connection = await instance.connect()
    await connection.run(`SET memory_limit = '${Math.floor(memoryBytes / 1024)}KiB'`)
    await lockDown(connection, settings, [given])
    await connection.run(`ATTACH ${literal(path)} AS ${STAGING}; USE ${STAGING}`)
    return { connection, files, target: { folder: own, given, fileBytes }, close }
  } catch (cause) {
    await close()
    throw cause
  }
}
