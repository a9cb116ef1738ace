import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { lockFile } from '../database/embedded.js'
import { Refusal } from '../input/refusal.js'
import type { DataFolder } from './data-folder.js'

const LOCK = '.lock'
const SWEEPING = '.sweeping'
const LONGEST_SWEEP_MS = 60_000
const RETRY_AFTER_MS = 10

/** Runs `work` with an empty folder for scratch files in this data folder, and removes it afterwards. */
export async function withScratch<Result>(
  folder: Pick<DataFolder, 'scratch'>,
  work: (scratch: string) => Promise<Result>,
): Promise<Result> {
  const scratch = join(folder.scratch, randomUUID())
  // The kernel releases the lock when this process ends, so scratch files beside a free lock are abandoned.
  const lock = await alone(folder.scratch, async () => {
    await sweepAlone(folder.scratch)
    return lockFile(`${scratch}${LOCK}`)
  })
  try {
    await mkdir(scratch)
    return await work(scratch)
  } finally {
    await rm(scratch, { recursive: true, force: true })
    await alone(folder.scratch, async () => {
      if ('release' in lock) lock.release()
      await removeLock(scratch)
    })
  }
}

/** Removes the scratch files that killed commands have left behind. */
export function sweepScratch(scratch: string): Promise<void> {
  return alone(scratch, () => sweepAlone(scratch))
}

/**
 * Runs `work` in one process at a time: to another one that sweeps, a lock that is just being taken is free.
 */
async function alone<Result>(scratch: string, work: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + LONGEST_SWEEP_MS
  for (;;) {
    const lock = lockFile(join(scratch, SWEEPING))
    if ('release' in lock) {
      try {
        return await work()
      } finally {
        lock.release()
      }
    }
    if (performance.now() > deadline)
      throw new Refusal(`Abandoned files of the data folder are being removed by another process: try again in a while`)
    await setTimeout(RETRY_AFTER_MS)
  }
}

async function sweepAlone(scratch: string): Promise<void> {
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
