import { firstAnswers } from './build/first.js'
import { buildsOnce } from './build/once.js'
import type { Figure } from './run.js'

/** Checks that relations are built once, and measures first answers. */
export async function run(): Promise<Figure[]> {
  return [...(await buildsOnce()), ...(await firstAnswers())]
}
