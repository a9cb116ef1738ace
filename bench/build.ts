import { costOfBuilding } from './build/cost.js'
import { buildsOnce } from './build/once.js'
import type { Figure } from './run.js'

/** That relations are built once, and what building them costs. */
export async function run(): Promise<Figure[]> {
  return [...(await buildsOnce()), ...(await costOfBuilding())]
}
