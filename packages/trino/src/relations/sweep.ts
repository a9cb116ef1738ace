import { identifier, literal } from 'foldgate/internal'
import type { TrinoClient } from '../protocol/client.js'
import { isAddedTable, qualified, type SchemaNames, type Schemas } from './schemas.js'

/**
 * View whose only value is when its schema was last used, in epoch milliseconds. No such view is in a schema that
 * callers can read.
 */
const MARK = '_used'
const SOURCE = 'foldgate'
/** A schema in use is marked again when this part of the idle time is over. */
const PART = 4
/** Trino looks at so many schemas of a query one by one, and beyond at all that there are. */
const SCHEMAS_AT_ONCE = 50
const MOST_APART_MS = 3_600_000

/** Removes schemas that no service has used for long, whichever service has made them. */
export class Sweep {
  readonly #client: TrinoClient
  readonly #names: SchemaNames
  readonly #idleMs: number
  readonly #removed: (schema: string) => Promise<void>
  readonly #failed: (cause: unknown) => void
  /** When this service has marked a schema, or has first seen one without a mark. */
  readonly #marked = new Map<string, number>()
  readonly #seen = new Map<string, number>()
  /** Schemas in which this service makes something now, with how often. */
  readonly #held = new Map<string, number>()
  readonly #timer: NodeJS.Timeout
  #sweeping: Promise<void> | undefined
  readonly #closing = new AbortController()

  constructor(
    client: TrinoClient,
    names: SchemaNames,
    idleMs: number,
    on: { removed(schema: string): Promise<void>; failed(cause: unknown): void },
  ) {
    this.#client = client
    this.#names = names
    this.#idleMs = idleMs
    this.#removed = on.removed
    this.#failed = on.failed
    const everyMs = Math.min(MOST_APART_MS, Math.ceil(idleMs / PART))
    this.#timer = setInterval(() => void this.sweep(), everyMs).unref()
  }

  /** Marks a schema as used now, unless it was marked lately. It must exist. */
  async use(schema: string): Promise<void> {
    const now = Date.now()
    if (now - (this.#marked.get(schema) ?? 0) < this.#idleMs / PART) return
    this.#marked.set(schema, now)
    await this.#mark(schema, now).catch(cause => {
      this.#marked.delete(schema)
      throw cause
    })
  }

  /**
   * Keeps schemas until the returned function is called: their relations may take longer to make than the idle time.
   */
  hold(schemas: Schemas): () => void {
    const count = (by: number) => {
      for (const schema of Object.values(schemas)) this.#held.set(schema, (this.#held.get(schema) ?? 0) + by)
    }
    count(1)
    return () => count(-1)
  }

  /** Forgets that a schema was marked, as it may be gone. */
  forget(schema: string): void {
    this.#marked.delete(schema)
  }

  /** Looks at every schema of ours, and removes the idle ones. */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#sweep()
      .catch(cause => {
        if (!this.#closing.signal.aborted) this.#failed(cause)
      })
      .finally(() => {
        this.#sweeping = undefined
      })
    return this.#sweeping
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#closing.abort()
    await this.#sweeping
  }

  async #sweep(): Promise<void> {
    const schemas = (await this.#rows('SHOW SCHEMAS')).map(([name]) => String(name))
    const ours = schemas.filter(name => this.#names.has(name))
    const builds = ours.filter(name => this.#names.is('build', name))
    const marked = [...builds, ...ours.filter(name => this.#names.is('snapshot', name))]
    const marks = await this.#marks(marked)
    for (const schema of marked) {
      if (!this.#isIdle(schema, marks.get(schema))) continue
      // Looked at again: another service may have begun to use it.
      if (!this.#isIdle(schema, (await this.#marks([schema])).get(schema))) continue
      // Views go before what they read.
      const view = ours.find(name => this.#names.is('view', name) && this.#names.buildOf(name) === schema)
      if (view !== undefined) await this.#remove(view)
      await this.#remove(schema)
    }
    // Views without a build are what a service left that ended while it removed them.
    for (const view of ours.filter(name => this.#names.is('view', name)))
      if (!this.#held.get(view) && !builds.includes(this.#names.buildOf(view))) await this.#remove(view)
  }

  /** When each of these schemas was last used, as far as it is marked. */
  async #marks(schemas: readonly string[]): Promise<Map<string, number>> {
    const marks = new Map<string, number>()
    for (let at = 0; at < schemas.length; at += SCHEMAS_AT_ONCE) {
      const names = schemas.slice(at, at + SCHEMAS_AT_ONCE).map(literal)
      const sql =
        'SELECT table_schema, view_definition FROM information_schema.views ' +
        `WHERE table_schema IN (${names.join(', ')}) AND table_name = ${literal(MARK)}`
      for (const [schema, definition] of await this.#rows(sql))
        marks.set(String(schema), Number(/\d{13,}/.exec(String(definition))?.[0]))
    }
    return marks
  }

  #isIdle(schema: string, usedAt = 0): boolean {
    const now = Date.now()
    if (this.#held.get(schema) || now - (this.#marked.get(schema) ?? 0) < this.#idleMs) return false
    if (usedAt > 0) return now - usedAt > this.#idleMs
    if (!this.#seen.has(schema)) this.#seen.set(schema, now)
    return now - (this.#seen.get(schema) ?? now) > this.#idleMs
  }

  /**
   * Tables of sealed files are unregistered: dropping one would remove its files, which are the snapshot's.
   * For the same reason, no schema is dropped with CASCADE.
   */
  async #remove(schema: string): Promise<void> {
    const sql =
      'SELECT table_name, table_type FROM information_schema.tables ' +
      `WHERE table_schema = ${literal(schema)}`
    const relations = (await this.#rows(sql)).map(([name, type]) => ({
      name: String(name),
      isView: type === 'VIEW',
    }))
    for (const { name } of relations.filter(({ isView }) => isView))
      await this.#rows(`DROP VIEW ${qualified(schema, name)}`)
    for (const { name } of relations.filter(({ isView }) => !isView)) {
      if (isAddedTable(name))
        await this.#rows(`CALL system.unregister_table(${literal(schema)}, ${literal(name)})`)
      else await this.#rows(`DROP TABLE ${qualified(schema, name)}`)
    }
    await this.#rows(`DROP SCHEMA ${identifier(schema)}`)
    this.#seen.delete(schema)
    await this.#removed(schema)
  }

  async #mark(schema: string, now: number): Promise<void> {
    await this.#rows(
      `CREATE OR REPLACE VIEW ${qualified(schema, MARK)} SECURITY DEFINER AS SELECT BIGINT '${now}' AS at`,
    )
  }

  #rows(sql: string): Promise<unknown[][]> {
    return this.#client.rows({ sql, source: SOURCE, signal: this.#closing.signal })
  }
}
