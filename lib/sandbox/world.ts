import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, link, lstat, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { OpenFolder } from './open-folder.js'
import type { ShownPaths } from './paths.js'
import { readsOf, type Script } from './reads.js'
import { removeTree } from './remove-tree.js'
import { seccompProgram } from './seccomp.js'

/** What a process is shown, and where its seccomp program is. */
export interface Room {
  reads: ShownPaths
  /** A folder that it reads, and to which the host adds. */
  given: string
  /** A folder that it reads and writes, where it starts. */
  own: string
  /** The file with its seccomp program; null where the machine's system calls are not known. */
  program: string | null
}

/** What a file that a process makes may be called, and a folder around it: no `..`, and nothing hidden. */
const MADE_NAME = /^\w[\w.-]*$/

/** Thrown when the folder of a world has been removed: its process cannot go on. */
export class WorldGone extends Error {}

/**
 * The folder of one process, which sees none of the host's other files. The host links files into `given`, which
 * the process can only read, and takes what it has made from `own`.
 */
export class World {
  readonly folder: string
  readonly given: string
  readonly own: string

  /** `folder` is absolute and has no symbolic link in it; it is created with the process. */
  constructor(folder: string) {
    this.folder = folder
    this.given = join(folder, 'given')
    this.own = join(folder, 'own')
  }

  /**
   * Creates the folders and, behind walls, finds what the script reads and writes its seccomp program. Nothing is left
   * of what an earlier process has made.
   */
  async furnish(script: Script, isWalled: boolean): Promise<Room> {
    await removeTree(this.own).catch(() => rename(this.own, join(this.folder, `left-${randomUUID()}`)))
    for (const path of [this.given, this.own]) await mkdir(path, { recursive: true, mode: 0o700 })
    if (!isWalled) return { reads: { real: [], links: [] }, given: this.given, own: this.own, program: null }
    const reads = await readsOf(script)
    const calls = seccompProgram()
    const program = calls && join(this.folder, 'calls.bpf')
    if (calls && program) await writeFile(program, calls)
    return { reads, given: this.given, own: this.own, program }
  }

  /** Throws a {@link WorldGone} when the folders have been removed. */
  async check(): Promise<void> {
    for (const path of [this.given, this.own])
      await lstat(path).catch(cause => {
        throw new WorldGone('the folder of a process has been removed', { cause })
      })
  }

  /**
   * Gives the process a file under a name, which may have folders in it: as a link, or as a copy where it cannot
   * be linked. Rejects with ENOENT when there is no such file.
   */
  async give(name: string, from: string): Promise<void> {
    await this.check()
    const to = join(this.given, name)
    await mkdir(dirname(to), { recursive: true, mode: 0o700 })
    await rm(to, { force: true })
    await linkOrCopy(from, to)
  }

  /** Takes a file or folder away from what the process was given. */
  async withdraw(name: string): Promise<void> {
    await rm(join(this.given, name), { recursive: true, force: true })
  }

  /**
   * Takes a file that the process has made, whose name may have folders in it, out of its reach, and returns where it
   * is now. Throws for a name that is none of a file in `own`, before anything is touched, and when there is anything
   * but a regular file, such as a link to one of the host's files.
   */
  async take(name: string): Promise<string> {
    const parts = name.split('/')
    if (!parts.every(part => MADE_NAME.test(part)))
      throw new Error('a process has made no file of such a name')
    const path = join(this.folder, 'taken', ...parts)
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await this.#rename(parts, path)
    const found = await lstat(path)
    if (found.isFile() && found.nlink === 1) return path
    await removeTree(path)
    throw new Error('a process has made something else than a regular file')
  }

  /** Moves an entry of `own` without following a link that the process has put in place of a folder. */
  async #rename(parts: readonly string[], to: string): Promise<void> {
    let folder = await OpenFolder.open(this.own)
    try {
      for (const part of parts.slice(0, -1)) {
        const inner = await folder.folder(part)
        await folder.close()
        folder = inner
      }
      await rename(folder.at(parts.at(-1) as string), to)
    } finally {
      await folder.close()
    }
  }

  /** Removes everything in the folder; its process has ended. */
  async clear(): Promise<void> {
    for (const name of await readdir(this.folder)) await removeTree(join(this.folder, name))
  }

  /** Removes the folder; its process has ended. */
  async remove(): Promise<void> {
    await removeTree(this.folder)
  }
}

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
