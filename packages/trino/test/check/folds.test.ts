import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { directorySnapshots } from 'foldgate'
import type { OwnershipView } from 'foldgate/client'
import { closure, type PlannedRelation, Planner } from 'foldgate/internal'
import { fromFolder, openSealer, type SnapshotManifest, tableFiles } from 'foldgate/sealing'
import catalogue from '../../../../server/dist/assessed/catalogue.js'
import { writeMadeUpPackage } from '../../../../server/dist/assessed/made-up/package.js'
import { realData } from '../../../../test/server/data/folder.js'
import { readPackage } from '../../../../test/server/data/package.js'
import { isAlike } from './alike.js'
import { ask, rowsOf } from './ask.js'
import { type Cluster, isThorough, STARTS_WITHIN_MS, sharedCluster } from './cluster.js'

const ALL: [key: string, view: OwnershipView][] = [
  ['quorven-foods', 'net'],
  ['brindlemoor-core', 'gross'],
  ...(realData === null ? [] : ([['canada', 'net']] as [string, OwnershipView][])),
]
const PROJECTS = ALL.slice(isThorough ? 0 : -1)

describe('the folds and the examples of the catalogue, on DuckDB and on Trino', () => {
  let trino: Cluster
  let folder: string
  let home: string
  before(async function () {
    this.timeout(STARTS_WITHIN_MS)
    trino = await sharedCluster(this)
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    home = await mkdtemp(join(trino.warehouse, 'folds-'))
    await writeMadeUpPackage(folder)
  })
  after(async () => {
    for (const path of [folder, home]) if (path) await rm(path, { recursive: true, force: true })
  })

  /** Seals a project where Trino reads it. */
  async function seal(key: string): Promise<{ manifest: SnapshotManifest; sealed: string }> {
    const places = realData === null ? [folder] : [folder, realData]
    const source = places.find(place => readPackage(place).some(project => project.key === key)) ?? ''
    const snapshots = directorySnapshots(join(home, 'snapshots'))
    const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
    const projectId = randomUUID()
    const tables = fromFolder(source)
    await sealer
      .sealMany({
        tables,
        by: 'project_key',
        shared: 'where-missing',
        projects: new Map([[key, projectId]]),
        assessmentId: () => key,
      })
      .finally(() => sealer.close())
    const [manifest] = await snapshots.manifests(projectId)
    assert.ok(manifest)
    return { manifest, sealed: join(home, 'snapshots/tables', projectId) }
  }

  for (const [key, ownershipView] of PROJECTS) {
    it(`have the same rows in ${key}, ${ownershipView}`, async function () {
      this.timeout(180_000)
      const { manifest, sealed } = await seal(key)
      const view = { snapshot: { manifest }, organization: 'o', entityId: null, ownershipView }
      const planner = new Planner(catalogue, view as never)
      const steps = [...closure([...catalogue.relations.keys()].map(name => planner.plan(name))).values()]
      const duckdb = await DuckDBInstance.create(':memory:')
      const connection = await duckdb.connect()
      const on = { schema: `folds_${randomUUID().slice(0, 8)}` }
      try {
        await rowsOf(trino.url, `CREATE SCHEMA ${trino.catalog}.${on.schema}`)
        for (const step of steps) {
          const sql = 'sql' in step.from ? step.from.sql : readFiles(step.from.source, sealed)
          await connection.run(`CREATE TABLE ${step.name} AS ${sql}`)
          if (catalogue.relations.get(step.name)?.kind !== 'fold' || isComputed(step))
            await addFiles(connection, step, manifest, sealed, on)
          else {
            await rowsOf(trino.url, `CREATE TABLE ${step.name} AS ${sql}`, on)
            await compare(connection, `SELECT * FROM ${step.name}`, on, { isOrdered: false })
          }
        }
        for (const { sql } of catalogue.examples) await compare(connection, sql, on, { isOrdered: true })
      } finally {
        await rowsOf(trino.url, `DROP SCHEMA IF EXISTS ${trino.catalog}.${on.schema} CASCADE`)
        duckdb.closeSync()
      }
    })
  }

  /** Gives Trino the sealed files of a table, or what DuckDB computes. */
  async function addFiles(
    connection: DuckDBConnection,
    step: PlannedRelation,
    manifest: SnapshotManifest,
    sealed: string,
    on: { schema: string },
  ): Promise<void> {
    const { name } = step
    const stored = manifest.tables.find(table => table.name === name)
    let paths = stored && stored.rows > 0 ? tableFiles(stored).map(({ file }) => join(sealed, file)) : []
    if (isComputed(step)) {
      paths = [join(sealed, `${name}.parquet`)]
      await connection.run(`COPY ${name} TO '${paths[0]}' (FORMAT parquet)`)
    }
    const described = await connection.runAndReadAll(`DESCRIBE ${name}`)
    const columns = described.getRows().map(([column, type]) => `"${column}" ${type}`)
    await rowsOf(trino.url, `CREATE TABLE ${name} (${columns.join(', ')})`, on)
    for (const path of paths) {
      const location = `local:///${basename(home)}${path.slice(home.length)}`
      await rowsOf(trino.url, `ALTER TABLE ${name} EXECUTE add_files('${location}', 'PARQUET')`, on)
    }
  }

  /** Runs a statement on both, and requires the same names, types and rows. */
  async function compare(
    connection: DuckDBConnection,
    sql: string,
    on: { schema: string },
    { isOrdered }: { isOrdered: boolean },
  ): Promise<void> {
    const read = await connection.runAndReadAll(sql)
    const { columns, rows, error } = await ask(trino.url, sql, on)
    assert.equal(error, null, sql)
    const types = read.columnTypes().map((type, at) => `${read.columnNames()[at]} ${type}`.toLowerCase())
    assert.deepEqual(
      columns.map(({ name, type }) => `${name} ${type}`.replace(/varchar\(\d+\)/, 'varchar')),
      types,
      sql,
    )
    const isDouble = types.map(type => type.endsWith(' double'))
    const expected = read.getRowsJson()
    const keyOf = (row: readonly unknown[]) =>
      JSON.stringify(row.map((value, at) => (isDouble[at] ? 0 : String(value))))
    const inOrder = (all: readonly (readonly unknown[])[]) =>
      isOrdered ? all : [...all].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0))
    const [left, right] = [inOrder(expected), inOrder(rows)]
    assert.equal(right.length, left.length, sql)
    for (const [at, row] of left.entries())
      for (const [place, value] of row.entries())
        assert.ok(
          isAlike(value, right[at]?.[place], isDouble[place] ?? false),
          `${sql}\nrow ${at}: ${JSON.stringify([row, right[at]])}`,
        )
  }
})

/** Whether DuckDB computes the relation for Trino: the point of view, and folds that are recursive. */
function isComputed({ from }: PlannedRelation): boolean {
  return 'sql' in from && from.sql.trimStart().startsWith('WITH RECURSIVE')
}

/** SQL that reads the files of a stored table. */
function readFiles(files: readonly { name: string }[], folder: string): string {
  return `SELECT * FROM read_parquet([${files.map(({ name }) => `'${folder}/${name}'`).join(', ')}])`
}
