import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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

/**
 * Writes the made-up package into `folder`, which is created where it is missing; files of the same names are replaced.
 * The bytes are the same on every run. `onProgress` counts files.
 */
export async function writeMadeUpPackage(
  folder: string,
  onProgress?: (done: number, total: number) => void,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const sheets = allSheets()
  const total = sheets.length + 1
  let done = 0
  const write = async (name: string, text: string) => {
    await writeFile(join(folder, name), text)
    onProgress?.(++done, total)
  }
  await write('README.txt', README)
  for (const sheet of sheets) await write(`${sheet.name}.csv`, toCsv(sheet))
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
