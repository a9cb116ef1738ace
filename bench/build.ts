import { costOfBuilding } from './build/cost.js'
import { buildsOnce } from './build/once.js'
import type { Figure } from './run.js'

/** Checks that relations are built once, and measures their builds. */
export async function run(): Promise<Figure[]> {
  return [...(await buildsOnce()), ...(await costOfBuilding())]
}
