import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Column } from '../model.js'

/** A built relation in the cache. */
export interface CachedRelation {
  path: string
  bytes: number
  columns: Column[]
}

const SUFFIX = '.duckdb'
/** Longer than any build, query or export lasts. */
const UNUSED_MS = 3_600_000
const LOOK_EVERY_MS = 600_000

/**
 * Built relations on disk: `<project>/<snapshot>/<alias>.duckdb` with the columns beside it. Bounded in bytes, the
 * least recently used go first; a process that has one open keeps reading it. What is there at the start is used. What
 * was built of a snapshot goes once nobody has used it for an hour, unless it is the one of its project used last.
 */
export class RelationCache {
  readonly #folder: string
  readonly #maxBytes: number
  readonly #entries = new Map<string, CachedRelation>()
  /** When the folders of snapshots were used, in the epoch's milliseconds; the one used last comes last. */
  readonly #used = new Map<string, number>()
  readonly #looking: NodeJS.Timeout
  #bytes = 0

  private constructor(folder: string, maxBytes: number, onFailure: (cause: unknown) => void) {
    this.#folder = folder
    this.#maxBytes = maxBytes
    this.#looking = setInterval(() => void this.#dropUnused().catch(onFailure), LOOK_EVERY_MS).unref()
  }

  /** Reads what an earlier run left: finished relations are kept, the rest is removed. */
  static async open(folder: string, maxBytes: number, onFailure: (cause: unknown) => void): Promise<RelationCache> {
    await mkdir(folder, { recursive: true })
    const found: { path: string; relation: CachedRelation; usedAt: number }[] = []
    for (const name of await readdir(folder, { recursive: true })) {
      const path = join(folder, name)
      const info = await stat(path)
      if (info.isDirectory()) continue
      const columns = name.endsWith(SUFFIX) ? await readColumns(path) : null
      if (columns) found.push({ path, relation: { path, bytes: info.size, columns }, usedAt: info.mtimeMs })
      else if (!name.endsWith('.json')) await rm(path, { force: true })
    }
    const cache = new RelationCache(folder, maxBytes, onFailure)
    for (const { path, relation, usedAt } of found.sort((a, b) => a.usedAt - b.usedAt)) {
      cache.#insert(path, relation)
      cache.#use(dirname(path), usedAt)
    }
    await cache.#shrink()
    return cache
  }

  /** What all of it takes on disk. */
  get bytes(): number {
    return this.#bytes
  }

  /** Folder of a snapshot's relations, marked as used; whoever builds in it makes it. */
  folderOf(projectId: string, snapshotId: string): string {
    if (!/^[\w-][\w.-]{0,127}$/.test(snapshotId))
      throw new TypeError('a snapshot id is made of letters, digits, _ . and -')
    const folder = join(this.#folder, projectId, snapshotId)
    this.#use(folder, Date.now())
    return folder
  }

  pathOf(folder: string, alias: string): string {
    return join(folder, alias + SUFFIX)
  }

  /** The relation at this path, marked as used. */
  find(path: string): CachedRelation | undefined {
    const entry = this.#entries.get(path)
    if (entry) {
      this.#entries.delete(path)
      this.#entries.set(path, entry)
    }
    return entry
  }

  async add(path: string, bytes: number, columns: Column[]): Promise<void> {
    await writeFile(columnsPath(path), JSON.stringify(columns))
    this.#insert(path, { path, bytes, columns })
    await this.#shrink()
  }

  async remove(path: string): Promise<void> {
    this.#bytes -= this.#entries.get(path)?.bytes ?? 0
    this.#entries.delete(path)
    await rm(path, { force: true })
    await rm(columnsPath(path), { force: true })
  }

  close(): void {
    clearInterval(this.#looking)
  }

  #use(folder: string, at: number): void {
    this.#used.delete(folder)
    this.#used.set(folder, at)
  }

  async #dropUnused(): Promise<void> {
    const last = new Map([...this.#used.keys()].map(folder => [dirname(folder), folder]))
    for (const [folder, usedAt] of [...this.#used]) {
      if (last.get(dirname(folder)) === folder || Date.now() - usedAt < UNUSED_MS) continue
      this.#used.delete(folder)
      for (const path of [...this.#entries.keys()]) if (dirname(path) === folder) await this.remove(path)
      await rm(folder, { recursive: true, force: true })
    }
  }

  #insert(path: string, relation: CachedRelation): void {
    this.#bytes += relation.bytes - (this.#entries.get(path)?.bytes ?? 0)
    this.#entries.delete(path)
    this.#entries.set(path, relation)
  }

  async #shrink(): Promise<void> {
    for (const path of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes || this.#entries.size === 1) return
      await this.remove(path)
    }
  }
}

function columnsPath(path: string): string {
  return `${path.slice(0, -SUFFIX.length)}.json`
}

async function readColumns(path: string): Promise<Column[] | null> {
  try {
    return JSON.parse(await readFile(columnsPath(path), 'utf8')) as Column[]
  } catch {
    return null // no columns beside it: the build did not end
  }
}
