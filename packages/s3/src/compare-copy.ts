import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ifMissing, MANIFEST_FILE, readManifestText } from 'foldgate/internal'
import type { Listing } from './download-snapshot.js'

/** Whether a copy has the manifest, the entity ids and, by their sizes, no other files than are stored. */
export async function isCopyOf(folder: string, listing: Listing): Promise<boolean> {
  const own = await readManifestText(folder)
    .then(JSON.parse)
    .catch(() => null)
  if (!isDeepStrictEqual(own, listing.manifest)) return false
  const names = (await readdir(folder)).filter(name => name !== MANIFEST_FILE)
  const sizes = await sizesIn(folder, names)
  return listing.always.every(name => sizes.has(name)) && !hasOthers(sizes, listing)
}

/** The sizes of those of these files that a folder has. */
export async function sizesIn(folder: string, names: readonly string[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  const look = async (name: string) => {
    const found = await stat(join(folder, name)).catch(ifMissing(null))
    if (found) sizes.set(name, found.size)
  }
  await Promise.all(names.map(look))
  return sizes
}

/** Whether a file is none of the stored ones, or has another size. */
export function hasOthers(sizes: ReadonlyMap<string, number>, { files }: Listing): boolean {
  return [...sizes].some(([name, bytes]) => files.get(name)?.bytes !== bytes)
}
