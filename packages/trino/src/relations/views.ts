import {
  cancelled,
  EngineFailure,
  type EngineHost,
  type PointOfView,
  type Snapshot,
  type Work,
} from 'foldgate/engine'
import { type BoundResult, type DuckdbEngine, TimeIsOver, waitForWork } from 'foldgate/internal'
import type { TrinoClient } from '../protocol/client.js'
import { isRefused, RelationBuilder } from './builder.js'
import { planner } from './plan.js'
import { SchemaNames, type Schemas } from './schemas.js'
import { SharedFiles } from './shared-files.js'
import type { SharedPlace } from './shared-places.js'
import { Sweep } from './sweep.js'

/** What relations are made with. */
export interface ViewSettings {
  /** SQL of folds in Trino's words, by name. */
  folds: Readonly<Record<string, string>>
  /** Begins the names of schemas. */
  prefix: string
  /** Schemas that no service has used for this long are removed. */
  idleMs: number
  shared: SharedPlace
}

/** What callers see of snapshots: one schema a point of view, with what their statements have named. */
export class Views {
  readonly #host: EngineHost
  readonly #names: SchemaNames
  readonly #builder: RelationBuilder
  readonly #folds: Readonly<Record<string, string>>
  readonly #sweep: Sweep
  /** Relations that are there, and those that are being made, by schema and name. */
  readonly #shown = new Map<string, Promise<void>>()

  constructor(settings: ViewSettings, host: EngineHost, client: TrinoClient, duckdb: DuckdbEngine) {
    this.#host = host
    this.#folds = settings.folds
    this.#names = new SchemaNames(host.catalogue, settings.folds, settings.prefix)
    const { shared } = settings
    this.#builder = new RelationBuilder(client, new SharedFiles(duckdb, shared))
    this.#sweep = new Sweep(client, this.#names, settings.idleMs, {
      removed: async schema => {
        this.#forget(schema)
        await shared.remove(schema)
      },
      failed: cause => host.onEvent({ type: 'dependency', port: 'cache', cause }),
    })
  }

  /** Digest of what the relations of a snapshot are made of. */
  digestOfFile(snapshot: Snapshot): string {
    return this.#names.digestOfFile(snapshot)
  }

  /** A user who is like those of points of view, but has no schema. */
  get nobody(): string {
    return this.#names.ofNobody
  }

  /**
   * Shows the relations in the schema of the point of view; makes those that are missing. Statements that may read
   * `readable` some relations have a schema of their own, since their user may select in all of it.
   */
  async ready(
    point: PointOfView,
    relations: readonly string[],
    work: Work,
    readable?: readonly string[],
  ): Promise<Schemas> {
    const schemas = this.#names.of(point, readable)
    await this.#filled(schemas, work, () => relations.map(name => this.#show(point, schemas, name)))
    return schemas
  }

  /** Declares the relations without rows, in a schema of their own, and tells which of them are built. */
  async declared(
    point: PointOfView,
    names: readonly string[],
    work: Work,
    readable?: readonly string[],
  ): Promise<Pick<BoundResult, 'relations'> & { schemas: Schemas }> {
    const schemas = this.#names.ofDeclared(point, readable)
    const plan = planner(this.#host.catalogue, this.#folds, point, schemas)
    let present: ReadonlySet<string> = new Set()
    const { snapshot, build } = this.#names.of(point, readable)
    await this.#filled(schemas, work, () => [
      ...names.map(name => this.#builder.declare(point, schemas, plan(name))),
      this.#builder.present(snapshot, build).then(found => {
        present = found
      }),
    ])
    const relations = names.map(name => ({
      name,
      built: present.has(`${snapshot}.${name}`) || present.has(`${build}.${name}`),
    }))
    return { schemas, relations }
  }

  /** Forgets the schemas of a point of view, so that they are looked up and made anew. */
  forget(schemas: Schemas): void {
    for (const schema of Object.values(schemas)) this.#forget(schema)
  }

  #forget(schema: string): void {
    for (const key of this.#shown.keys()) if (key.startsWith(`${schema} `)) this.#shown.delete(key)
    this.#builder.forget(schema)
    this.#sweep.forget(schema)
  }

  close(): Promise<void> {
    return this.#sweep.close()
  }

  /** Waits until schemas are there, with what `fill` makes in them. */
  async #filled(schemas: Schemas, { signal, phases }: Work, fill: () => Promise<void>[]): Promise<void> {
    const making = this.#fill(schemas, fill).catch(cause => {
      if (!isGone(cause)) throw cause
      this.forget(schemas) // removed since we have looked
      return this.#fill(schemas, fill)
    })
    await phases.of('build', this.#within(making, signal))
  }

  async #fill(schemas: Schemas, fill: () => Promise<void>[]): Promise<void> {
    // Marked first, so that no other service removes what is being made.
    const { snapshot, build, view } = schemas
    const release = this.#sweep.hold(schemas)
    try {
      const used = async (schema: string) => {
        await this.#builder.create(schema)
        await this.#sweep.use(schema)
      }
      await Promise.all([snapshot, build].map(used))
      await this.#builder.create(view)
      await Promise.all(fill())
    } finally {
      release()
    }
  }

  #show(point: PointOfView, schemas: Schemas, name: string): Promise<void> {
    const key = `${schemas.view} ${name}`
    const known = this.#shown.get(key)
    if (known) return known
    const startedAt = Date.now()
    const plan = planner(this.#host.catalogue, this.#folds, point, schemas)
    const making = this.#builder.show(point, schemas, plan(name))
    this.#shown.set(key, making)
    const report = (failed: { cause?: unknown }) => {
      const { snapshotId } = point.snapshot
      this.#host.onEvent({
        type: 'build',
        relation: name,
        snapshotId,
        durationMs: Date.now() - startedAt,
        ...failed,
      })
    }
    making.then(
      () => report({}),
      cause => {
        if (!isRefused(cause)) this.#shown.delete(key)
        report({ cause })
      },
    )
    return making
  }

  /** Waits for a build, which goes on after its callers have left. */
  async #within(making: Promise<unknown>, signal: AbortSignal): Promise<void> {
    try {
      await waitForWork({ signal, ms: this.#host.limits.buildTimeoutMs }, making)
    } catch (cause) {
      if (signal.aborted) throw cancelled()
      if (cause instanceof TimeIsOver)
        throw new EngineFailure('building', 'The relations are still being built.', { cause })
      if (cause instanceof EngineFailure && AS_IT_IS.has(cause.kind)) throw cause
      this.#host.onEvent({ type: 'dependency', port: 'engine', cause: reasonOf(cause) })
      throw new EngineFailure('unbuilt', 'The relations of the query cannot be built.', { cause })
    }
  }
}

/** The error of the cluster, where there is one. */
function reasonOf(cause: unknown): unknown {
  return (cause instanceof EngineFailure && cause.cause) || cause
}

const AS_IT_IS: ReadonlySet<string> = new Set([
  'no-connection',
  'cancelled',
  'snapshot',
  'building',
  'relation',
])

function isGone(cause: unknown): boolean {
  return cause instanceof EngineFailure && GONE.test(String((cause.cause as Error)?.message))
}

const GONE = /^(NOT_FOUND|SCHEMA_NOT_FOUND|TABLE_NOT_FOUND|INVALID_VIEW)\b/
