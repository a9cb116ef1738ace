import { randomUUID } from 'node:crypto'
import type { UsageRecord } from 'foldgate'

/** A call as a usage port is told of it. */
export function used(given: Partial<UsageRecord> & Pick<UsageRecord, 'keyId' | 'at'>): UsageRecord {
  return {
    callId: randomUUID(),
    ownerId: 'owner',
    method: 'projects/query',
    organization: 'north',
    projectId: null,
    snapshotId: null,
    relations: [],
    outcome: 'OK',
    rows: 10,
    bytes: 100,
    durationMs: 5,
    phasesMs: {},
    processorMs: 0,
    ...given,
  }
}
