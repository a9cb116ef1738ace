import type { Catalogue } from 'foldgate'
import { checkCatalogue } from 'foldgate/sealing'

/** What is wrong with a catalogue, one line each. A test of the host asserts that there is nothing. */
export async function mistakes(catalogue: Catalogue): Promise<string[]> {
  const problems = await checkCatalogue(catalogue, { onNote: note => console.log(note) })
  return problems.map(({ place, message }) => `${place}: ${message}`)
}
