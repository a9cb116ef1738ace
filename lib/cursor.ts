import { createHash } from 'node:crypto'
import { AnalyticsError } from './errors.js'
import type { OwnershipView } from './model.js'
import type { Signer } from './signer.js'

/** Where a query's next page starts, and of what. */
export interface RowCursor {
  snapshotId: string
  query: string
  offset: number
  /** Of a result that is not the same from run to run: the run that the first page belongs to. */
  run?: string | undefined
}

const LIST = 'cursor projects/list'
const QUERY = 'cursor projects/query'

/** The cursor of a list: the sequence of the last project that was shown. */
export function signListCursor(signer: Signer, sequence: number): string {
  return signer.sign(LIST, sequence)
}

export function readListCursor(signer: Signer, text: string): number {
  const sequence = signer.verify(LIST, text)
  if (typeof sequence !== 'number') throw invalidCursor('The cursor was not handed out by projects/list.')
  return sequence
}

/** The cursor of a query: it holds only for the same snapshot and the same query. */
export function signRowCursor(signer: Signer, cursor: RowCursor): string {
  const { snapshotId, query, offset, run } = cursor
  return signer.sign(QUERY, run === undefined ? [snapshotId, query, offset] : [snapshotId, query, offset, run])
}

/** The place that a cursor stands for; `expected` is what it must have been handed out for. */
export function readRowCursor(
  signer: Signer,
  text: string,
  expected: Pick<RowCursor, 'snapshotId' | 'query'>,
): Pick<RowCursor, 'offset' | 'run'> {
  const opened = signer.verify(QUERY, text)
  if (!Array.isArray(opened)) throw invalidCursor('The cursor was not handed out by projects/query.')
  const [snapshotId, query, offset, run] = opened as [string, string, number, string | undefined]
  if (query !== expected.query)
    throw invalidCursor(
      'The cursor belongs to another query: send the same projectId, sql, entityId and ownershipView.',
    )
  if (snapshotId !== expected.snapshotId)
    throw invalidCursor('A new assessment has replaced the snapshot of this cursor. Start again from the first page.')
  return { offset, run }
}

/** Said of a cursor whose rows cannot be computed again. */
export function lostRun(): AnalyticsError {
  return invalidCursor('The rows behind this cursor are not kept any more. Start again from the first page.')
}

/** Names a query: everything that its rows depend on, but for the snapshot. */
export function queryDigest(query: {
  projectId: string
  sql: string
  entityId: string | null
  ownershipView: OwnershipView
}): string {
  const { projectId, sql, entityId, ownershipView } = query
  const content = JSON.stringify([projectId, sql, entityId, ownershipView])
  return createHash('sha256').update(content).digest('base64url').slice(0, 27)
}

function invalidCursor(message: string): AnalyticsError {
  return new AnalyticsError('INVALID_PARAMS', message, { data: { path: 'page.cursor' } })
}
