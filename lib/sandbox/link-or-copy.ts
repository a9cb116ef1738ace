import { constants } from 'node:fs'
import { copyFile, link, open } from 'node:fs/promises'

/** A file cannot be linked when it is on another file system or another user's. */
const NOT_LINKED = ['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']

/** Links a file, or copies it where it cannot be linked. Rejects with ENOENT when there is no such file. */
export async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(async cause => {
    if (!NOT_LINKED.includes((cause as NodeJS.ErrnoException).code ?? '')) throw cause
    await copyRegular(from, to)
  })
}

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, COPYFILE_FICLONE } = constants

/** Copies a file, but not what a symbolic link leads to, nor what a named pipe or a device returns. */
async function copyRegular(from: string, to: string): Promise<void> {
  const file = await open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    if (!(await file.stat()).isFile()) throw new Error('a file to be given is not a regular file')
    // The open one, since another may take its place in the folder.
    await copyFile(process.platform === 'linux' ? `/proc/self/fd/${file.fd}` : from, to, COPYFILE_FICLONE)
  } finally {
    await file.close()
  }
}
