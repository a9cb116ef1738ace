import { createReadStream } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { namingSpace } from '../files/no-space.js'
import type { Clock, ExportPort } from '../ports.js'
import { checkOptions } from '../values/known-options.js'
import { FORMATS } from './formats.js'

/** Exports stored in a folder until their retention is over. */
export interface DirectoryExports extends ExportPort {
  /** How long each file is kept, milliseconds. */
  readonly retentionMs: number
  /**
   * Removes the file of an export; nothing happens when there is none. Rejects with a TypeError for an id that is no
   * UUID, and with the error of the file system.
   */
  remove(exportId: string): Promise<void>
  /**
   * Removes expired files. Also runs at the start and every 5 minutes, or every `retentionMs` if that is shorter. Never
   * rejects: the next one removes what this one could not.
   */
  sweep(): Promise<void>
  /** Stops sweeping; stored files stay. */
  close(): void
}

const EXPORT_ID = /^[0-9a-f-]{36}$/
/** A stored export, or one that is being copied; any other file in the folder is the host's. */
const EXTENSIONS = Object.values(FORMATS).map(({ extension }) => extension)
const OWN_FILE = new RegExp(`^[0-9a-f-]{36}\\.(${EXTENSIONS.join('|')})(\\.part)?$`)
const SWEEP_EVERY_MS = 5 * 60_000

/**
 * Stores exports in `folder`, which is created when missing, and removes each one `retentionMs` after it was written.
 * Several servers may share the folder; other files in it are left alone.
 *
 * @param folder - Path of the folder; a relative one counts from the working directory.
 * @param options - How long files are kept.
 * @returns The port, which also removes single files and stops sweeping with `close()`. Its methods reject with the
 * error of the file system.
 * @throws TypeError when an option does not exist, or `retentionMs` is not a whole number of milliseconds above 0.
 *
 * @example
 * ```ts
 * const exports = directoryExports('data/exports', { retentionMs: 86_400_000 })
 * ```
 *
 * @example
 * A script that removes the file of one export.
 * ```ts
 * const exports = directoryExports('data/exports', { retentionMs: 86_400_000 })
 * await exports.remove('0b3b2b1e-6a54-4b0e-9d6f-6e2d3d0c9a11')
 * exports.close()
 * ```
 */
export function directoryExports(
  folder: string,
  options: {
    /** How long each file is kept, in milliseconds; at least `limits.linkValidityMs`. */
    retentionMs: number
    /** Source of the current time. Default: the system clock. */
    clock?: Clock
  },
): DirectoryExports {
  checkOptions('directoryExports', options, { retentionMs: true, clock: true })
  const { retentionMs, clock = Date } = options
  if (!(Number.isSafeInteger(retentionMs) && retentionMs > 0))
    throw new TypeError(`retentionMs must be a whole number above 0, not ${retentionMs}`)
  const root = resolve(folder)
  const pathOf = (exportId: string, extension: string) => {
    if (!EXPORT_ID.test(exportId)) throw new TypeError('an export id is a UUID')
    return join(root, [exportId, extension].join('.')) // as a template, Next.js would copy all files that match it
  }

  /** Opens the file of an export, whatever its format; null when there is none. */
  async function find(exportId: string) {
    for (const path of EXTENSIONS.map(extension => pathOf(exportId, extension))) {
      const handle = await open(path, 'r').catch(cause => {
        if (cause.code !== 'ENOENT') throw cause
        return null
      })
      if (handle) return { path, handle }
    }
    return null
  }

  async function sweep(): Promise<void> {
    for (const name of (await readdir(root).catch(() => [])).filter(name => OWN_FILE.test(name))) {
      const info = await stat(join(root, name)).catch(() => null)
      if (info && clock.now() - info.mtimeMs > retentionMs) await unlink(join(root, name)).catch(() => {})
    }
  }

  void sweep()
  const timer = setInterval(() => void sweep(), Math.min(SWEEP_EVERY_MS, retentionMs))
  timer.unref()

  return {
    retentionMs,
    async put({ exportId, path, format = 'parquet' }, signal) {
      const kept = pathOf(exportId, FORMATS[format].extension)
      await namingSpace([root], async () => {
        await mkdir(root, { recursive: true, mode: 0o700 })
        await moveFile(path, kept, signal)
      })
      if (!signal.aborted) return
      await rm(kept, { force: true }) // the caller gets no link to it any more
      throw signal.reason
    },
    async open(exportId) {
      const found = await find(exportId)
      if (!found) return null
      const { path, handle } = found
      const { size, mtimeMs } = await handle.stat().finally(() => handle.close())
      if (clock.now() - mtimeMs > retentionMs) return null
      return {
        bytes: size,
        body: () =>
          Readable.toWeb(createReadStream(path, { highWaterMark: 256 * 1024 })) as ReadableStream<Uint8Array>,
      }
    },
    async remove(exportId) {
      for (const extension of EXTENSIONS) await rm(pathOf(exportId, extension), { force: true })
    },
    sweep,
    close: () => clearInterval(timer),
  }
}

/**
 * Renames; across file systems, copies and then renames the complete copy. Renames nothing after the signal
 * fired.
 */
async function moveFile(from: string, to: string, signal: AbortSignal): Promise<void> {
  await sync(from)
  signal.throwIfAborted()
  try {
    await rename(from, to)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EXDEV') throw cause
    const unfinished = `${to}.part`
    try {
      await copyFile(from, unfinished)
      await sync(unfinished)
      signal.throwIfAborted()
      await rename(unfinished, to)
    } catch (failed) {
      await rm(unfinished, { force: true })
      throw failed
    }
    await rm(from)
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}
