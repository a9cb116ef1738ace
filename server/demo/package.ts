import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../snapshots/make-folder.js'
import { countrySheets } from './countries.js'
import { type Sheet, toCsv } from './csv.js'
import { factorSheets } from './factors.js'
import { gridsOf } from './grid.js'
import { indicatorSheets } from './indicators.js'
import { natureSheets } from './nature.js'
import { drawProjects } from './projects.js'
import { ratingSheets } from './ratings.js'
import { README } from './readme.js'
import { riskSheets } from './risks.js'
import { sectorSheets } from './sectors.js'
import { sourceSheets } from './sources.js'

/** The file that is written last: a package without it is incomplete. */
export const LAST_FILE = 'README.txt'

/**
 * Writes the made-up package into `folder`, which is created if missing; replaces files of the same names. The bytes
 * are the same on every run. Throws between two files when `signal` is aborted.
 */
export async function writeMadeUpPackage(folder: string, signal?: AbortSignal): Promise<void> {
  await makeFolder(folder)
  for (const sheet of allSheets()) {
    signal?.throwIfAborted()
    await writeFile(join(folder, `${sheet.name}.csv`), toCsv(sheet))
  }
  await writeFile(join(folder, LAST_FILE), README)
}

function allSheets(): Sheet[] {
  const projects = drawProjects()
  return [
    ...projects.sheets,
    ...sectorSheets(),
    ...factorSheets(),
    ...indicatorSheets(),
    ...natureSheets(),
    ...countrySheets(gridsOf(projects.activities)),
    ...ratingSheets(),
    ...riskSheets(projects.exclusions),
    ...sourceSheets(),
  ]
}
