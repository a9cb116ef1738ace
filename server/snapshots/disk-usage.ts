import type { Stats } from 'node:fs'
import { access, lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ifMissing } from 'foldgate/internal'

/** The space that the shared folders take on disk. */
export interface DiskUsage {
  exportBytes: number
  snapshotBytes: number
  /**
   * When the newest snapshot of a project was published, epoch milliseconds, by id of the project: of the 1,000 projects
   * that have waited longest for a new one.
   */
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
/** After that many, it pauses for longer. */
const ENTRIES_SOON = 20_000
const LONG_PAUSE_MS = 250
const MANIFEST = /^snapshots\/([^/]+)\/\d+\.json$/

/** Projects that have waited longest. More projects than are shown, since some may have been removed. */
const MOST_WAITING = 1_000

/**
 * Finds when the newest snapshots of the projects that have waited longest for a new one were published. The snapshots
 * of a project must be seen one after the other.
 */
export class LongestWaiting {
  #found: [projectId: string, publishedAt: number][] = []

  see(projectId: string, publishedAt: number): void {
    const last = this.#found.at(-1)
    if (last?.[0] === projectId) last[1] = Math.max(last[1], publishedAt)
    else {
      if (this.#found.length === 2 * MOST_WAITING) this.#found = [...this.newest]
      this.#found.push([projectId, publishedAt])
    }
  }

  get newest(): ReadonlyMap<string, number> {
    return new Map(this.#found.toSorted(([, one], [, other]) => one - other).slice(0, MOST_WAITING))
  }
}

/** Passes the first pages on at once, and each further one after a pause. */
export async function* slowly<Page>(
  pages: AsyncIterable<Page>,
  { atOnce, pauseMs, signal }: { atOnce: number; pauseMs: number; signal: AbortSignal },
): AsyncGenerator<Page, void> {
  let passed = 0
  for await (const page of pages) {
    yield page
    if (++passed >= atOnce) await setTimeout(pauseMs, undefined, { signal, ref: false })
  }
}

/** Measures the snapshots and exports as {@link watchUsage} does. */
export function watchDisk(
  folder: { snapshots: string; exports: string },
  everyMs: number = MEASURE_EVERY_MS,
): DiskWatch {
  const measure = async (signal: AbortSignal): Promise<DiskUsage> => {
    const waiting = new LongestWaiting()
    let [exportBytes, snapshotBytes] = [0, 0]
    for await (const { found } of filesBelow(folder.exports, signal)) exportBytes += found.size
    for await (const { path, found } of filesBelow(folder.snapshots, signal)) {
      snapshotBytes += found.size
      const [, projectId] = MANIFEST.exec(path) ?? []
      if (projectId !== undefined) waiting.see(projectId, found.mtimeMs)
    }
    return { exportBytes, snapshotBytes, newestSnapshots: waiting.newest }
  }
  return watchUsage(measure, everyMs)
}

/**
 * Measures now, and again after each measurement: after `everyMs`, and for at least as long as it took. The signal fires
 * when the watch is stopped.
 */
export function watchUsage(measure: (signal: AbortSignal) => Promise<DiskUsage>, everyMs: number): DiskWatch {
  const stopped = new AbortController()
  const { signal } = stopped
  let latest: DiskUsage | null = null
  const keepMeasuring = async () => {
    while (!signal.aborted) {
      const begunAt = performance.now()
      latest = await measure(signal).catch(() => null)
      const pauseMs = Math.max(everyMs, performance.now() - begunAt)
      await setTimeout(pauseMs, undefined, { signal, ref: false }).catch(() => {})
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
  found: Stats
}

/** Lists the files below a folder one after the other, with pauses. Files that are removed meanwhile are left out. */
async function* filesBelow(root: string, signal: AbortSignal): AsyncGenerator<FoundFile> {
  await access(root)
  const folders = ['']
  let entries = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of (await opendir(join(root, folder)).catch(ifMissing(null))) ?? []) {
      const path = folder + entry.name
      if (entry.isDirectory()) folders.push(`${path}/`)
      const found = entry.isFile() ? await lstat(join(root, path)).catch(ifMissing(null)) : null
      if (found) yield { path, found }
      if (++entries % ENTRIES_AT_ONCE === 0) {
        const pauseMs = entries < ENTRIES_SOON ? PAUSE_MS : LONG_PAUSE_MS
        await setTimeout(pauseMs, undefined, { signal, ref: false })
      }
      signal.throwIfAborted()
    }
  }
}
