import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A small file system in memory, which a test fills and empties. */
export class SmallDisk {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  /** Mounts a disk of this size, on this empty folder or on a new one; null if this user may not mount one. */
  static mount(sizeMiB: number, folder = mkdtempSync(join(tmpdir(), 'foldgate-disk-'))): SmallDisk | null {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m`, 'tmpfs', folder], { stdio: 'ignore' })
      return new SmallDisk(folder)
    } catch {
      return null
    }
  }

  /** Fills the disk, except for this much. */
  async fill(leftKiB: number): Promise<void> {
    for (let isFilled = false; !isFilled; ) {
      await this.empty()
      const { bavail, bsize } = await statfs(this.folder)
      const ballast = Buffer.alloc(Math.max(0, bavail * bsize - leftKiB * 1024))
      isFilled = await writeFile(this.#ballast, ballast).then(
        () => true,
        cause => {
          if ((cause as NodeJS.ErrnoException).code !== 'ENOSPC') throw cause
          return leftKiB === 0 // a server that wrote meanwhile has taken some: nothing is left, as asked for
        },
      )
    }
  }

  async empty(): Promise<void> {
    await rm(this.#ballast, { force: true })
  }

  async unmount(): Promise<void> {
    execFileSync('umount', ['-l', this.folder])
    await rm(this.folder, { recursive: true, force: true })
  }

  get #ballast(): string {
    return join(this.folder, 'ballast')
  }
}
