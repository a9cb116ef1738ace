import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckdbEngine } from 'foldgate'
import { EngineFailure, Phases, type PointOfView } from 'foldgate/engine'
import { digestOfFile, identifier } from 'foldgate/internal'
import { tableFiles } from 'foldgate/sealing'
import { type StoredColumn, storedColumn } from '../values/stored-types.js'

type Stored = PointOfView['snapshot']['manifest']['tables'][number]

/** A place that this service and the cluster both read. */
export interface SharedFolder {
  /** Path of the folder for this service. */
  folder: string
  /** The same folder for the cluster, such as `s3://bucket/foldgate` or `local:///mnt/foldgate`. */
  location: string
}

/** A sealed snapshot, for the option that says where the cluster finds it. */
export interface SnapshotPlace {
  projectId: string
  snapshotId: string
  /** Where this service reads it. */
  folder: string
}

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
  readonly #shared: SharedFolder
  readonly #locate: (place: SnapshotPlace) => string

  constructor(duckdb: DuckdbEngine, shared: SharedFolder, locate: (place: SnapshotPlace) => string) {
    this.#duckdb = duckdb
    this.#shared = shared
    this.#locate = locate
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
    const statement = `SELECT * FROM ${identifier(relation)}`
    const bound = await this.#duckdb.bind(point, { statement, relations: [relation], volatile: false }, work)
    return shown(bound.columns, true)
  }

  /** A sealed table, written anew only when it has a column that Trino cannot read. */
  async table(point: PointOfView, schema: string, stored: Stored): Promise<AddedFiles> {
    const columns = stored.columns.map(({ name, type }) => storedColumn(name, type))
    if (isRewritten(columns)) {
      const select = columns.map(column => column.select).join(', ')
      return { locations: [await this.#write(point, schema, stored.name, select)], columns, rewritten: true }
    }
    const { projectId, snapshotId } = point.snapshot
    const lease = await point.snapshot.open()
    try {
      const files = tableFiles(stored)
      for (const { file, sha256 } of files) await checkDigest(join(lease.folder, file), sha256)
      const place = this.#locate({ projectId, snapshotId, folder: lease.folder })
      return { locations: files.map(({ file }) => `${place}/${file}`), columns, rewritten: false }
    } finally {
      await lease.release()
    }
  }

  /** Removes the files of a schema. */
  async remove(schema: string): Promise<void> {
    await rm(join(this.#shared.folder, schema), { recursive: true, force: true })
  }

  async #write(point: PointOfView, schema: string, relation: string, select: string): Promise<string> {
    const statement = `SELECT ${select} FROM ${identifier(relation)}`
    const work = { signal: new AbortController().signal, phases: new Phases(), timeoutMs: BUILD_ENDS_MS }
    const form = { format: 'parquet' as const, escapesFormulas: false }
    const checked = { statement, relations: [relation], volatile: false }
    const { path } = await this.#duckdb.export(point, checked, work, form)
    const file = `${relation}-${randomUUID()}.parquet`
    const folder = join(this.#shared.folder, schema)
    try {
      await mkdir(folder, { recursive: true })
      await moveTo(path, join(folder, file))
    } catch (cause) {
      throw new EngineFailure('disk', 'The folder that is shared with the cluster cannot be written.', {
        cause,
      })
    } finally {
      await rm(path, { force: true })
    }
    return `${this.#shared.location}/${schema}/${file}`
  }
}

/** Whether a table with these columns is written anew. */
function isRewritten(columns: readonly StoredColumn[]): boolean {
  return !columns.every(({ inPlace }) => inPlace)
}

/** The columns of a table, or of a file that is written in any case, as readers see them. */
export function shown(columns: Stored['columns'], written = false): ShownColumn[] {
  const stored = columns.map(({ name, type }) => storedColumn(name, type))
  const rewritten = written || isRewritten(stored)
  return stored.map(({ name, sealed, restored }) => ({ name, type: rewritten ? restored : sealed }))
}

/** Moves a file, perhaps to another file system, so that it appears complete. */
async function moveTo(from: string, to: string): Promise<void> {
  const unfinished = `${to}.tmp`
  await copyFile(from, unfinished)
  await rename(unfinished, to)
}

async function checkDigest(path: string, sha256: string): Promise<void> {
  const failed = (cause: unknown) => new EngineFailure('snapshot', 'A stored table is damaged.', { cause })
  const found = await digestOfFile(path).catch(cause => {
    throw failed(cause)
  })
  if (found !== sha256) throw failed(new Error(`${path}: its digest differs from the manifest`))
}
