import { createHash, randomUUID } from 'node:crypto'
import type { Catalogue } from 'foldgate'
import type { PointOfView, Snapshot } from 'foldgate/engine'
import { identifier, type RelationDefinition } from 'foldgate/internal'
import { tableFiles } from 'foldgate/sealing'

/** Increment when relations are registered or built differently, so that all are made anew. */
const VERSION = 1
/**
 * Schemas of this package: of snapshots, of what is built for a point of view, and of what its callers see.
 */
const KINDS = { snapshot: 's', build: 'b', view: 'p' } as const

const DIGITS = 16

/** Names of the schemas of one point of view. */
export interface Schemas {
  /** Tables of the snapshot, and folds that are the same for all points of view. */
  snapshot: string
  /** Folds of the point of view. */
  build: string
  /** Views on what callers may read. Their user has its name, and may select in no other schema. */
  view: string
}

/**
 * Names schemas after their content: relations of the same name have the same rows, whichever service has made them.
 */
export class SchemaNames {
  readonly #prefix: string
  readonly #catalogue: string

  constructor(catalogue: Catalogue, folds: Readonly<Record<string, string>>, prefix: string) {
    this.#prefix = prefix
    this.#catalogue = digest(catalogue.hierarchy, [...catalogue.relations.values()].map(madeOf), folds)
  }

  /** The schemas of a point of view; with `readable`, those in which no other relations are shown. */
  of(
    { snapshot, organization, entityId, ownershipView }: PointOfView,
    readable?: readonly string[],
  ): Schemas {
    const stored = this.digestOfFile(snapshot)
    const view = digest(stored, organization, entityId, ownershipView, ...(readable ? [readable] : []))
    return {
      snapshot: this.#name(KINDS.snapshot, stored),
      build: this.#name(KINDS.build, view),
      view: this.#name(KINDS.view, view),
    }
  }

  /**
   * The schemas in which the relations of a snapshot are declared, without rows: the same for all points of
   * view. With `readable`, those in which no others are.
   */
  ofDeclared({ snapshot, organization }: PointOfView, readable?: readonly string[]): Schemas {
    const declared = digest('declared', this.digestOfFile(snapshot), organization, readable)
    const build = this.#name(KINDS.build, declared)
    return { snapshot: build, build, view: this.#name(KINDS.view, declared) }
  }

  /** The name that no schema has. */
  get ofNobody(): string {
    return this.#name(KINDS.view, '0'.repeat(DIGITS))
  }

  /** Whether a schema is one of ours. */
  has(schema: string): boolean {
    const name = schema.startsWith(this.#prefix) ? schema.slice(this.#prefix.length) : ''
    return /^[sbp]_[0-9a-f]{16}$/.test(name)
  }

  /** Whether a schema of ours is of this kind. */
  is(kind: keyof typeof KINDS, schema: string): boolean {
    return schema.startsWith(`${this.#prefix}${KINDS[kind]}_`)
  }

  /** The schema in which is built what another one shows; it is created first, and removed last. */
  buildOf(view: string): string {
    return this.#name(KINDS.build, view.slice(-DIGITS))
  }

  /**
   * Digest of what the relations of a snapshot are made of: its files, the catalogue, and the SQL of folds.
   */
  digestOfFile({ projectId, snapshotId, manifest }: Snapshot): string {
    const tables = manifest.tables.map(table => [
      table.name,
      ...tableFiles(table).map(({ sha256 }) => sha256),
    ])
    return digest(VERSION, this.#catalogue, projectId, snapshotId, manifest.rootId, tables)
  }

  #name(kind: string, content: string): string {
    return `${this.#prefix}${kind}_${content}`
  }
}

/** What the rows of a relation follow from. Descriptions may change without anything being made anew. */
function madeOf(relation: RelationDefinition): unknown {
  const { kind, name } = relation
  return relation.kind === 'fold'
    ? [kind, name, relation.reads, relation.sql]
    : [kind, name, Object.entries(relation.columns ?? {})]
}

/** Quotes the name of a relation in a schema of the session's catalog. */
export function qualified(schema: string, relation: string): string {
  return `${identifier(schema)}.${identifier(relation)}`
}

/** A new name for a table of files that are not its own. Names of the catalogue begin with a letter. */
export function addedTable(relation: string): string {
  return `_${relation}_${randomUUID().slice(0, 8)}`
}

/** Whether a table has this kind of name, so that dropping it would remove files that are not its own. */
export function isAddedTable(name: string): boolean {
  return name.startsWith('_')
}

/** A name for a tenant that tells nothing of it. */
export function tenantOf(organization: string): string {
  return digest('organization', organization)
}

function digest(...parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, DIGITS)
}
