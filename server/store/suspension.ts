import type { Store } from '../database/store.js'
import { Refusal } from '../input/refusal.js'
import { requireUser, type User } from './users.js'
import { cancelDeliveries } from './webhooks.js'

/**
 * Suspends a user: their sessions end, they cannot log in, their keys are refused as revoked ones are, and what waits to
 * be sent to their webhooks is cancelled. Throws a Refusal when the user is unknown or suspended already.
 */
export async function suspendUser(store: Store, address: string): Promise<User> {
  return store.transaction(async within => {
    const { id, email, suspendedAt } = await requireUser(within, address)
    if (suspendedAt !== null) throw new Refusal(`${email} is suspended already: nothing to do`)
    const suspended = { user_id: id, suspended_at: within.clock.now() }
    await within.db.insertInto('suspended_users').values(suspended).execute()
    await within.db.deleteFrom('sessions').where('user_id', '=', id).execute()
    const webhooks = await within.db.selectFrom('webhooks').select('id').where('user_id', '=', id).execute()
    for (const webhook of webhooks) await cancelDeliveries(within, webhook.id, 'the owner is suspended')
    return requireUser(within, email)
  })
}

/** Ends the suspension of a user, whose keys are valid again. Throws a Refusal when the user is not suspended. */
export async function resumeUser(store: Store, address: string): Promise<User> {
  return store.transaction(async within => {
    const { id, email, suspendedAt } = await requireUser(within, address)
    if (suspendedAt === null) throw new Refusal(`${email} is not suspended: nothing to do`)
    await within.db.deleteFrom('suspended_users').where('user_id', '=', id).execute()
    return requireUser(within, email)
  })
}
