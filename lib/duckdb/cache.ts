import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { RecentMap } from '../flow/recent.js'
import type { Column } from '../model.js'
import { linkOrCopy } from '../sandbox/world.js'
import type { TableStatistics } from '../snapshots/statistics.js'
import type { BuildStep, BuiltRelation, Gift, RelationFile, View } from './jobs.js'
import { builtFile, closure, type PlannedRelation } from './plan.js'

/** A relation in the cache, built or as it was sealed; another object for each form that has been there. */
interface CachedRelation {
  path: string
  form: RelationFile['form']
  /** Names of its files. */
  files: readonly string[]
  bytes: number
  columns: Column[]
  /** What its values are, where it was built by SQL. */
  statistics?: TableStatistics
  /** How long statements have run that read it as it was sealed, in milliseconds: its share of them. */
  spentMs: number
  /** At how much of that it is built. */
  builtAtMs: number
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

/** How long statements run over the Parquet files of a table before it is built: as long as its build takes. */
const WORTH_MS = 20
const WORTH_MS_PER_BYTE = 40 / 1024 ** 2

/** Stands for the snapshots of earlier runs, until the first one of a project is used. */
const EARLIER = ''

/**
 * Relations on disk: `<project>/<alias>.duckdb` and, beside it, a JSON file of the columns and what their values are; or, until it is built, the
 * Parquet files of a stored table as `<alias>-<n>.parquet`. An alias is a digest of the content, so snapshots of a
 * project have the same relations for what is equal in them. When the cache passes its size, the relations that were used
 * least recently go. Built relations from earlier runs of the service are reused. A relation is removed when no snapshot
 * that has used it was used for an hour, except for the most recently used snapshot of each project.
 */
export class RelationCache {
  readonly #folder: string
  readonly #entries: RecentMap<string, CachedRelation>
  /** Removals of relations that made room for others, of which nobody has waited for the end yet. */
  readonly #removals: Promise<void>[] = []
  /**
   * Relations whose place another form has taken since the last look, and before: jobs that were planned then still read
   * their files.
   */
  readonly #replaced: CachedRelation[] = []
  #replacedBefore: CachedRelation[] = []
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
      const told = name.endsWith(SUFFIX) ? await readTold(path) : null
      if (told) found.push({ path, relation: built(path, info.size, told), usedAt: info.mtimeMs })
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

  /** Path of the file of a built relation; `folder` is a name that {@link folderOf} has returned. */
  pathOf(folder: string, alias: string): string {
    return join(this.#folder, folder, alias + SUFFIX)
  }

  /** Path of a file of a relation in this folder. */
  fileIn(folder: string, name: string): string {
    return join(this.#folder, folder, name)
  }

  /** The relation at this path, marked as used by a snapshot that {@link folderOf} has marked. */
  find(path: string, snapshotId: string): CachedRelation | undefined {
    const entry = this.#entries.get(path)
    const uses = entry && this.#uses.get(basename(dirname(path)))
    uses?.get(snapshotId)?.paths.add(path)
    return entry
  }

  /** Adds a relation that was built for a snapshot; it takes the place of its Parquet files. */
  async add(
    path: string,
    columns: Column[],
    snapshotId: string,
    statistics?: TableStatistics,
  ): Promise<void> {
    const { size: bytes } = await stat(path)
    const told = { columns, ...(statistics ? { statistics } : {}) }
    await writeFile(toldPath(path), JSON.stringify(told))
    await this.#set(built(path, bytes, told), snapshotId)
  }

  /** Adds a stored table as it was sealed: links its files, which were checked. */
  async link(path: string, from: readonly string[], columns: Column[], snapshotId: string): Promise<void> {
    const files = sealedNames(basename(path, SUFFIX), from.length)
    let bytes = 0
    for (const [at, file] of files.entries()) {
      const to = join(dirname(path), file)
      await rm(to, { force: true })
      await linkOrCopy(from[at] as string, to)
      bytes += (await stat(to)).size
    }
    const builtAtMs = WORTH_MS + WORTH_MS_PER_BYTE * bytes
    await this.#set({ path, form: 'sealed', files, bytes, columns, spentMs: 0, builtAtMs }, snapshotId)
  }

  async #set(relation: CachedRelation, snapshotId: string): Promise<void> {
    const { path } = relation
    const before = this.#entries.peek(path)
    this.#entries.set(path, relation)
    this.find(path, snapshotId)
    if (before) this.#replaced.push(before)
    await Promise.all(this.#removals.splice(0))
  }

  /** Removes a relation whose file cannot be read, unless others have taken its place. */
  async discard(path: string, files: readonly string[]): Promise<void> {
    if (this.#entries.get(path)?.files[0] === files[0]) await this.remove(path)
  }

  async remove(path: string): Promise<void> {
    const entry = this.#entries.delete(path)
    for (const { paths } of this.#uses.get(basename(dirname(path)))?.values() ?? []) paths.delete(path)
    if (entry) await this.#removeFiles(entry)
  }

  /** Removes the files of a relation that is not there any more in this form. */
  async #removeFiles({ path, files }: CachedRelation): Promise<void> {
    const except = this.#entries.peek(path)?.files ?? []
    for (const file of files.filter(each => !except.includes(each))) {
      const removed = join(dirname(path), file)
      this.#onRemove(relative(this.#folder, removed))
      await rm(removed, { force: true })
      if (removed === path) await rm(toldPath(path), { force: true })
    }
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
    const before = this.#replacedBefore
    this.#replacedBefore = this.#replaced.splice(0)
    for (const relation of before) await this.#removeFiles(relation)
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

function built(path: string, bytes: number, told: BuiltRelation): CachedRelation {
  return { path, form: 'built', files: [basename(path)], bytes, ...told, spentMs: 0, builtAtMs: Infinity }
}

/** Names of the Parquet files of a stored table in the cache. */
function sealedNames(alias: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${alias}-${at}.parquet`)
}

function toldPath(path: string): string {
  return `${path.slice(0, -SUFFIX.length)}.json`
}

async function readTold(path: string): Promise<BuiltRelation | null> {
  try {
    return JSON.parse(await readFile(toldPath(path), 'utf8')) as BuiltRelation
  } catch {
    return null // no such file: the build did not finish
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

  path({ alias }: PlannedRelation): string {
    return this.#cache.pathOf(this.folder, alias)
  }

  find(relation: PlannedRelation): CachedRelation | undefined {
    return this.#cache.find(this.path(relation), this.#snapshotId)
  }

  /** Adds a relation whose file is in its place. */
  add(relation: PlannedRelation, { columns, statistics }: BuiltRelation): Promise<void> {
    return this.#cache.add(this.path(relation), columns, this.#snapshotId, statistics)
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

  /** Adds a stored table as it was sealed, with its files in a folder. */
  link(relation: PlannedRelation, folder: string, columns: Column[]): Promise<void> {
    const from = 'source' in relation.from ? relation.from.source.map(({ name }) => join(folder, name)) : []
    return this.#cache.link(this.path(relation), from, columns, this.#snapshotId)
  }

  /** How a job builds these relations from the files in a folder, and the files that it needs. */
  steps(relations: readonly PlannedRelation[], source: string): { steps: BuildStep[]; gifts: Gift[] } {
    const stored = relations.map(({ from }) => givenSource(from, source))
    const steps = relations.map((relation, at) => ({
      file: relation.isReadable ? this.#sealedFile(relation) : builtFile(relation),
      reads: relation.reads.map(({ alias }) => alias),
      from: stored[at]?.from ?? relation.from,
      ...(relation.units ? { units: relation.units } : {}),
    }))
    return { steps, gifts: stored.flatMap(each => each?.gifts ?? []) }
  }

  #sealedFile({ name, alias, from }: PlannedRelation): RelationFile {
    return {
      relation: name,
      alias,
      form: 'sealed',
      files: sealedNames(alias, 'source' in from ? from.source.length : 0),
    }
  }

  /** How a job builds a relation that is there as it was sealed. */
  rebuilding(relation: PlannedRelation): { steps: BuildStep[]; gifts: Gift[] } {
    const { gifts } = this.given([relation])
    const digests = 'source' in relation.from ? relation.from.source : []
    const source = gifts.map(({ name }, at) => ({ name, sha256: digests[at]?.sha256 ?? '' }))
    return { steps: [{ file: builtFile(relation), reads: [], from: { source } }], gifts }
  }

  /** A view of relations that are in the cache, and their files. */
  given(relations: readonly PlannedRelation[]): GivenView {
    const { folder } = this
    const found = relations.map(relation => {
      const version = this.find(relation)
      return {
        relation,
        version,
        file: { ...builtFile(relation), ...(version && { form: version.form, files: version.files }) },
      }
    })
    const gifts = found.flatMap(({ relation, version, file: { alias, files } }) =>
      files.map((file): Gift => {
        const missing = { kind: 'view', text: alias } as const
        const from = join(dirname(this.path(relation)), file)
        return { name: join(folder, file), from, version, missing }
      }),
    )
    return { view: { folder, files: found.map(({ file }) => file) }, gifts }
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
