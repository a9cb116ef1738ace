import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { attachBuilt, largestProject, median, timed } from './assessed.js'
import { downloads } from './export/download.js'
import { post } from './open.js'
import type { Figure } from './run.js'

const ROUNDS = 7
const SQL = 'SELECT * FROM risk_rows, range(3) t(n)'
const SORTED = `${SQL} ORDER BY score DESC, site_key, risk_code, sector_code, n`

/** Compares an export with a bare COPY, and measures its download. */
export async function run(): Promise<Figure[]> {
  return [...(await copies()), ...(await downloads())]
}

async function copies(): Promise<Figure[]> {
  const project = await largestProject()
  const api = await project.open()
  const { projectId } = project
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', memory_limit: '512MB' })
  try {
    const send = async (sql: string) => {
      const { status } = await post(api, 'export', { projectId, sql })
      if (status !== 200) throw new Error(`an export was answered ${status}`)
    }
    await send('SELECT * FROM risk_rows LIMIT 1')
    const connection = await instance.connect()
    await attachBuilt(connection, join(project.folder, 'engine', 'cache', projectId))
    const bareFile = join(project.folder, 'bare.parquet')
    const figures: Figure[] = []
    for (const [what, sql] of [
      ['as they come', SQL],
      ['sorted', SORTED],
    ] as const) {
      const ours: number[] = []
      const bare: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        ours.push(await timed(() => send(sql)))
        bare.push(
          await timed(() => connection.run(`COPY (${sql}) TO '${bareFile}' (FORMAT parquet, COMPRESSION zstd)`)),
        )
        await rm(bareFile)
      }
      figures.push({
        what: `export of three times risk_rows ${what}, median of ${ROUNDS}`,
        measured: `${median(ours).toFixed(0)} ms`,
        baseline: `${median(bare).toFixed(0)} ms bare COPY`,
        bar: `1.15× (here ${(median(ours) / median(bare)).toFixed(2)}×)`,
      })
    }
    return figures
  } finally {
    instance.closeSync()
    await api.close()
    await project.remove()
  }
}
