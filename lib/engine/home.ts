import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FileLocks, type Release } from '../files/locks.js'

/** Where a service keeps its files. */
export interface Home {
  /** Built relations, which the next service in this place uses. */
  cache: string
  /** Folders of processes. */
  scratch: string
  /** Exports before they are handed over. */
  outbox: string
  /** Stored rows. */
  results: string
  /** Gives the place back. */
  leave: Release
}

const MOST_SERVICES = 100
/** Two that start at once may each see the other. */
const TRY_FOR_MS = 150

/**
 * A place below `engine.folder` that no other service has: the folder itself, or `2`, `3` … in it where others run. What a
 * service left that was killed is removed, but for the cache.
 */
export async function openHome(folder: string): Promise<Home> {
  const locks = new FileLocks(join(folder, '.locks'))
  for (let place = 1; place <= MOST_SERVICES; place++) {
    const leave = await locks.takeWithin(TRY_FOR_MS, `service-${place}`, 'exclusive')
    if (!leave) continue
    const own = place === 1 ? folder : join(folder, String(place))
    const [cache, scratch, outbox, results] = ['cache', 'scratch', 'outbox', 'results'].map(name =>
      join(own, name),
    ) as [string, string, string, string]
    try {
      for (const path of [scratch, outbox, results]) {
        await rm(path, { recursive: true, force: true })
        await mkdir(path, { recursive: true, mode: 0o700 })
      }
      return { cache, scratch, outbox, results, leave }
    } catch (cause) {
      await leave()
      throw cause
    }
  }
  throw new Error(`engine.folder is used by ${MOST_SERVICES} services already: give this one a folder of its own`)
}
