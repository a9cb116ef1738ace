import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { FileLocks, type Release } from '../files/locks.js'
import { ifMissing } from '../files/missing.js'

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
/** A place that nobody has had for a day goes with its cache; the first one stays. */
const LEFT_ALONE_MS = 86_400_000

/**
 * A place below `engine.folder` that no other service has: the folder itself, or `2`, `3` … in it where others run. What a
 * service left that was killed is removed, but for the cache.
 */
export async function openHome(folder: string): Promise<Home> {
  const locks = new FileLocks(join(folder, '.locks'))
  const nameOf = (place: number) => `service-${place}`
  for (let place = 1; place <= MOST_SERVICES; place++) {
    const leave = await locks.takeWithin(TRY_FOR_MS, nameOf(place), 'exclusive')
    if (!leave) continue
    const own = place === 1 ? folder : join(folder, String(place))
    const at = (name: string) => join(own, name)
    const home = { cache: at('cache'), scratch: at('scratch'), outbox: at('outbox'), results: at('results'), leave }
    try {
      for (const path of [home.scratch, home.outbox, home.results]) {
        await rm(path, { recursive: true, force: true })
        await mkdir(path, { recursive: true, mode: 0o700 })
      }
      for (const other of (await readdir(folder)).map(Number)) {
        if (Number.isInteger(other) && other !== place) await removeUnused(folder, other, locks, nameOf(other))
      }
      return home
    } catch (cause) {
      await leave()
      throw cause
    }
  }
  throw new Error(`engine.folder is used by ${MOST_SERVICES} services already: give this one a folder of its own`)
}

async function removeUnused(folder: string, place: number, locks: FileLocks, name: string): Promise<void> {
  const path = join(folder, String(place))
  // Made anew by each service that has had the place.
  const had = await stat(join(path, 'results')).catch(ifMissing(null))
  if (had && Date.now() - had.mtimeMs < LEFT_ALONE_MS) return
  const release = await locks.take(name, 'exclusive')
  if (!release) return
  try {
    await rm(path, { recursive: true, force: true })
  } finally {
    await release()
  }
}
