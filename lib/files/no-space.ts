import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Thrown in place of the error of a full disk. The message, for the host only, names the folder and what is
 * free.
 */
export class NoSpace extends Error {
  /** The code that Node gives such errors. */
  readonly code = 'ENOSPC'
}

/**
 * Whether a call of Node or a NoSpace failed because a disk is full, a quota is used up, or there are no
 * inodes left.
 */
export function isNoSpace(cause: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((cause as NodeJS.ErrnoException | null)?.code ?? '')
}

/** Runs work that writes to these folders. When a disk is full, throws a {@link NoSpace} instead. */
export async function namingSpace<Result>(
  folders: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    throw isNoSpace(cause) && !(cause instanceof NoSpace) ? await noSpaceIn(folders, cause) : cause
  }
}

/** The error of a full disk: of these folders, it names the one with the least space. */
export async function noSpaceIn(folders: readonly string[], cause: unknown): Promise<NoSpace> {
  const found = await Promise.all(folders.map(async folder => ({ folder, ...(await spaceIn(folder)) })))
  const [least] = found.sort((a, b) => (a.free ?? 0) - (b.free ?? 0))
  if (!least) return new NoSpace('No space left', { cause })
  const { folder, free, total, files } = least
  const inodes = files === 0 ? ', and no file can be added' : ''
  const shown = free === null ? '' : `: ${inBytes(free)} of ${inBytes(total ?? 0)} are free${inodes}`
  return new NoSpace(`No space left in the folder ${JSON.stringify(folder)}${shown}`, { cause })
}

/** The bytes and files that this user may still write in a folder, or in its nearest parent that exists. */
async function spaceIn(
  folder: string,
): Promise<{ free: number | null; total?: number; files?: number | null }> {
  try {
    const { bavail, blocks, bsize, files, ffree } = await statfs(folder)
    return { free: bavail * bsize, total: blocks * bsize, files: files > 0 ? ffree : null }
  } catch (cause) {
    const parent = dirname(folder)
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT' && parent !== folder
    return isMissing ? spaceIn(parent) : { free: null }
  }
}

function inBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']
  const at = Math.min(units.length - 1, bytes < 1024 ? 0 : Math.floor(Math.log2(bytes) / 10))
  return `${Number((bytes / 1024 ** at).toPrecision(3))} ${units[at]}`
}
