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

  /** Drops every snapshot of a project but this one. */
  async keepOnly(projectId: string, snapshotId: string): Promise<void> {
    const folder = join(this.#folder, projectId)
    for (const name of await readdir(folder).catch(() => [])) {
      if (name === snapshotId) continue
      for (const path of [...this.#entries.keys()])
        if (path.startsWith(join(folder, name, '/'))) await this.remove(path)
      this.#made.delete(join(folder, name))
      await rm(join(folder, name), { recursive: true, force: true })
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
