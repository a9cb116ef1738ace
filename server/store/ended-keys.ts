import type { Store } from '../database/store.js'
import type { Report } from '../database/write-behind.js'
import { REMOVED_HASH } from './key-rows.js'

/** Keys that were revoked or have expired are kept this long. */
const KEPT_MS = 90 * 86_400_000
const FORGET_EVERY_MS = 3_600_000
const KEYS_PER_TRANSACTION = 200

/** Forgets ended keys now and every hour. `stop` waits for what is under way. */
export function keepForgettingKeys(store: Store, report: Report): { stop(): Promise<void> } {
  const forget = () => forgetKeys(store).catch(cause => report('removing keys that have ended', cause))
  let forgetting = forget()
  const timer = setInterval(() => {
    forgetting = forgetting.then(forget)
  }, FORGET_EVERY_MS)
  return {
    async stop() {
      clearInterval(timer)
      await forgetting
    },
  }
}

/**
 * Removes keys that were revoked or have expired more than 90 days ago. Of those that were used, the row
 * stays without hash and organizations, since it names their usage.
 */
export async function forgetKeys(store: Store): Promise<void> {
  while ((await forgetSome(store)) === KEYS_PER_TRANSACTION);
}

function forgetSome(store: Store): Promise<number> {
  const before = store.clock.now() - KEPT_MS
  return store.transaction(async ({ db }) => {
    const ended = await db
      .selectFrom('keys')
      .select('id')
      .where(is => is.or([is('revoked_at', '<=', before), is('expires_at', '<=', before)]))
      .where('hash', 'not like', `${REMOVED_HASH}%`)
      .limit(KEYS_PER_TRANSACTION)
      .execute()
    for (const { id } of ended) {
      await db.deleteFrom('key_organizations').where('key_id', '=', id).execute()
      await db.deleteFrom('call_windows').where('level', '=', 'key').where('id', '=', id).execute()
      await db.deleteFrom('quota_windows').where('key_id', '=', id).execute()
      const used = await db
        .selectFrom('usage')
        .select('key_id')
        .where('key_id', '=', id)
        .limit(1)
        .executeTakeFirst()
      if (used)
        await db
          .updateTable('keys')
          .set({ hash: `${REMOVED_HASH}${id}`, limits: null })
          .where('id', '=', id)
          .execute()
      else await db.deleteFrom('keys').where('id', '=', id).execute()
    }
    return ended.length
  })
}
