import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { type AnalyticsApi, defineCatalogue, defineFold, directorySnapshots } from 'foldgate'
import { fromFolder, openSealer, snapshotFiles } from 'foldgate/sealing'
import { median, timed } from '../assessed.js'
import { openApi, post } from '../open.js'
import type { Figure } from '../run.js'
import { type Face, snapshotsOfFaces } from './faces.js'
import { measurementsCatalogue, writeMeasurements } from './measurements.js'

const SIZES = [1_000, 100_000, 1_000_000, 6_000_000]
const ROUNDS = 5
const ENGINE = { threads: '1', memory_limit: '512MB' }
const STATEMENTS = {
  'count(*)': 'SELECT count(*) AS n FROM measurements',
  'five groups': 'SELECT indicator, count(*) AS n, sum(value) AS v FROM measurements GROUP BY ALL ORDER BY ALL',
  'a fold over it': 'SELECT * FROM totals ORDER BY ALL',
} as const
const FOLD = 'SELECT site, year, sum(value * share) AS v FROM measurements GROUP BY ALL'
const BARE = { ...STATEMENTS, 'a fold over it': `SELECT * FROM (${FOLD}) ORDER BY ALL LIMIT 500` }

/** Compares the first answers over a table that was just sealed with those of the bare engine over the same Parquet files. */
export async function firstAnswers(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-bench-'))
  try {
    return await measure(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function measure(folder: string): Promise<Figure[]> {
  const snapshots = directorySnapshots(join(folder, 'snapshots'))
  const totals = defineFold({ name: 'totals', about: 'One row per site and year.', reads: ['measurements'], sql: FOLD })
  const { hierarchy, relations } = measurementsCatalogue
  const catalogue = defineCatalogue({ hierarchy, relations: [...relations.values(), totals], examples: [] })
  const sealed: { rows: number; parquet: string; faces: Face[] }[] = []
  const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
  for (const rows of SIZES) {
    const source = join(folder, `package-${rows}`)
    const projectId = randomUUID()
    await writeMeasurements(source, rows)
    const { manifest } = await sealer.seal({ projectId, assessmentId: 'bench', tables: fromFolder(source) })
    const file = snapshotFiles(manifest).find(({ file }) => file.startsWith('measurements'))?.file ?? ''
    const parquet = join(folder, 'snapshots/tables', projectId, file)
    const count = ROUNDS * Object.keys(STATEMENTS).length
    const faces = Array.from({ length: count }, () => ({ projectId: randomUUID(), of: projectId }))
    sealed.push({ rows, parquet, faces })
  }
  await sealer.close()
  const faces = sealed.flatMap(size => size.faces)
  const projects = faces.map(({ projectId }) => ({ projectId, name: projectId }))
  const api = await openApi(folder, { catalogue, snapshots: snapshotsOfFaces(snapshots, faces), projects })
  const instance = await DuckDBInstance.create(':memory:', ENGINE)
  try {
    const figures: Figure[] = []
    for (const { rows, parquet, faces } of sealed)
      for (const what of Object.keys(STATEMENTS) as (keyof typeof STATEMENTS)[]) {
        const [ours, bare]: [number[], number[]] = [[], []]
        for (const { projectId } of faces.splice(0, ROUNDS)) {
          ours.push(await timed(() => first(api, projectId, STATEMENTS[what])))
          bare.push(await timed(async () => over(await instance.connect(), parquet, BARE[what])))
        }
        const [oursMs, bareMs] = [median(ours), median(bare)]
        const most = 1.5 * bareMs + 60
        figures.push({
          what: `${rows / 1000} k rows, ${what}: first answer, median of ${ROUNDS}`,
          measured: `${oursMs.toFixed(1)} ms`,
          baseline: `${bareMs.toFixed(1)} ms over the same Parquet`,
          bar: `1.5× + 60 ms (here ${most.toFixed(0)} ms)`,
        })
      }
    return figures
  } finally {
    instance.closeSync()
    await api.close()
  }
}

async function first(api: AnalyticsApi, projectId: string, sql: string): Promise<void> {
  const { status } = await post(api, 'query', { projectId, sql })
  if (status !== 200) throw new Error(`a query was answered ${status}`)
}

async function over(connection: DuckDBConnection, parquet: string, sql: string): Promise<void> {
  await connection.run(`CREATE OR REPLACE TEMP VIEW measurements AS SELECT * FROM read_parquet('${parquet}')`)
  JSON.stringify((await connection.runAndReadAll(sql)).getRowObjectsJson())
  connection.disconnectSync()
}
