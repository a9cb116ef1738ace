import { EngineFailure, type PointOfView } from 'foldgate/engine'
import { identifier, literal } from 'foldgate/internal'
import type { TrinoClient } from '../protocol/client.js'
import type { ClusterRelation } from './plan.js'
import { addedTable, qualified, type Schemas } from './schemas.js'
import { type AddedFiles, BUILD_ENDS_MS, type SharedFiles, type ShownColumn, shown } from './shared-files.js'

const SOURCE = 'foldgate'

/**
 * Makes relations in the cluster. Each exists under its name only once it is complete, whichever service has
 * made it.
 */
export class RelationBuilder {
  readonly #client: TrinoClient
  readonly #files: SharedFiles
  /** What exists or is being made: relations by their qualified name, schemas by theirs. */
  readonly #made = new Map<string, Promise<void>>()

  constructor(client: TrinoClient, files: SharedFiles) {
    this.#client = client
    this.#files = files
  }

  /** Creates a schema, or looks what it has. */
  create(schema: string): Promise<void> {
    return this.#once(schema, async () => {
      const isNew = await this.#createOnce(undefined, `CREATE SCHEMA ${identifier(schema)}`)
      if (isNew) return
      for (const name of await this.present(schema)) this.#made.set(name, Promise.resolve())
    })
  }

  /** Makes a relation, with what it reads, and shows it in the schema that callers see. */
  async show(point: PointOfView, schemas: Schemas, relation: ClusterRelation): Promise<void> {
    await this.#make(point, relation)
    await this.#view(schemas.view, relation)
  }

  /** Shows a relation that has its columns and no rows, over others that have none. */
  async declare(point: PointOfView, schemas: Schemas, relation: ClusterRelation): Promise<void> {
    await this.#declare(point, relation)
    await this.#view(schemas.view, relation)
  }

  /** Names of the relations that these schemas have, whichever service has made them. */
  async present(...schemas: string[]): Promise<ReadonlySet<string>> {
    const sql =
      'SELECT table_schema, table_name FROM information_schema.tables ' +
      `WHERE table_schema IN (${schemas.map(literal).join(', ')})`
    return new Set((await this.#rows(sql)).map(([schema, name]) => `${schema}.${name}`))
  }

  /** Forgets what a schema has, so that it is looked up and made anew. */
  forget(schema: string): void {
    for (const name of this.#made.keys()) if (name.split('.')[0] === schema) this.#made.delete(name)
  }

  #once(name: string, make: () => Promise<void>): Promise<void> {
    const known = this.#made.get(name)
    if (known) return known
    const making = make()
    this.#made.set(name, making)
    making.catch(cause => {
      if (!isRefused(cause)) this.#made.delete(name) // the refused fold of a snapshot stays refused
    })
    return making
  }

  async #make(point: PointOfView, relation: ClusterRelation): Promise<void> {
    await this.create(relation.schema)
    await this.#once(`${relation.schema}.${relation.name}`, () => this.#create(point, relation))
  }

  async #create(point: PointOfView, { name, schema, made }: ClusterRelation): Promise<void> {
    switch (made.by) {
      case 'duckdb':
        return this.#add(schema, name, await this.#files.computed(point, schema, name))
      case 'table':
        return this.#add(schema, name, await this.#files.table(point, schema, made.stored))
      case 'empty':
        return this.#createEmpty(schema, name, emptyColumns(made.columns))
      case 'fold': {
        for (const read of made.reads) {
          await this.#make(point, read)
          if (read.schema !== schema) await this.#view(schema, read)
        }
        return this.#fold(schema, name, made.sql)
      }
    }
  }

  #declare(point: PointOfView, { name, schema, made }: ClusterRelation): Promise<void> {
    return this.#once(`${schema}.${name}`, async () => {
      switch (made.by) {
        case 'duckdb':
          return this.#createEmpty(schema, name, await this.#files.columnsOf(point, name))
        case 'table':
          return this.#createEmpty(schema, name, shown(made.stored.columns))
        case 'empty':
          return this.#createEmpty(schema, name, emptyColumns(made.columns))
        case 'fold':
          for (const read of made.reads) await this.#declare(point, read)
          // Stored, though without rows: only so has it the types that it has in a table.
          return this.#fold(schema, name, made.sql, ' WITH NO DATA')
      }
    })
  }

  #view(schema: string, relation: ClusterRelation): Promise<void> {
    const { name } = relation
    const select = `SELECT * FROM ${qualified(relation.schema, name)}`
    return this.#once(`${schema}.${name}`, () => this.#createView(schema, name, select))
  }

  /** Runs with the rights of the service, so that its readers need none on what it reads. */
  async #createView(schema: string, name: string, select: string): Promise<void> {
    await this.#createOnce(schema, `CREATE VIEW ${qualified(schema, name)} SECURITY DEFINER AS ${select}`)
  }

  #createEmpty(schema: string, name: string, columns: readonly ShownColumn[]): Promise<void> {
    const select = columns.map(column => `CAST(NULL AS ${column.type}) AS ${identifier(column.name)}`)
    return this.#createView(schema, name, `SELECT ${select.join(', ')} WHERE false`)
  }

  /** Stores the rows of a fold; a fold with a type that cannot be stored is computed when it is read. */
  async #fold(schema: string, name: string, sql: string, data = ''): Promise<void> {
    try {
      await this.#createOnce(schema, `CREATE TABLE ${qualified(schema, name)} AS (\n${sql}\n)${data}`)
    } catch (cause) {
      if (!(cause instanceof EngineFailure) || !/Type not supported/i.test(cause.message))
        throw refusedOr(cause, name)
      await this.#createView(schema, name, sql).catch(wrong => {
        throw refusedOr(wrong, name)
      })
    }
  }

  /** Takes files as a table where they lie. A view names it: the table is empty until it has its files. */
  async #add(schema: string, name: string, { locations, columns, rewritten }: AddedFiles): Promise<void> {
    const table = qualified(schema, addedTable(name))
    const typed = columns.map(
      column => `${identifier(column.name)} ${rewritten ? column.rewritten : column.sealed}`,
    )
    await this.#run(`CREATE TABLE ${table} (${typed.join(', ')})`)
    for (const location of locations)
      await this.#run(
        `ALTER TABLE ${table} EXECUTE add_files(location => ${literal(location)}, format => 'PARQUET')`,
      )
    const select = columns.map(column => {
      const stored = identifier(column.name)
      return `${rewritten ? column.restore(stored) : stored} AS ${stored}`
    })
    await this.#createView(schema, name, `SELECT ${select.join(', ')} FROM ${table}`)
  }

  /**
   * Creates what another service may be creating at the same time, and have created: false, the first one
   * stays.
   */
  async #createOnce(schema: string | undefined, sql: string): Promise<boolean> {
    try {
      await this.#rows(sql, schema)
      return true
    } catch (cause) {
      if (!(cause instanceof EngineFailure) || !EXISTS.test(String((cause.cause as Error)?.message)))
        throw cause
      return false
    }
  }

  async #run(sql: string, schema?: string): Promise<void> {
    await this.#rows(sql, schema)
  }

  #rows(sql: string, schema?: string): Promise<unknown[][]> {
    const { signal } = new AbortController()
    const request = { sql, source: SOURCE, signal, timeoutMs: BUILD_ENDS_MS, ...(schema ? { schema } : {}) }
    return this.#client.rows(request)
  }
}

/** Whether a build has failed because the cluster refuses the SQL of a fold, which it would refuse again. */
export function isRefused(cause: unknown): boolean {
  return cause instanceof EngineFailure && cause.kind === 'relation'
}

/** Errors that look like those of a wrong fold, but end when another service has made a relation or granted a right. */
const PASSING = /^(NOT_FOUND|SCHEMA_NOT_FOUND|TABLE_NOT_FOUND|INVALID_VIEW|PERMISSION_DENIED)\b/

/** The failure of a fold whose SQL the cluster refuses, or another cause as it is. */
function refusedOr(cause: unknown, name: string): unknown {
  if (!(cause instanceof EngineFailure) || cause.kind !== 'query') return cause
  if (PASSING.test(String((cause.cause as Error)?.message))) return cause
  const told = `The engine refuses the SQL of the relation "${name}" of the catalogue: ${cause.message}`
  return new EngineFailure('relation', told, { cause })
}

/** Of a relation or a schema, as the error says that is found at the start of a statement, or at its end. */
const EXISTS = /already exists/i

/** Columns of an optional table that a snapshot lacks; each as in a table of its own. */
function emptyColumns(columns: Readonly<Record<string, string>>): ShownColumn[] {
  return Object.entries(columns).flatMap(([name, type]) => shown([{ name, type }]))
}
