import { recordEvent } from '../database/events.js'
import type { Store } from '../database/store.js'
import { type WriteBehind, writeBehind } from '../database/write-behind.js'
import type { Report } from '../operation/log.js'
import { currentTag } from '../operation/requests.js'

interface FirstUse {
  keyId: string
  at: number
  from: string | null
}

/** Records in the audit when keys are used for the first time, from where, for which no call waits. */
export class FirstUses {
  readonly #store: Store
  readonly #rows: WriteBehind<FirstUse>

  constructor(store: Store, report: Report) {
    this.#store = store
    this.#rows = writeBehind<FirstUse>(store, {
      what: 'first uses of keys',
      merge: older => older,
      write: async (db, uses) => {
        await store.dialect.lockOutWriters(db) // as for every record, so that their ids grow as they are committed
        for (const { keyId, at, from } of uses) {
          const used = await db
            .updateTable('keys')
            .set({ first_used_at: at })
            .where('id', '=', keyId)
            .where('first_used_at', 'is', null)
            .returning('user_id')
            .executeTakeFirst()
          if (!used) continue // another server was faster
          const event = {
            type: 'key.used',
            subject: keyId,
            at,
            concerns: { userId: used.user_id },
            data: { keyId },
          }
          await recordEvent(db, event, { who: `key:${keyId}`, from })
        }
      },
      report,
    })
  }

  /** Notes a use of a key that was not used before, as far as the caller knows. */
  note(keyId: string): void {
    this.#rows.put(keyId, { keyId, at: this.#store.clock.now(), from: currentTag()?.client ?? null })
  }

  /** Records the uses that were noted. */
  close(): Promise<void> {
    return this.#rows.close()
  }
}
