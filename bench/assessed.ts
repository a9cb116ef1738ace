import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type AnalyticsApi, directorySnapshots, openSealer } from 'foldgate'
import { catalogue } from '#server/catalogue/index.js'
import { writeMadeUpPackage } from '#server/demo/package.js'
import { type OpenOptions, openApi } from './open.js'

export { AUTHORIZATION } from './open.js'

/** An API over one large assessed project, as the reference server would run it. */
export interface AssessedProject {
  projectId: string
  name: string
  folder: string
  /** Start an API on the same folders; the caller closes it. */
  open(options?: Pick<OpenOptions, 'engine' | 'limits' | 'onEvent'>): Promise<AnalyticsApi>
  remove(): Promise<void>
}

/** The largest project there is: `world` of the real data, else that of the made-up package. */
export async function largestProject(): Promise<AssessedProject> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-bench-'))
  const real = resolve(process.env.FOLDGATE_TEST_DATA ?? '../shared/data')
  const isReal = existsSync(join(real, 'projects.csv'))
  const source = isReal ? real : join(folder, 'package')
  if (!isReal) await writeMadeUpPackage(source)
  const key = isReal ? 'world' : 'tallowick-world'
  const line = (await readFile(join(source, 'projects.csv'), 'utf8'))
    .split(/\r?\n/)
    .find(text => text.startsWith(`${key},`))
  const projectId = line?.split(',')[1] as string
  const snapshots = directorySnapshots(join(folder, 'snapshots'))
  const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
  await sealer.seal({ projectId, assessmentId: 'bench', source, partition: { column: 'project_key', value: key } })
  await sealer.close()
  const projects = [{ projectId, name: key }]
  return {
    projectId,
    name: key,
    folder,
    open: options => openApi(folder, { catalogue, snapshots, projects, ...options }),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Attaches everything that was built below a project's cache folder, so that its relations resolve by name. */
export async function attachBuilt(connection: DuckDBConnection, folder: string): Promise<void> {
  const [snapshot = ''] = await readdir(folder)
  const aliases: string[] = []
  for (const name of (await readdir(join(folder, snapshot))).filter(file => file.endsWith('.duckdb'))) {
    const alias = name.replace('.duckdb', '')
    await connection.run(`ATTACH '${join(folder, snapshot, name)}' AS ${alias} (READ_ONLY)`)
    aliases.push(`${alias}.main`)
  }
  await connection.run(`SET search_path = '${aliases.join(',')}'`)
}

/** The middle of some measurements. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

/** Milliseconds that a piece of work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
