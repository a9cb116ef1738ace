import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { AUTHORIZATION, attachBuilt, largestProject, median, timed } from './assessed.js'
import type { Figure } from './run.js'

const SQL = 'SELECT * FROM fold_pressures'
const REPEATS = 50

/** Compares a first query on the largest project, and its repetitions, with a bare engine on the built relations. */
export async function run(): Promise<Figure[]> {
  const project = await largestProject()
  const api = await project.open()
  try {
    const { projectId } = project
    const query = () => api.call('projects/query', { projectId, sql: SQL }, { authorization: AUTHORIZATION })
    const firstMs = await timed(query)
    const again: number[] = []
    for (let count = 0; count < REPEATS; count++) again.push(await timed(query))
    const bareMs = await bare(join(project.folder, 'engine', 'cache', projectId))
    return [
      { what: `first query on fold_pressures of ${project.name}`, measured: ms(firstMs), baseline: '', bar: '3000 ms' },
      { what: 'the same again, median', measured: ms(median(again)), baseline: `${ms(bareMs)} bare`, bar: '50 ms' },
    ]
  } finally {
    await api.close()
    await project.remove()
  }
}

/** Times the same statement with runAndReadAll and JSON.stringify in one process. */
async function bare(folder: string): Promise<number> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  await attachBuilt(connection, folder)
  const times: number[] = []
  for (let count = 0; count < REPEATS; count++) {
    times.push(
      await timed(async () => JSON.stringify((await connection.runAndReadAll(`${SQL} LIMIT 101`)).getRowObjectsJson())),
    )
  }
  instance.closeSync()
  return median(times)
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`
}
