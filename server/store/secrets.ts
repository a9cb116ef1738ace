import { randomBytes, randomUUID } from 'node:crypto'
import type { Store } from '../database/store.js'

const SECRET_BYTES = 48

/** Returns the secrets that sign cursors and links, newest first. Creates one when there is none. */
export async function signingSecrets(store: Store): Promise<string[]> {
  return store.transaction(async within => {
    const rows = await within.db.selectFrom('secrets').select('value').orderBy('created_at', 'desc').execute()
    if (rows.length > 0) return rows.map(row => row.value)
    const value = randomBytes(SECRET_BYTES).toString('base64url')
    await within.db.insertInto('secrets').values({ id: randomUUID(), value, created_at: store.clock.now() }).execute()
    return [value]
  })
}
