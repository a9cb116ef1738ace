import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type DirectorySnapshots, openSealer, type Sealer } from 'foldgate'
import { catalogue } from './catalogue/index.js'
import type { DataFolder } from './store/data-folder.js'
import { lockFile } from './store/embedded.js'

const LOCK = '.lock'

/** Returns the sealer, which the first call starts. */
export type StartSealer = () => Promise<Sealer>

/**
 * Runs `work` with a sealer whose scratch files are in this data folder, and closes the sealer afterwards, even when
 * `work` throws.
 */
export async function withSealer<Result>(
  folder: Pick<DataFolder, 'scratch'>,
  snapshots: DirectorySnapshots,
  work: (sealer: StartSealer) => Promise<Result>,
): Promise<Result> {
  await sweepScratch(folder.scratch)
  const scratch = join(folder.scratch, `seal-${randomUUID()}`)
  // The kernel releases the lock when this process ends, so scratch files beside a free lock are abandoned.
  const lock = lockFile(`${scratch}${LOCK}`)
  await mkdir(scratch)
  let sealer: Promise<Sealer> | undefined
  try {
    return await work(() => {
      sealer ??= openSealer({ catalogue, snapshots, folder: scratch })
      return sealer
    })
  } finally {
    await (await sealer?.catch(() => undefined))?.close()
    await rm(scratch, { recursive: true, force: true })
    if ('release' in lock) lock.release()
    await removeLock(scratch)
  }
}

/** Removes the scratch files that killed sealers have left behind. */
export async function sweepScratch(scratch: string): Promise<void> {
  for (const name of await readdir(scratch)) {
    if (!name.endsWith(LOCK)) continue
    const path = join(scratch, name.slice(0, -LOCK.length))
    const lock = lockFile(`${path}${LOCK}`)
    if (!('release' in lock)) continue
    await rm(path, { recursive: true, force: true })
    lock.release()
    await removeLock(path)
  }
}

async function removeLock(scratch: string): Promise<void> {
  for (const suffix of ['', '-journal', '-wal', '-shm']) await rm(`${scratch}${LOCK}${suffix}`, { force: true })
}
