import { createReadStream } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import type { Clock, ExportPort } from '../ports.js'

/** Exports in a folder, swept of what is older than its retention. */
export interface DirectoryExports extends ExportPort {
  /** How long a file is kept, milliseconds. */
  readonly retentionMs: number
  /** Remove what is over now; also done at the start and every few minutes. */
  sweep(): Promise<void>
  /** Sweeps no more; what is stored stays. */
  close(): void
}

const EXPORT_ID = /^[0-9a-f-]{36}$/
const SWEEP_EVERY_MS = 5 * 60_000

/**
 * Keeps exported files below `folder`, which is made when missing, for `retentionMs`. Several servers may have one folder. A
 * retention that is no whole number above 0 throws a TypeError.
 *
 * @example
 * ```ts
 * const exports = directoryExports('data/exports', { retentionMs: 86_400_000 })
 * ```
 */
export function directoryExports(folder: string, options: { retentionMs: number; clock?: Clock }): DirectoryExports {
  const { retentionMs, clock = Date } = options
  if (!(Number.isSafeInteger(retentionMs) && retentionMs > 0))
    throw new TypeError(`retentionMs must be a whole number above 0, not ${retentionMs}`)
  const root = resolve(folder)
  const pathOf = (exportId: string) => {
    if (!EXPORT_ID.test(exportId)) throw new TypeError('an export id is a UUID')
    return join(root, `${exportId}.parquet`)
  }

  async function sweep(): Promise<void> {
    for (const name of await readdir(root).catch(() => [])) {
      const info = await stat(join(root, name)).catch(() => null)
      if (info && clock.now() - info.mtimeMs > retentionMs) await unlink(join(root, name)).catch(() => {})
    }
  }

  void sweep()
  const timer = setInterval(() => void sweep(), Math.min(SWEEP_EVERY_MS, retentionMs))
  timer.unref()

  return {
    retentionMs,
    async put({ exportId, path }, signal) {
      const kept = pathOf(exportId)
      await mkdir(root, { recursive: true, mode: 0o700 })
      await moveFile(path, kept, signal)
      if (!signal.aborted) return
      await rm(kept, { force: true }) // nobody is given its link any more
      throw signal.reason
    },
    async open(exportId) {
      const handle = await open(pathOf(exportId), 'r').catch(cause => {
        if (cause.code === 'ENOENT') return null
        throw cause
      })
      if (!handle) return null
      const { size, mtimeMs } = await handle.stat()
      if (clock.now() - mtimeMs > retentionMs) {
        await handle.close()
        return null
      }
      const path = pathOf(exportId)
      await handle.close()
      return {
        bytes: size,
        body: () => Readable.toWeb(createReadStream(path, { highWaterMark: 256 * 1024 })) as ReadableStream<Uint8Array>,
      }
    },
    sweep,
    close: () => clearInterval(timer),
  }
}

/** One rename; across file systems a copy that appears under its name when it is whole. Neither once the signal fires. */
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
