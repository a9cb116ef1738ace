import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Connection } from '../../duckdb/child/duckdb.js'
import { describeFailure } from '../../duckdb/child/duckdb-failure.js'
import { createInstance, lockDown } from '../../duckdb/child/instance.js'
import type { EngineSettings } from '../../duckdb/jobs.js'
import { openRegular, type RegularFile } from '../../files/regular.js'
import { literal } from '../../values/quote.js'
import type { WriteTarget } from './parts.js'

/** The files of a package. They stay open until all is read, so that the engine reads what was checked. */
export class PackageFiles {
  readonly #folder: string
  readonly #opened: RegularFile[] = []

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Opens a file, and returns it with the path under which the engine opens it too. */
  async open(name: string): Promise<{ file: RegularFile; path: string }> {
    const path = join(this.#folder, name)
    const file = await openRegular(path)
    this.#opened.push(file)
    // On Linux, the path of the open file: another file may take its place in the folder.
    return { file, path: process.platform === 'linux' ? `/proc/self/fd/${file.handle.fd}` : path }
  }

  async close(): Promise<void> {
    for (const { handle } of this.#opened.splice(0)) await handle.close()
  }
}

/** What a job works with. */
export interface Workplace {
  connection: Connection
  files: PackageFiles
  target: WriteTarget
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
  work: (place: OpenWorkplace) => Promise<Result>,
): Promise<Result> {
  const place = await openWorkplace(settings, fileBytes)
  try {
    return await work(place)
  } catch (cause) {
    await place.close()
    if (!isOfMemory(cause) || settings.memoryLimitBytes / 4 <= LITTLE_BYTES) throw cause
  }
  const larger = await openWorkplace(settings, fileBytes)
  try {
    await larger.takeMore()
    return await work(larger)
  } catch (cause) {
    await larger.close()
    throw cause
  }
}

/** Runs work, and once more with all the memory that the engine may take when it lacks some. */
export async function withEnough<Result>(
  { takeMore }: Pick<OpenWorkplace, 'takeMore'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    if (!isOfMemory(cause)) throw cause
    await takeMore()
    return work()
  }
}

function isOfMemory(cause: unknown): boolean {
  return describeFailure(cause).kind === 'memory'
}

/** A workplace that its owner closes. */
export interface OpenWorkplace extends Workplace {
  /** Lets the engine take as much memory as it may. */
  takeMore(): Promise<void>
  close(): Promise<void>
}

/** Opens an engine that reads what the process is given, with a database in a file of the process. */
async function openWorkplace(settings: EngineSettings, fileBytes: number): Promise<OpenWorkplace> {
  const { own, given } = settings
  // Only a quarter: memory that the engine frees stays mapped, and the rest of the process needs room too.
  const mostBytes = settings.memoryLimitBytes / 4
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
    const limit = (bytes: number) =>
      connection.run(`SET GLOBAL memory_limit = '${Math.floor(bytes / 1024)}KiB'`)
    await limit(Math.min(LITTLE_BYTES, mostBytes))
    await lockDown(connection, settings, [given], ['memory_limit'])
    await connection.run(`ATTACH ${literal(path)} AS ${STAGING}; USE ${STAGING}`)
    const takeMore = async () => void (await limit(mostBytes))
    return { connection, files, target: { folder: own, given, fileBytes }, takeMore, close }
  } catch (cause) {
    await close()
    throw cause
  }
}
