import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type AnalyticsApi, directorySnapshots } from 'foldgate'
import catalogue from '#assessed/catalogue.js'
import { type OpenOptions, openApi } from './open.js'
import { type PackagedProject, packageFolder, projectsOf, sealProjects } from './packages.js'

export { AUTHORIZATION } from './open.js'

/** An API over one large assessed project, as the reference server would run it. */
export interface AssessedProject {
  projectId: string
  name: string
  folder: string
  /** Starts an API on the same folders; the caller closes it. By default with the catalogue of the reference server. */
  open(
    options?: Partial<Pick<OpenOptions, 'catalogue'>> & Pick<OpenOptions, 'engine' | 'limits' | 'onEvent' | 'library'>,
  ): Promise<AnalyticsApi>
  remove(): Promise<void>
}

/** Seals the largest project available: `world` of the real data, or else that of the generated package. */
export async function largestProject(): Promise<AssessedProject> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-bench-'))
  const source = await packageFolder(folder)
  const largest = (await projectsOf(source)).at(-1) as PackagedProject
  const { key, projectId } = largest
  const snapshots = directorySnapshots(join(folder, 'snapshots'))
  await sealProjects(source, [largest], snapshots, join(folder, 'scratch'))
  const projects = [{ projectId, name: key }]
  return {
    projectId,
    name: key,
    folder,
    open: options => openApi(folder, { catalogue, snapshots, projects, ...options }),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Attaches the relations in a project's cache folder, so that they resolve by name; returns the aliases. */
export async function attachBuilt(connection: DuckDBConnection, folder: string): Promise<string[]> {
  const aliases: string[] = []
  for (const name of (await readdir(folder)).filter(file => file.endsWith('.duckdb'))) {
    const alias = name.replace('.duckdb', '')
    await connection.run(`ATTACH '${join(folder, name)}' AS ${alias} (READ_ONLY)`)
    aliases.push(alias)
  }
  await connection.run(`SET search_path = '${aliases.map(alias => `${alias}.main`).join(',')}'`)
  return aliases
}

/** The median of some measurements. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

/** Measures a piece of work in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
