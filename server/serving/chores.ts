import { waitForWork } from 'foldgate/internal'
import type { Store } from '../database/store.js'
import type { ServerConfig } from '../settings/config.js'
import type { Shared } from '../snapshots/shared.js'
import { forgetAudit } from '../store/audit.js'
import { type Chore, onceADay } from '../store/chores.js'
import { forgetKeys } from '../store/ended-keys.js'
import { forgetWindows } from '../store/quota-windows.js'
import { forgetRunning } from '../store/running.js'
import { retainUsage } from '../store/usage-retention.js'

/** What a server does every hour: it removes what is no longer needed, since nothing may grow for ever. */
export function choresOf(
  store: Store,
  shared: Pick<Shared, 'sweep'>,
  {
    quota,
    usageDays: days,
    usageMonths: months,
    auditDays,
  }: Pick<ServerConfig, 'quota' | 'usageDays' | 'usageMonths' | 'auditDays'>,
): Chore[] {
  const sweep = (signal: AbortSignal) =>
    // A server that stops does not wait for it; the next one begins anew.
    onceADay(store, 'sweep', () => waitForWork({ signal }, shared.sweep()))
  return [
    { what: 'removing keys that have ended', run: signal => forgetKeys(store, signal) },
    { what: 'adding up usage by month', run: signal => retainUsage(store, { days, months }, signal) },
    { what: 'removing old records of the audit', run: signal => forgetAudit(store, auditDays, signal) },
    { what: 'removing quota windows', run: signal => forgetWindows(store, quota.windowMs, signal) },
    { what: 'forgetting calls of servers that are gone', run: () => forgetRunning(store) },
    { what: 'removing the files of removed snapshots', run: sweep },
  ]
}
