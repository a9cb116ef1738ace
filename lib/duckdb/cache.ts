import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Column } from '../model.js'

/** A built relation in the cache; another object for each file that has been there. */
export interface CachedRelation {
  path: string
  bytes: number
  columns: Column[]
}

/** What a cache tells its owner. */
export interface CacheEvents {
  /** Unused relations could not be removed. */
  onFailure(cause: unknown): void
  /** A relation is removed: processes that were given the file of this name should not keep it. */
  onRemove(name: string): void
}

const SUFFIX = '.duckdb'
/** Longer than any build, query or export runs. */
const UNUSED_MS = 3_600_000
const LOOK_EVERY_MS = 600_000

/**
 * Built relations on disk: `<project>/<snapshot>/<alias>.duckdb` and, beside it, a JSON file of the columns.
 * When the cache passes its size, the least recently used relations are removed; a worker that has one open
 * can still read it. Relations from earlier runs of the service are reused. The relations of a snapshot are
 * removed after an hour without use, except for the most recently used snapshot of each project.
 */
export class RelationCache {
  readonly #folder: string
  readonly #maxBytes: number
  readonly #entries = new Map<string, CachedRelation>()
  /** Last use of each snapshot's folder, in epoch milliseconds; the most recently used comes last. */
  readonly #used = new Map<string, number>()
  readonly #looking: NodeJS.Timeout
  readonly #onRemove: (name: string) => void
  #bytes = 0

  private constructor(folder: string, maxBytes: number, { onFailure, onRemove }: CacheEvents) {
    this.#folder = folder
    this.#maxBytes = maxBytes
    this.#onRemove = onRemove
    this.#looking = setInterval(() => void this.#dropUnused().catch(onFailure), LOOK_EVERY_MS).unref()
  }

  /** Opens the cache: keeps the complete relations of earlier runs and removes incomplete ones. */
  static async open(folder: string, maxBytes: number, events: CacheEvents): Promise<RelationCache> {
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
    const cache = new RelationCache(folder, maxBytes, events)
    for (const { path, relation, usedAt } of found.sort((a, b) => a.usedAt - b.usedAt)) {
      cache.#insert(path, relation)
      cache.#use(dirname(path), usedAt)
    }
    await cache.#shrink()
    return cache
  }

  /** Bytes of all relations on disk. */
  get bytes(): number {
    return this.#bytes
  }

  /** Name of the folder of a snapshot's relations in the cache, marked as used; the builder creates it. */
  folderOf(projectId: string, snapshotId: string): string {
    if (!/^[\w-][\w.-]{0,127}$/.test(snapshotId))
      throw new TypeError('a snapshot id is made of letters, digits, _ . and -')
    const folder = join(projectId, snapshotId)
    this.#use(join(this.#folder, folder), Date.now())
    return folder
  }

  /** Name of the file of a relation in the folder of its snapshot. */
  fileOf(alias: string): string {
    return alias + SUFFIX
  }

  /** Path of the file of a relation; `folder` is a name that {@link folderOf} has returned. */
  pathOf(folder: string, alias: string): string {
    return join(this.#folder, folder, this.fileOf(alias))
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

  async add(path: string, columns: Column[]): Promise<void> {
    const { size: bytes } = await stat(path)
    await writeFile(columnsPath(path), JSON.stringify(columns))
    this.#insert(path, { path, bytes, columns })
    await this.#shrink()
  }

  async remove(path: string): Promise<void> {
    this.#bytes -= this.#entries.get(path)?.bytes ?? 0
    this.#entries.delete(path)
    this.#onRemove(relative(this.#folder, path))
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
    return null // no columns file: the build did not finish
  }
}
