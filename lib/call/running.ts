import { AnalyticsError } from '../errors.js'
import type { Phase, Phases } from '../flow/work.js'
import type { Caller } from '../ports.js'
import { checkOptions } from '../values/known-options.js'

/** What a call asked for, as far as its params could be read, and what it reads. */
export interface AskedCall {
  /** Its name as events have it: `unknown` until it is read. */
  method: string
  projectId: string | null
  /** Known once the project was found and the key may read it. */
  organization: string | null
  /** The snapshot that it reads. */
  snapshotId: string | null
  /** The relations that its statement reads. */
  relations: readonly string[]
  /** The file that it exports or downloads. */
  exportId?: string
  /** The statement of the caller. */
  sql?: string
}

/** A call that asked for nothing yet. */
export function askedNothing(method = 'unknown'): AskedCall {
  return { method, projectId: null, organization: null, snapshotId: null, relations: [] }
}

/** A call that runs. */
export interface RunningCall {
  /** Id of the call, as its event and its usage have it. */
  callId: string
  /** Name of the method, as in the event of the call. */
  method: string
  /** Id of the key. */
  keyId: string
  /** Id of the owner of the key. */
  ownerId: string
  /** Key of the organization that owns the project; null until the project is found. */
  organization: string | null
  /** Id of the project; null until the params are read, and when they name none. */
  projectId: string | null
  /** Id of the snapshot that it reads; null until that is known. */
  snapshotId: string | null
  /** The relations that its statement reads, as far as they are known. */
  relations: readonly string[]
  /** When it began, as an RFC 3339 timestamp in UTC. */
  since: string
  /** How long it has run, in milliseconds. */
  runningMs: number
  /** What it does; null between two phases. */
  phase: Phase | null
  /** Milliseconds that it has spent, by phase, without the one that it is in. */
  phasesMs: Partial<Record<Phase, number>>
  /** Processor time that its statement has taken so far, in milliseconds. */
  processorMs: number
  /** Id of the engine process that runs its statement; null while none does. */
  pid: number | null
  /** Rows that were written to a file for it; null where that is not told, as for Parquet and Arrow. */
  rows: number | null
  /** Bytes of the file that is written for it. */
  bytes: number
}

/** The members of calls that are meant: a call matches when it has the value of each member that is given. */
export interface CallFilter {
  /** Id of the call. */
  callId?: string
  /** Id of the key. */
  keyId?: string
  /** Id of the owner of the key. */
  ownerId?: string
  /** Key of the organization that owns the project. */
  organization?: string
  /** Id of the project. */
  projectId?: string
}

/** A call that was admitted. */
interface AdmittedCall {
  callId: string
  /** `performance.now()` of its beginning. */
  startedAt: number
  caller: Caller | null
  asked: AskedCall
  phases: Phases
}

/** A running call as it is told. */
export function toldOf(session: AdmittedCall, now: { at: number; since: number }): RunningCall {
  const { callId, asked, caller, phases } = session
  const { method, organization, projectId, snapshotId, relations } = asked
  const runningMs = now.since - session.startedAt
  const { current, process } = phases.shared ?? phases
  const { pid = null, rows = null, bytes = 0 } = process?.made() ?? {}
  return {
    callId,
    method,
    keyId: caller?.keyId ?? '',
    ownerId: caller?.ownerId ?? '',
    organization,
    projectId,
    snapshotId,
    relations,
    since: new Date(now.at - runningMs).toISOString(),
    runningMs,
    phase: current,
    phasesMs: { ...phases.spentMs },
    processorMs: (phases.shared ?? phases).processorMs,
    pid,
    rows,
    bytes,
  }
}

/** Whether a filter means a call. */
export function matches({ callId, asked, caller }: AdmittedCall, filter: CallFilter): boolean {
  const told: CallFilter = {
    callId,
    ...(caller ? { keyId: caller.keyId, ownerId: caller.ownerId } : {}),
    ...(asked.organization === null ? {} : { organization: asked.organization }),
    ...(asked.projectId === null ? {} : { projectId: asked.projectId }),
  }
  return Object.entries(filter).every(
    ([name, value]) => value === undefined || told[name as keyof CallFilter] === value,
  )
}

const FILTER = { callId: true, keyId: true, ownerId: true, organization: true, projectId: true }

/** Throws a TypeError unless a filter names what it means. */
export function checkFilter(filter: CallFilter): void {
  checkOptions('cancel', filter, FILTER)
  if (Object.values(filter).every(value => value === undefined))
    throw new TypeError(`cancel: name the calls by one of ${Object.keys(FILTER).join(', ')}`)
}

/** What a call that was ended answers. */
export function cancelledCall(isRevoked: boolean): AnalyticsError {
  return isRevoked
    ? new AnalyticsError('UNAUTHENTICATED', 'The API key was revoked or has expired while the call ran.')
    : new AnalyticsError('UNAVAILABLE', 'The operator of the service has ended the call.')
}
