import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeTables } from '../../examples/shop/tables.js'
import { readTables, type Tables } from '../check/shop/tables.js'

/** The shop as its example makes it: its files, and their rows. */
export interface Shop {
  files: Readonly<Record<string, string>>
  tables: Tables
}

/** Makes the rows of the shop. */
export async function readShop(): Promise<Shop> {
  const folder = mkdtempSync(join(tmpdir(), 'foldgate-test-'))
  try {
    writeTables({ folder })
    const files = readdirSync(folder).map(name => [name, readFileSync(join(folder, name), 'utf8')])
    return { files: Object.fromEntries(files), tables: await readTables(folder) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
