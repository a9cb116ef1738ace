import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { DirectorySnapshots } from 'foldgate'
import { fromFolder, openSealer } from 'foldgate/sealing'
import catalogue from '#assessed/catalogue.js'
import { writeMadeUpPackage } from '#assessed/made-up/package.js'

/** A project of a package. */
export interface PackagedProject {
  key: string
  projectId: string
  sites: number
}

/** Folder of the real data if available, or else of a generated package, which is written below `folder`. */
export async function packageFolder(folder: string): Promise<string> {
  const real = resolve(process.env.FOLDGATE_TEST_DATA ?? '../shared/data')
  if (existsSync(join(real, 'projects.csv'))) return real
  const madeUp = join(folder, 'package')
  await writeMadeUpPackage(madeUp)
  return madeUp
}

/** Lists the projects of a package, smallest first. */
export async function projectsOf(source: string): Promise<PackagedProject[]> {
  const rows = async (table: string) =>
    (await readFile(join(source, `${table}.csv`), 'utf8')).split(/\r?\n/).slice(1).filter(Boolean)
  const sites = new Map<string, number>()
  for (const row of await rows('sites')) {
    const key = row.slice(0, row.indexOf(','))
    sites.set(key, (sites.get(key) ?? 0) + 1)
  }
  const projects = (await rows('projects')).map(row => {
    const [key = '', projectId = ''] = row.split(',')
    return { key, projectId, sites: sites.get(key) ?? 0 }
  })
  return projects.sort((a, b) => a.sites - b.sites)
}

/** Seals projects of a package. */
export async function sealProjects(
  source: string,
  projects: readonly Pick<PackagedProject, 'key' | 'projectId'>[],
  snapshots: DirectorySnapshots,
  scratch: string,
  signal?: AbortSignal,
): Promise<void> {
  const sealer = await openSealer({ catalogue, snapshots, folder: scratch })
  try {
    const { failed } = await sealer.sealMany({
      tables: fromFolder(source),
      by: 'project_key',
      shared: 'where-missing',
      assessmentId: () => 'bench',
      projects: new Map(projects.map(({ key, projectId }) => [key, projectId])),
      ...(signal ? { signal } : {}),
    })
    for (const { error } of failed) throw error
  } finally {
    await sealer.close()
  }
}
