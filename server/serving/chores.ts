import type { Store } from '../database/store.js'
import type { ServerConfig } from '../settings/config.js'
import type { Chore } from '../store/chores.js'
import { forgetKeys } from '../store/ended-keys.js'
import { forgetWindows } from '../store/quota-windows.js'
import { retainUsage } from '../store/usage-retention.js'

/** What a server does every hour: it removes what is no longer needed, since nothing may grow for ever. */
export function choresOf(
  store: Store,
  { quota, usageDays: days, usageMonths: months }: Pick<ServerConfig, 'quota' | 'usageDays' | 'usageMonths'>,
): Chore[] {
  return [
    { what: 'removing keys that have ended', run: signal => forgetKeys(store, signal) },
    { what: 'adding up usage by month', run: signal => retainUsage(store, { days, months }, signal) },
    { what: 'removing quota windows', run: signal => forgetWindows(store, quota.windowMs, signal) },
  ]
}
