import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as passed } from 'node:timers/promises'
import { EngineFailure } from '../engine/port.js'
import { FileLocks, type Release } from '../files/locks.js'
import { ifMissing } from '../files/missing.js'
import { isNoSpace, namingSpace, noSpaceIn } from '../files/no-space.js'
import { ABANDONED_MS } from '../files/own-folder.js'
import { removeTree } from '../sandbox/remove-tree.js'

/** The folders of one service. */
export interface Home {
  /** Built relations, reused by the next service in this place. */
  cache: string
  /** Folders of the child processes. */
  scratch: string
  /** Exports until the host's storage takes them. */
  outbox: string
  /** Stored rows. */
  results: string
  /** Releases the place. */
  leave: Release
}

const MOST_SERVICES = 100
/** Two services that start at once may exclude each other, so each retries for this long. */
const TRY_FOR_MS = 150
/** Files that an earlier service left are out of the way at once; their removal holds up a start for this long. */
const REMOVAL_WAIT_MS = 2_000
/** What they are called until they are removed. */
const LEFT = 'left-'

/**
 * Takes a place in `engine.folder` that no running service has: the folder itself, else its subfolder `2`,
 * `3` … Removes what an earlier service left there, except for the cache. `onLeft` is told of what cannot be removed,
 * which the next start tries again.
 */
export function openHome(folder: string, onLeft: (cause: Error) => void = () => {}): Promise<Home> {
  return namingSpace([folder], async () => {
    await mkdir(folder, { recursive: true })
    return takePlace(await realpath(folder), onLeft) // a process is shown its own folder under its real path
  })
}

async function takePlace(folder: string, onLeft: (cause: Error) => void): Promise<Home> {
  const locks = new FileLocks(join(folder, '.locks'))
  const nameOf = (place: number) => `service-${place}`
  for (let place = 1; place <= MOST_SERVICES; place++) {
    const leave = await locks.takeWithin(TRY_FOR_MS, nameOf(place), 'exclusive')
    if (!leave) continue
    const own = place === 1 ? folder : join(folder, String(place))
    const at = (name: string) => join(own, name)
    const home = {
      cache: at('cache'),
      scratch: at('scratch'),
      outbox: at('outbox'),
      results: at('results'),
      leave,
    }
    try {
      const folders = [home.scratch, home.outbox, home.results]
      const aside = () => at(`${LEFT}${randomUUID()}`)
      await mkdir(own, { recursive: true, mode: 0o700 })
      for (const path of folders) await rename(path, aside()).catch(ifMissing(undefined))
      for (const other of (await readdir(folder)).map(Number)) {
        if (Number.isInteger(other) && other !== place)
          await leaveUnused(join(folder, String(other)), aside(), () =>
            locks.take(nameOf(other), 'exclusive'),
          )
      }
      const removal = removeSetAside(own, onLeft)
      await Promise.race([removal, passed(REMOVAL_WAIT_MS, null, { ref: false })])
      for (const path of folders) await mkdir(path, { recursive: true, mode: 0o700 })
      return { ...home, leave: () => removal.then(leave) }
    } catch (cause) {
      await leave()
      throw cause
    }
  }
  throw new Error(
    `engine.folder is used by ${MOST_SERVICES} services already: give this one a folder of its own`,
  )
}

/** Moves the folder of a place that no service has used for a day to those that are removed, with its cache. */
async function leaveUnused(path: string, aside: string, lock: () => Promise<Release | null>): Promise<void> {
  // Each service recreates this folder when it takes the place.
  const had = await stat(join(path, 'results')).catch(ifMissing(null))
  if (had && Date.now() - had.mtimeMs < ABANDONED_MS) return
  const release = await lock()
  if (!release) return
  try {
    await rename(path, aside).catch(() => {}) // the next start tries again
  } finally {
    await release()
  }
}

/** Removes what processes have left, which may be millions of files, or some that nobody can remove. */
async function removeSetAside(own: string, onLeft: (cause: Error) => void): Promise<void> {
  const names: string[] = await readdir(own).catch(ifMissing([]))
  for (const name of names.filter(each => each.startsWith(LEFT))) {
    const path = join(own, name)
    await removeTree(path).catch(cause => {
      onLeft(
        new Error(`Files that earlier processes left in ${path} cannot be removed: ${cause.message}`, {
          cause,
        }),
      )
    })
  }
}

/**
 * Moves a file that no process can reach any more, and returns its new path; creates the target folder when it
 * has been removed.
 */
export async function moveFile(from: string, to: string): Promise<string> {
  try {
    await rename(from, to).catch(async cause => {
      if (isElsewhere(cause)) return copyOver(from, to)
      await mkdir(dirname(to), { recursive: true, mode: 0o700 })
      await rename(from, to)
    })
    return to
  } catch (cause) {
    await rm(from, { force: true }).catch(() => {}) // else removed with its folder
    const why = isNoSpace(cause) ? await noSpaceIn([dirname(to)], cause) : cause
    throw new EngineFailure('disk', 'A file cannot be moved.', { cause: why })
  }
}

function isElsewhere(cause: unknown): boolean {
  return (cause as NodeJS.ErrnoException).code === 'EXDEV'
}

/** Moves a file to another file system, where it has its name once it is complete. */
async function copyOver(from: string, to: string): Promise<void> {
  const part = `${to}.part`
  try {
    await copyFile(from, part)
    await rename(part, to)
    await rm(from)
  } catch (cause) {
    await rm(part, { force: true }).catch(() => {})
    throw cause
  }
}
