import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { RecentMap } from '../flow/recent.js'
import type { Column } from '../model.js'
import type { BuildStep, Gift, RelationFile, View } from './jobs.js'
import { closure, type PlannedRelation } from './plan.js'

/** A built relation in the cache; another object for each file that has been there. */
interface CachedRelation {
  path: string
  bytes: number
  columns: Column[]
}

/** What a cache tells its owner. */
interface CacheEvents {
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
    this.#entries = new RecentMap(maxBytes, {
      weigh: ({ bytes }) => bytes,
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

/** Relations that a job reads, and the files that its process needs. */
export interface GivenView {
  view: View
  gifts: Gift[]
}

/** The relations of one snapshot, as far as they are built, for it or for another snapshot of the project. */
export class Built {
  readonly folder: string
  readonly #cache: RelationCache
  readonly #snapshotId: string

  constructor(cache: RelationCache, projectId: string, snapshotId: string) {
    this.#cache = cache
    this.#snapshotId = snapshotId
    this.folder = cache.folderOf(projectId, snapshotId)
  }

  file({ name, alias }: PlannedRelation): RelationFile {
    return { relation: name, alias, file: this.#cache.fileOf(alias) }
  }

  path({ alias }: PlannedRelation): string {
    return this.#cache.pathOf(this.folder, alias)
  }

  find(relation: PlannedRelation): CachedRelation | undefined {
    return this.#cache.find(this.path(relation), this.#snapshotId)
  }

  /** Adds a relation whose file is in its place. */
  add(relation: PlannedRelation, columns: Column[]): Promise<void> {
    return this.#cache.add(this.path(relation), columns, this.#snapshotId)
  }

  /** The relations that must be built before these can be read, each after those that it reads. */
  missing(wanted: readonly PlannedRelation[]): PlannedRelation[] {
    const absent = wanted.filter(relation => !this.find(relation))
    return [...closure(absent).values()].filter(relation => !this.find(relation))
  }

  /** The relations that are built, of these and of all that they read. */
  present(relations: readonly PlannedRelation[]): PlannedRelation[] {
    return [...closure(relations).values()].filter(relation => this.find(relation))
  }

  /** How a job builds these relations from the files in a folder, and the files that it needs. */
  steps(relations: readonly PlannedRelation[], source: string): { steps: BuildStep[]; gifts: Gift[] } {
    const stored = relations.map(({ from }) => givenSource(from, source))
    const steps = relations.map((relation, at) => ({
      file: this.file(relation),
      reads: relation.reads.map(({ alias }) => alias),
      from: stored[at]?.from ?? relation.from,
    }))
    return { steps, gifts: stored.flatMap(each => each?.gifts ?? []) }
  }

  /** A view of relations that are built, and their files. */
  given(relations: readonly PlannedRelation[]): GivenView {
    const { folder } = this
    const files = relations.map(relation => this.file(relation))
    const gifts = relations.map((relation): Gift => {
      const name = join(folder, this.#cache.fileOf(relation.alias))
      const missing = { kind: 'view', text: relation.alias } as const
      return { name, from: this.path(relation), version: this.find(relation), missing }
    })
    return { view: { folder, files }, gifts }
  }
}

const SEALED = 'sealed'

/** What a relation is made from and the files that its process needs, when it is a stored table. */
function givenSource(from: BuildStep['from'], folder: string) {
  if (!('source' in from)) return null
  const missing = { kind: 'snapshot', text: 'A stored table is damaged.' } as const
  const gifts = from.source.map(({ name }): Gift => {
    return { name: join(SEALED, name), from: join(folder, name), version: folder, missing, isForOneJob: true }
  })
  const source = from.source.map(({ name, sha256 }) => ({ name: join(SEALED, name), sha256 }))
  return { from: { source }, gifts }
}
