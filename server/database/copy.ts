import { rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { sql } from 'kysely'
import { quoted } from '../input/names.js'
import { Refusal } from '../input/refusal.js'
import { EMBEDDED } from './dialect.js'
import type { Store } from './store.js'

/**
 * Copies a consistent state of the embedded store to a new file, while other processes use the store. Throws a Refusal
 * when the file exists or cannot be written, and when the store is in PostgreSQL.
 */
export async function copyStore(store: Store, file: string): Promise<void> {
  if (store.dialect !== EMBEDDED)
    throw new Refusal('The control store is in PostgreSQL: copy it with pg_dump, see docs/operate.md')
  if (await stat(file).catch(() => null)) throw new Refusal(`The file ${quoted(file)} is there already: name another`)
  const draft = `${resolve(file)}.draft`
  try {
    await rm(draft, { force: true })
    await sql`VACUUM INTO ${draft}`.execute(store.db)
    await rename(draft, file)
  } catch (cause) {
    await rm(draft, { force: true })
    throw new Refusal(`The file ${quoted(file)} cannot be written: name one in a folder that has room`, { cause })
  }
}
