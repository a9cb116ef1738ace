import { openSealer, type SnapshotStore } from 'foldgate/sealing'
import type { Pool } from 'pg'
import { catalogue } from './catalogue.js'
import type { RefreshEvent } from './events.js'
import type { RefreshLock } from './lock.js'
import { checkSchema, sourcesIn, TENANT } from './sources.js'
import type { Tenants } from './tenants.js'

/** Callers can read so many snapshots of each tenant: those of the last ten minutes, at intervals of five. */
const KEPT = 3

/** What a refresh reads and writes. */
export interface Refresh {
  pool: Pool
  lock: RefreshLock
  tenants: Tenants
  snapshots: SnapshotStore
  /** Folder for scratch files, which no other process uses. */
  scratch: string
  now(): number
  onRefresh(event: RefreshEvent): void
}

/**
 * Refreshes all tenants, unless another process does. Its outcome goes to `onRefresh`, also a failure: the promise
 * never rejects.
 */
export async function refresh(given: Refresh, signal: AbortSignal): Promise<void> {
  const { lock, tenants, now, onRefresh } = given
  const began = now()
  try {
    await tenants.load()
    const lost = await lock.take()
    if (!lost) return onRefresh({ type: 'standby' })
    onRefresh({ type: 'started' })
    const counts = await sealAll(given, AbortSignal.any([signal, lost]))
    onRefresh({ type: 'refreshed', durationMs: now() - began, ...counts })
  } catch (cause) {
    const durationMs = now() - began
    onRefresh(signal.aborted ? { type: 'stopped', durationMs } : { type: 'failed', durationMs, cause })
  }
}

/** Rejects when nothing could be read, or when it was aborted; what is wrong with single tenants is told. */
async function sealAll({ pool, tenants, snapshots, scratch, onRefresh }: Refresh, signal: AbortSignal) {
  await checkSchema(pool)
  const projects = new Map(tenants.all.map(({ key, projectId }) => [key, projectId]))
  const sealer = await openSealer({ catalogue, snapshots, folder: scratch })
  try {
    const tables = sourcesIn(pool)
    const { sealed, failed, empty, strays } = await sealer.sealMany({ tables, by: TENANT, projects, signal })
    for (const { projectId, error } of failed) onRefresh({ type: 'tenant-failed', projectId, cause: error })
    for (const { projectId } of empty) onRefresh({ type: 'tenant-empty', projectId })
    for (const stray of strays) onRefresh({ type: 'strays', ...stray })
    for (const { projectId } of sealed) await snapshots.prune(projectId, KEPT)
    const unchanged = sealed.filter(each => each.unchanged).length
    return { sealed: sealed.length - unchanged, unchanged, failed: failed.length, empty: empty.length }
  } finally {
    await sealer.close()
  }
}
