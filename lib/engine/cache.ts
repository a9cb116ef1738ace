import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Column } from '../model.js'

/** A built relation in the cache. */
export interface CachedRelation {
  path: string
  bytes: number
  columns: Column[]
}

const SUFFIX = '.duckdb'

/**
 * Built relations on disk: `<project>/<snapshot>/<alias>.duckdb` with the columns beside it. Bounded in bytes, the
 * least recently used go first; a process that has one open keeps reading it. What is there at the start is used.
 */
export class RelationCache {
  readonly #folder: string
  readonly #maxBytes: number
  readonly #entries = new Map<string, CachedRelation>()
  /** Folders of snapshots that are there. */
  readonly #made = new Set<string>()
  /** Folders that are being removed: nobody builds in one until it is gone. */
  readonly #removals = new Map<string, Promise<void>>()
  #bytes = 0

  private constructor(folder: string, maxBytes: number) {
    this.#folder = folder
    this.#maxBytes = maxBytes
  }

  /** Reads what an earlier run left: finished relations are kept, the rest is removed. */
  static async open(folder: string, maxBytes: number): Promise<RelationCache> {
    const cache = new RelationCache(folder, maxBytes)
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
    for (const { path, relation } of found.sort((a, b) => a.usedAt - b.usedAt)) cache.#insert(path, relation)
    await cache.#shrink()
    return cache
  }

  /** What all of it takes on disk. */
  get bytes(): number {
    return this.#bytes
  }

  /** Folder of a snapshot's relations. */
  async folderOf(projectId: string, snapshotId: string): Promise<string> {
    if (!/^[\w-][\w.-]{0,127}$/.test(snapshotId))
      throw new TypeError('a snapshot id is made of letters, digits, _ . and -')
    const folder = join(this.#folder, projectId, snapshotId)
    await this.#removals.get(folder)?.catch(() => {}) // told to whoever removes it
    if (!this.#made.has(folder)) await mkdir(folder, { recursive: true })
    this.#made.add(folder)
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

  /** Drops the snapshots of a project that do not stay; `stays` is asked of each just before it goes. */
  async dropOthers(projectId: string, stays: (snapshotId: string) => boolean): Promise<void> {
    const folder = join(this.#folder, projectId)
    for (const name of await readdir(folder).catch(() => [])) if (!stays(name)) await this.#drop(join(folder, name))
  }

  #drop(folder: string): Promise<void> {
    const underWay = this.#removals.get(folder)
    if (underWay) return underWay
    for (const [path, { bytes }] of this.#entries) {
      if (!path.startsWith(join(folder, '/'))) continue
      this.#bytes -= bytes
      this.#entries.delete(path)
    }
    this.#made.delete(folder)
    const removal = rm(folder, { recursive: true, force: true }).finally(() => this.#removals.delete(folder))
    this.#removals.set(folder, removal)
    return removal
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
