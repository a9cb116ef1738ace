import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { UsagePort, UsageRecord } from 'foldgate'
import {
  type Check,
  type ContractOptions,
  contract,
  must,
  type Subject,
  shown,
  together,
} from './contract.js'

/** The usage recorded for one key. */
export interface KeyUsage {
  /** Number of calls and downloads. */
  records: number
  /** Sum of their rows. */
  rows: number
  /** Sum of their bytes. */
  bytes: number
}

/** A usage port to check, with nothing recorded. */
export interface UsageSubject extends Subject<UsagePort> {
  /** Ids of two keys. */
  keyIds: readonly [string, string]
  /** Returns the usage recorded for a key, after all pending writes. */
  read(keyId: string): Promise<KeyUsage> | KeyUsage
}

/**
 * Returns the checks that a `UsagePort` must pass. Each check makes its own subject with `makeSubject` when it runs.
 *
 * @param makeSubject - Makes a port with nothing recorded, the `keyIds` of two keys, and `read()`, which returns what
 * was recorded for one after all pending writes. It may have `close()`, which the check calls at its end.
 * @param options - How long a call may take before it counts as hanging: `patienceMs`, default 10,000 ms.
 * @returns The checks, to be registered with a test runner. `run` rejects with an error that says what the subject did
 * and what it should do.
 *
 * @example
 * ```ts
 * const checks = usagePortContract(() => {
 *   const database = new Database()
 *   return { port: database.usage, keyIds: ['one', 'another'], read: keyId => database.usageOf(keyId) }
 * })
 * for (const { name, run } of checks) it(name, run)
 * ```
 */
export function usagePortContract(
  makeSubject: () => UsageSubject | Promise<UsageSubject>,
  options: ContractOptions = {},
): Check[] {
  return contract(makeSubject, CHECKS, options)
}

/** Noon of a day. */
const AT = Date.UTC(2026, 0, 15, 12)

function call(keyId: string, more: Partial<UsageRecord> = {}): UsageRecord {
  return {
    callId: randomUUID(),
    keyId,
    ownerId: 'owner',
    method: 'projects/query',
    organization: null,
    projectId: null,
    snapshotId: null,
    relations: [],
    outcome: 'OK',
    durationMs: 4,
    phasesMs: { query: 3 },
    processorMs: 0,
    rows: 3,
    bytes: 50,
    at: AT,
    ...more,
  }
}

async function mustHold({ read }: UsageSubject, keyId: string, expected: KeyUsage): Promise<void> {
  const found = await read(keyId)
  must(isDeepStrictEqual(found, expected), `${shown(found)} was recorded`, `be ${shown(expected)}`)
}

const CHECKS = {
  async 'counts every call and download'(subject: UsageSubject) {
    const [keyId] = subject.keyIds
    await subject.port.record(call(keyId))
    await subject.port.record(call(keyId)) // an equal record is another call
    await subject.port.record(call(keyId, { outcome: 'INVALID_QUERY', rows: 0, bytes: 0 }))
    await subject.port.record(
      call(keyId, { method: 'unknown', outcome: 'METHOD_NOT_FOUND', rows: 0, bytes: 0 }),
    )
    await subject.port.record(call(keyId, { method: 'download', rows: 0, bytes: 2 ** 40 }))
    await mustHold(subject, keyId, { records: 5, rows: 6, bytes: 100 + 2 ** 40 })
  },

  async 'counts each key for itself'(subject: UsageSubject) {
    const [first, second] = subject.keyIds
    await subject.port.record(call(first))
    await mustHold(subject, second, { records: 0, rows: 0, bytes: 0 })
    await mustHold(subject, first, { records: 1, rows: 3, bytes: 50 })
  },

  async 'counts calls of more than one day, in whatever order they end'(subject: UsageSubject) {
    const [keyId] = subject.keyIds
    for (const days of [1, 0, 2, 1]) await subject.port.record(call(keyId, { at: AT + days * 86_400_000 }))
    await mustHold(subject, keyId, { records: 4, rows: 12, bytes: 200 })
  },

  async 'loses none of many at once'(subject: UsageSubject) {
    const [first, second] = subject.keyIds
    await together(
      Array.from({ length: 100 }, async (_, at) => subject.port.record(call(at % 4 === 0 ? first : second))),
    )
    await mustHold(subject, first, { records: 25, rows: 75, bytes: 1250 })
    await mustHold(subject, second, { records: 75, rows: 225, bytes: 3750 })
  },
}
