import { join } from 'node:path'
import type { Column } from '../model.js'
import type { CachedRelation, RelationCache } from './cache.js'
import { type Gift, givenSource } from './gifts.js'
import type { BuildStep, RelationFile, View } from './jobs.js'
import { closure, type PlannedRelation } from './plan.js'

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
