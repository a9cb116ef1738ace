import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from 'foldgate/internal'
import { lockFile } from '../database/embedded.js'
import type { Report } from '../database/report.js'
import type { DataFolder } from './data-folder.js'

const LOCK = '.lock'
/** Ending of a lock that is being taken: to a sweep, it would be free. */
const NEW = '.new'
/** Taking a lock takes milliseconds; an older lock was left by a process that was killed meanwhile. */
const ABANDONED_MS = 60_000

/** Runs `work` with an empty folder for scratch files in this data folder, and removes it afterwards. */
export async function withScratch<Result>(
  folder: Pick<DataFolder, 'scratch'>,
  work: (scratch: string) => Promise<Result>,
): Promise<Result> {
  await sweepScratch(folder.scratch)
  const scratch = join(folder.scratch, randomUUID())
  // The kernel releases the lock when this process ends, so scratch files beside a free lock are abandoned.
  const lock = lockFile(`${scratch}${NEW}`)
  await rename(`${scratch}${NEW}`, `${scratch}${LOCK}`)
  try {
    await mkdir(scratch)
    return await work(scratch)
  } finally {
    // A folder that cannot be removed keeps its lock, so that the next sweep tries again and says why.
    await removeTree(scratch).then(
      () => removeLock(scratch),
      () => {},
    )
    if ('release' in lock) lock.release()
  }
}

/** Removes the scratch files that killed commands have left behind. `report` is told of those that cannot be removed. */
export async function sweepScratch(scratch: string, report: Report = () => {}): Promise<void> {
  for (const name of await readdir(scratch)) {
    const path = join(scratch, name)
    if (name.endsWith(NEW) && (await isAbandoned(path))) await rm(path, { force: true })
    if (name.endsWith(LOCK)) await sweepUnlessHeld(path.slice(0, -LOCK.length), report)
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null) // it has its name by now
  return found !== null && Date.now() - found.mtimeMs > ABANDONED_MS
}

async function sweepUnlessHeld(path: string, report: Report): Promise<void> {
  try {
    const lock = lockFile(`${path}${LOCK}`)
    if (!('release' in lock)) return
    await removeTree(path).then(
      () => removeLock(path),
      cause => report('removing scratch files of a command that was killed', cause),
    )
    lock.release()
  } catch {
    // Its owner, or another sweep, is just removing it; the next sweep removes the rest.
  }
}

async function removeLock(scratch: string): Promise<void> {
  for (const suffix of ['', '-journal', '-wal', '-shm'])
    await rm(`${scratch}${LOCK}${suffix}`, { force: true })
}
