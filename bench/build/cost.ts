import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { type AnalyticsApi, directorySnapshots } from 'foldgate'
import { fromFolder, openSealer, snapshotFiles } from 'foldgate/sealing'
import { median, timed } from '../assessed.js'
import { openApi, post } from '../open.js'
import type { Figure } from '../run.js'
import { type Face, snapshotsOfFaces } from './faces.js'
import { fitLine } from './line.js'
import { measurementsCatalogue, writeMeasurements } from './measurements.js'

const SIZES = [1_000, 10_000, 100_000, 1_000_000]
const ROUNDS = 7
const ENGINE = { threads: '1', memory_limit: '512MB' }

/** Compares builds of a table of 1,000 to 1,000,000 rows with a bare CREATE TABLE AS of the same Parquet files. */
export async function costOfBuilding(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-bench-'))
  try {
    return await measure(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(folder: string): Promise<Figure[]> {
  const snapshots = directorySnapshots(join(folder, 'snapshots'))
  const catalogue = measurementsCatalogue
  const sealed: { rows: number; parquet: string; faces: Face[] }[] = []
  const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
  for (const rows of SIZES) {
    const source = join(folder, `package-${rows}`)
    const projectId = randomUUID()
    await writeMeasurements(source, rows)
    const { manifest } = await sealer.seal({ projectId, assessmentId: 'bench', tables: fromFolder(source) })
    const file = snapshotFiles(manifest).find(({ file }) => file.endsWith('.parquet'))?.file ?? ''
    const parquet = join(folder, 'snapshots/tables', projectId, file)
    const faces = Array.from({ length: ROUNDS }, () => ({ projectId: randomUUID(), of: projectId }))
    sealed.push({ rows, parquet, faces })
  }
  await sealer.close()
  const faces = sealed.flatMap(size => size.faces)
  const projects = faces.map(({ projectId }) => ({ projectId, name: projectId }))
  const api = await openApi(folder, { catalogue, snapshots: snapshotsOfFaces(snapshots, faces), projects })
  const instance = await DuckDBInstance.create(':memory:', ENGINE)
  const connection = await instance.connect()
  try {
    const figures: Figure[] = []
    const points: { rows: number; ms: number }[] = []
    for (const { rows, parquet, faces } of sealed) {
      const ours: number[] = []
      const bare: number[] = []
      const opened: number[] = []
      for (const { projectId } of faces) {
        ours.push(await build(api, projectId))
        bare.push(await timed(() => create(connection, parquet, join(folder, 'bare.duckdb'))))
        opened.push(await timed(() => createInFresh(parquet, join(folder, 'bare.duckdb'))))
      }
      const [oursMs, bareMs, openedMs] = [ours, bare, opened].map(median) as [number, number, number]
      points.push({ rows, ms: oursMs })
      figures.push({
        what: `${rows / 1000} k rows, median of ${ROUNDS}`,
        measured: `${oursMs.toFixed(1)} ms`,
        baseline: `${bareMs.toFixed(1)} ms bare, ${openedMs.toFixed(1)} ms with an engine of its own`,
        bar: `1.5× (here ${(oursMs / bareMs).toFixed(2)}×, ${(oursMs / openedMs).toFixed(2)}×)`,
      })
    }
    const { fixedMs, msARow, deviation } = fitLine(points)
    const measured = `${fixedMs.toFixed(1)} ms + ${(msARow * 1e6).toFixed(0)} ms a million rows`
    const apart = `± ${(100 * deviation).toFixed(0)} %`
    return [...figures, { what: 'a fixed cost and one a row', measured, baseline: '', bar: `± 30 % (here ${apart})` }]
  } finally {
    instance.closeSync()
    await api.close()
  }
}

/** Milliseconds that a first query spends on the build. */
async function build(api: AnalyticsApi, projectId: string): Promise<number> {
  const answer = await post(api, 'query', { projectId, sql: 'SELECT count(*) FROM measurements' })
  if (answer.status !== 200) throw new Error(`a query was answered ${answer.status}`)
  return answer.spentMs('build')
}

/** Creates the table in a database file and writes it to disk. */
async function create(connection: DuckDBConnection, parquet: string, file: string): Promise<void> {
  await rm(file, { force: true })
  await connection.run(`ATTACH '${file}' AS built`)
  await connection.run(`CREATE TABLE built.measurements AS SELECT * FROM read_parquet('${parquet}')`)
  await connection.run('DETACH built')
}

async function createInFresh(parquet: string, file: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', ENGINE)
  await create(await instance.connect(), parquet, file)
  instance.closeSync()
}
