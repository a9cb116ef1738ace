import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import type { ExportFormat, ProjectExport } from 'foldgate/client'
import { AUTHORIZATION, attachBuilt, largestProject, median, timed } from './assessed.js'
import { MemoryWatch, residentMiB } from './bombs/watch.js'
import type { Figure } from './run.js'

const ROUNDS = 5
/** Nine columns: texts, a UUID, numbers, a date and a timestamp. */
const SQL =
  'SELECT pressure_indicator, entity_id, site_key, iso3, scope, value, share, ' +
  "DATE '2026-01-01' + n::INTEGER AS day, TIMESTAMP '2026-01-01 12:00:00' + to_seconds(n) AS at " +
  'FROM pressure_rows, range(6) t(n) LIMIT 1000000'

/** Each format, the bare COPY that it is compared with, and its bar. */
const FORMATS: readonly [format: ExportFormat, options: string, bar: number][] = [
  ['parquet', 'FORMAT parquet, COMPRESSION zstd', 1.15],
  ['csv', 'FORMAT csv', 1.3],
  ['ndjson', 'FORMAT json', 1.3],
  ['arrow', 'FORMAT parquet, COMPRESSION zstd', 1.5],
  ['xlsx', 'FORMAT parquet, COMPRESSION zstd', 8],
]

/** Compares exports of a million rows in each format with bare COPYs, and measures the memory of the host. */
export async function run(): Promise<Figure[]> {
  const project = await largestProject()
  const api = await project.open()
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '512MB' })
  const { projectId } = project
  const send = async (format: ExportFormat, sql: string) => {
    const { result } = await api.call('projects/export', { projectId, sql, format }, { authorization: AUTHORIZATION })
    return result as ProjectExport
  }
  try {
    await send('parquet', 'SELECT * FROM pressure_rows LIMIT 1')
    const connection = await instance.connect()
    await attachBuilt(connection, join(project.folder, 'engine', 'cache', projectId))
    const figures: Figure[] = []
    for (const [format, options, bar] of FORMATS) {
      const ours: number[] = []
      const bare: number[] = []
      let [grewMiB, bytes] = [0, 0]
      for (let round = 0; round < ROUNDS; round++) {
        const began = residentMiB(process.pid)
        const watch = new MemoryWatch(process.pid)
        ours.push(
          await timed(async () => {
            bytes = (await send(format, SQL)).bytes
          }),
        )
        watch.stop()
        grewMiB = Math.max(grewMiB, watch.own - began)
        bare.push(await bareCopy(connection, join(project.folder, 'bare'), options))
      }
      figures.push({
        what: `${format}, ${(bytes / 1e6).toFixed(0)} MB`,
        measured: `${median(ours).toFixed(0)} ms, host + ${grewMiB.toFixed(0)} MiB`,
        baseline: `${median(bare).toFixed(0)} ms COPY (${options})`,
        bar: `${bar}× (here ${(median(ours) / median(bare)).toFixed(2)}×), + 50 MB`,
      })
    }
    return figures
  } finally {
    instance.closeSync()
    await api.close()
    await project.remove()
  }
}

async function bareCopy(connection: DuckDBConnection, path: string, options: string): Promise<number> {
  const ms = await timed(() => connection.run(`COPY (${SQL}) TO '${path}' (${options})`))
  await rm(path)
  return ms
}
