import { access, lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** The space that the shared folders take on disk. */
export interface DiskUsage {
  exportBytes: number
  snapshotBytes: number
  /** When the newest snapshot of each project was published, epoch milliseconds, by id of the project. */
  newestSnapshots: ReadonlyMap<string, number>
}

/** Measures the folders of a server in the background. */
export interface DiskWatch {
  /** The latest measurement; null before the first one is complete, and after one that failed. */
  latest(): DiskUsage | null
  /** Abandons a measurement in progress, and waits for its end. */
  stop(): Promise<void>
}

const MEASURE_EVERY_MS = 60_000
/** After this many entries, a measurement pauses: a folder with a million files must not slow calls down. */
const ENTRIES_AT_ONCE = 200
const PAUSE_MS = 50
/** Drafts and leases are in folders whose names begin with a dot. */
const MANIFEST = /^([^./]+)\/[^/]+\/manifest\.json$/

/** Finds when the newest snapshot of each project was published. */
export class NewestSnapshots {
  readonly found = new Map<string, number>()

  see(projectId: string, publishedAt: number): void {
    this.found.set(projectId, Math.max(this.found.get(projectId) ?? 0, publishedAt))
  }
}

/** Measures the snapshots and exports now, and again `everyMs` after each measurement. */
export function watchDisk(
  folder: { snapshots: string; exports: string },
  everyMs: number = MEASURE_EVERY_MS,
): DiskWatch {
  const measure = async (signal: AbortSignal): Promise<DiskUsage> => {
    const newest = new NewestSnapshots()
    const usage: DiskUsage = { exportBytes: 0, snapshotBytes: 0, newestSnapshots: newest.found }
    for await (const { size } of filesBelow(folder.exports, signal)) usage.exportBytes += size
    for await (const { path, size, mtimeMs } of filesBelow(folder.snapshots, signal)) {
      usage.snapshotBytes += size
      const [, projectId] = MANIFEST.exec(path) ?? []
      if (projectId !== undefined) newest.see(projectId, mtimeMs)
    }
    return usage
  }
  return watchUsage(measure, everyMs)
}

/** Measures now, and again `everyMs` after each measurement; the signal fires when the watch is stopped. */
export function watchUsage(measure: (signal: AbortSignal) => Promise<DiskUsage>, everyMs: number): DiskWatch {
  const stopped = new AbortController()
  const { signal } = stopped
  let latest: DiskUsage | null = null
  const keepMeasuring = async () => {
    while (!signal.aborted) {
      latest = await measure(signal).catch(() => null)
      await setTimeout(everyMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }
  const measuring = keepMeasuring()
  return {
    latest: () => latest,
    stop() {
      stopped.abort()
      return measuring
    },
  }
}

interface FoundFile {
  /** Relative to the root. */
  path: string
  size: number
  mtimeMs: number
}

/** Lists the files below a folder one after the other, with pauses. What is removed meanwhile is left out. */
async function* filesBelow(root: string, signal: AbortSignal): AsyncGenerator<FoundFile> {
  await access(root)
  const folders = ['']
  let entries = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of (await opendir(join(root, folder)).catch(ifMissing)) ?? []) {
      const path = folder + entry.name
      if (entry.isDirectory()) folders.push(`${path}/`)
      const found = entry.isFile() ? await lstat(join(root, path)).catch(ifMissing) : null
      if (found) yield { path, size: found.size, mtimeMs: found.mtimeMs }
      if (++entries % ENTRIES_AT_ONCE === 0) await setTimeout(PAUSE_MS, undefined, { signal, ref: false })
      signal.throwIfAborted()
    }
  }
}

function ifMissing(cause: NodeJS.ErrnoException): null {
  if (cause.code === 'ENOENT') return null
  throw cause
}
