import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalogue } from 'foldgate'
import { SHOP, shop } from '../service/shop.js'

let written = 0

/** Writes a catalogue as a module that imports nothing, as if another copy of the library had made it; returns its path. */
export async function writeCatalogue(folder: string, { relations, ...rest }: Catalogue = shop): Promise<string> {
  const path = join(folder, `written-${++written}.mjs`)
  const lines = [
    `const relations = new Map(${JSON.stringify([...relations])})`,
    `export default { ...${JSON.stringify(rest)}, relations }`,
  ]
  await writeFile(path, `${lines.join('\n')}\n`)
  return path
}

/** Writes the tables of a shop, with these in place of some. */
export async function writeShop(folder: string, tables: Readonly<Record<string, string>> = {}): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [name, text] of Object.entries({ ...SHOP, ...tables })) await writeFile(join(folder, name), text)
}
