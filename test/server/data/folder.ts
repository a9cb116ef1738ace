import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const BESIDE = fileURLToPath(new URL('../../../../shared/data', import.meta.url))
const FOLDER = process.env.FOLDGATE_TEST_DATA || BESIDE

/** Folder of the real data: FOLDGATE_TEST_DATA, else `../shared/data` beside the checkout; null when it is not there. */
export const realData: string | null = existsSync(join(FOLDER, 'projects.csv')) ? FOLDER : null

if (realData === null) {
  const where = process.env.FOLDGATE_TEST_DATA ? 'where FOLDGATE_TEST_DATA says' : 'at ../shared/data'
  console.log(`Left out: the figures of the real data, which are not ${where}; made-up projects are checked.`)
}
