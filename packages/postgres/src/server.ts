/**
 * What the reference server finds in this package: a driver of its store, and tables to seal.
 *
 * @module foldgate-postgres/server
 * @internal
 */

import type { StoreDriver, WithTables } from 'foldgate-server/parts'
import { connectPostgres, whyNotUsable } from './store/connections.js'
import { POSTGRES, withImportLock } from './store/dialect.js'
import { Notifications } from './store/notifications.js'
import { withPostgresTables } from './tables.js'

/** Keeps the store of servers in PostgreSQL. */
export const storeDriver: StoreDriver = {
  dialect: POSTGRES,
  connect(url, { isDurable, report }) {
    const db = connectPostgres<unknown>(url, { isDurable })
    return {
      db,
      changes: new Notifications(url, db, report),
      patiently(work) {
        const patient = connectPostgres<unknown>(url, { isPatient: true })
        return work(patient).finally(() => patient.destroy())
      },
      withImportLock: work => withImportLock(db, work),
    }
  },
  whyNotUsable,
}

export const withTables: WithTables = withPostgresTables
