import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { EngineFailure, Phases, type PointOfView } from 'foldgate/engine'
import { type DuckdbEngine, identifier } from 'foldgate/internal'
import { type StoredTable, tableFiles } from 'foldgate/sealing'
import { type StoredColumn, storedColumn } from '../values/stored-types.js'
import type { SharedPlace } from './shared-places.js'

/** Parquet files that the cluster reads, and their columns. */
export interface AddedFiles {
  locations: readonly string[]
  columns: readonly StoredColumn[]
  /** Whether DuckDB has written the files for Trino. */
  rewritten: boolean
}

/** A column as readers see it, with its type as Trino writes it. */
export type ShownColumn = Pick<StoredColumn, 'name'> & { type: string }

/** A build is ended after ten minutes. */
export const BUILD_ENDS_MS = 600_000

/** The files that the cluster reads: sealed tables where they lie, and what DuckDB writes for it. */
export class SharedFiles {
  readonly #duckdb: DuckdbEngine
  readonly #shared: SharedPlace

  constructor(duckdb: DuckdbEngine, shared: SharedPlace) {
    this.#duckdb = duckdb
    this.#shared = shared
  }

  /** What DuckDB computes from the snapshot, for a relation that Trino cannot. */
  async computed(point: PointOfView, schema: string, relation: string): Promise<AddedFiles> {
    const work = { signal: new AbortController().signal, phases: new Phases() }
    const [described = []] = await this.#duckdb.columns(point, [relation], work)
    const columns = described.map(({ name, type }) => storedColumn(name, type))
    const select = columns.map(column => column.select).join(', ')
    return { locations: [await this.#write(point, schema, relation, select)], columns, rewritten: true }
  }

  /** The columns of what DuckDB computes, which it does not compute for them. */
  async columnsOf(point: PointOfView, relation: string): Promise<ShownColumn[]> {
    const work = { signal: new AbortController().signal, phases: new Phases(), timeoutMs: BUILD_ENDS_MS }
    const sql = `SELECT * FROM ${identifier(relation)}`
    const bound = await this.#duckdb.bind(point, { sql, relations: [relation], volatile: false }, work)
    return shown(bound.columns, true)
  }

  /** A sealed table, written anew only when it has a column that Trino cannot read. */
  async table(point: PointOfView, schema: string, stored: StoredTable): Promise<AddedFiles> {
    const columns = stored.columns.map(({ name, type }) => storedColumn(name, type))
    if (isRewritten(columns)) {
      const select = columns.map(column => column.select).join(', ')
      return { locations: [await this.#write(point, schema, stored.name, select)], columns, rewritten: true }
    }
    const locations = await this.#shared.locate(point.snapshot, tableFiles(stored))
    return { locations, columns, rewritten: false }
  }

  async #write(point: PointOfView, schema: string, relation: string, select: string): Promise<string> {
    const sql = `SELECT ${select} FROM ${identifier(relation)}`
    const work = { signal: new AbortController().signal, phases: new Phases(), timeoutMs: BUILD_ENDS_MS }
    const form = { format: 'parquet' as const, escapesFormulas: false }
    const statement = { sql, relations: [relation], volatile: false }
    const { path } = await this.#duckdb.export(point, statement, work, form)
    const name = `${schema}/${relation}-${randomUUID()}.parquet`
    try {
      await this.#shared.put(name, path)
    } catch (cause) {
      throw new EngineFailure('disk', 'What is shared with the cluster cannot be written.', { cause })
    } finally {
      await rm(path, { force: true })
    }
    return `${this.#shared.location}/${name}`
  }
}

/** Whether a table with these columns is written anew. */
function isRewritten(columns: readonly StoredColumn[]): boolean {
  return !columns.every(({ inPlace }) => inPlace)
}

/** The columns of a table, or of a file that is written in any case, as readers see them. */
export function shown(columns: StoredTable['columns'], written = false): ShownColumn[] {
  const stored = columns.map(({ name, type }) => storedColumn(name, type))
  const rewritten = written || isRewritten(stored)
  return stored.map(({ name, sealed, restored }) => ({ name, type: rewritten ? restored : sealed }))
}
