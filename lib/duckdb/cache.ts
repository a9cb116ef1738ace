import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { RecentMap } from '../flow/recent.js'
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

/** The relations that a snapshot has used, and when it was last used, in epoch milliseconds. */
interface Use {
  at: number
  paths: Set<string>
}

/** Stands for the snapshots of earlier runs, until the first one of a project is used. */
const EARLIER = ''

/**
 * Built relations on disk: `<project>/<alias>.duckdb` and, beside it, a JSON file of the columns. An alias is a digest of
 * the content, so snapshots of a project share what is the same in them. When the cache passes its size, the least
 * recently used relations are removed; a worker that has one open can still read it. Relations from earlier runs of the
 * service are reused. A relation is removed when every snapshot that has used it was not used for an hour, except for
 * the most recently used snapshot of each project.
 */
export class RelationCache {
  readonly #folder: string
  readonly #entries: RecentMap<string, CachedRelation>
  /** Removals of relations that made room for others, of which nobody has waited for the end yet. */
  readonly #removals: Promise<void>[] = []
  /** Uses of snapshots by project; the most recently used snapshot comes last. */
  readonly #uses = new Map<string, Map<string, Use>>()
  readonly #looking: NodeJS.Timeout
  readonly #onRemove: (name: string) => void

  private constructor(folder: string, maxBytes: number, { onFailure, onRemove }: CacheEvents) {
    this.#folder = folder
    this.#entries = new RecentMap(maxBytes, ({ bytes }) => bytes, {
      onDrop: ({ path }) => this.#removals.push(this.remove(path)),
    })
    this.#onRemove = onRemove
    this.#looking = setInterval(() => void this.#dropUnused().catch(onFailure), LOOK_EVERY_MS).unref()
  }

  /** Opens the cache: keeps the complete relations of earlier runs and removes incomplete ones. */
  static async open(folder: string, maxBytes: number, events: CacheEvents): Promise<RelationCache> {
    await mkdir(folder, { recursive: true })
    const found: { path: string; relation: CachedRelation; usedAt: number }[] = []
    for (const name of await filesIn(folder)) {
      const path = join(folder, name)
      const info = await stat(path)
      const columns = name.endsWith(SUFFIX) ? await readColumns(path) : null
      if (columns) found.push({ path, relation: { path, bytes: info.size, columns }, usedAt: info.mtimeMs })
      else if (!name.endsWith('.json')) await rm(path, { force: true })
    }
    const cache = new RelationCache(folder, maxBytes, events)
    for (const { path, relation, usedAt } of found.sort((a, b) => a.usedAt - b.usedAt)) {
      cache.#entries.set(path, relation)
      cache.#use(basename(dirname(path)), EARLIER, usedAt).paths.add(path)
    }
    await Promise.all(cache.#removals.splice(0))
    return cache
  }

  /** Bytes of all relations on disk. */
  get bytes(): number {
    return this.#entries.weight
  }

  /** Marks a snapshot as used. Returns the name of the folder of its project's relations; the builder creates it. */
  folderOf(projectId: string, snapshotId: string): string {
    this.#use(projectId, snapshotId, Date.now())
    return projectId
  }

  /** Name of the file of a relation in the folder of its project. */
  fileOf(alias: string): string {
    return alias + SUFFIX
  }

  /** Path of the file of a relation; `folder` is a name that {@link folderOf} has returned. */
  pathOf(folder: string, alias: string): string {
    return join(this.#folder, folder, this.fileOf(alias))
  }

  /** The relation at this path, marked as used by a snapshot that {@link folderOf} has marked. */
  find(path: string, snapshotId: string): CachedRelation | undefined {
    const entry = this.#entries.get(path)
    const uses = entry && this.#uses.get(basename(dirname(path)))
    uses?.get(snapshotId)?.paths.add(path)
    return entry
  }

  /** Adds a relation that was built for a snapshot. */
  async add(path: string, columns: Column[], snapshotId: string): Promise<void> {
    const { size: bytes } = await stat(path)
    await writeFile(columnsPath(path), JSON.stringify(columns))
    this.#entries.set(path, { path, bytes, columns })
    this.find(path, snapshotId)
    await Promise.all(this.#removals.splice(0))
  }

  async remove(path: string): Promise<void> {
    this.#entries.delete(path)
    for (const { paths } of this.#uses.get(basename(dirname(path)))?.values() ?? []) paths.delete(path)
    this.#onRemove(relative(this.#folder, path))
    await rm(path, { force: true })
    await rm(columnsPath(path), { force: true })
  }

  close(): void {
    clearInterval(this.#looking)
  }

  #use(projectId: string, snapshotId: string, at: number): Use {
    const uses = this.#uses.get(projectId) ?? new Map<string, Use>()
    this.#uses.set(projectId, uses)
    // The snapshot that is used first is most likely the one that was used last in an earlier run.
    const { paths } = uses.get(snapshotId) ?? uses.get(EARLIER) ?? { paths: new Set() }
    uses.delete(EARLIER)
    uses.delete(snapshotId)
    const use = { at, paths }
    uses.set(snapshotId, use)
    return use
  }

  async #dropUnused(): Promise<void> {
    for (const uses of this.#uses.values()) {
      const last = [...uses.keys()].at(-1)
      for (const [snapshotId, { at, paths }] of [...uses]) {
        if (snapshotId === last || Date.now() - at < UNUSED_MS) continue
        uses.delete(snapshotId)
        for (const path of [...paths]) {
          const isUsed = [...uses.values()].some(use => use.paths.has(path))
          if (!isUsed) await this.remove(path)
        }
      }
    }
  }
}

/**
 * The names of files in the folders of projects. Removes files in other places, where earlier versions had relations.
 */
async function filesIn(folder: string): Promise<string[]> {
  const names: string[] = []
  for (const project of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, project.name)
    if (!project.isDirectory()) await rm(path, { force: true })
    else
      for (const entry of await readdir(path, { withFileTypes: true }))
        if (entry.isDirectory()) await rm(join(path, entry.name), { recursive: true, force: true })
        else names.push(join(project.name, entry.name))
  }
  return names
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
