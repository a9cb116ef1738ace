import { hash } from 'node:crypto'
import type { SeenRows } from '../catalogue/row-limits.js'
import { AnalyticsError } from '../errors.js'
import type { OwnershipView } from '../model.js'
import type { Words } from '../words.js'
import type { Signer } from './signer.js'

/** Where the next page of a query starts, and in which result. */
export interface RowCursor {
  snapshotId: string
  query: string
  /** Id of the owner of the key: keys of other owners do not read on. */
  ownerId: string
  offset: number
  /** Most rows of the first page. */
  first: number
  /** When the rows differ from run to run: the run that the first page came from. */
  run?: string | undefined
}

const LIST = 'cursor projects/list'
const QUERY = 'cursor projects/query'
const OTHER_SNAPSHOT =
  'The cursor belongs to another snapshot: send the "snapshot" of its first page, or start again from the first page.'

/** Signs the cursor of a list: the sequence of the last project on the page. */
export function signListCursor(signer: Signer, sequence: number): string {
  return signer.sign(LIST, sequence)
}

export function readListCursor(signer: Signer, text: string): number {
  const sequence = signer.verify(LIST, text)
  if (typeof sequence !== 'number') throw invalidCursor('The cursor was not handed out by projects/list.')
  return sequence
}

/** Signs the cursor of a query, which is valid only for the same snapshot and the same query. */
export function signRowCursor(signer: Signer, cursor: RowCursor): string {
  const { snapshotId, offset, first, run } = cursor
  const position = [snapshotId, ownQuery(cursor), offset, first]
  return signer.sign(QUERY, run === undefined ? position : [...position, run])
}

/**
 * Reads the cursor of a query. Throws INVALID_PARAMS unless it was signed for the `expected` snapshot and
 * query, in the words of the catalogue. `isPinned`: the caller has named the snapshot, so no other has replaced it.
 */
export function readRowCursor(
  signer: Signer,
  text: string,
  expected: Pick<RowCursor, 'snapshotId' | 'query' | 'ownerId'> & { hasValues: boolean; isPinned: boolean },
  words: Words,
): Pick<RowCursor, 'offset' | 'first' | 'run'> {
  const opened = signer.verify(QUERY, text)
  if (!Array.isArray(opened)) throw invalidCursor('The cursor was not handed out by projects/query.')
  const [snapshotId, query, offset, first, run] = opened as [
    string,
    string,
    number,
    number,
    string | undefined,
  ]
  if (query !== ownQuery(expected))
    throw invalidCursor(`${words.otherQuery}${expected.hasValues ? ' Send the same parameters, too.' : ''}`)
  if (snapshotId !== expected.snapshotId)
    throw invalidCursor(expected.isPinned ? OTHER_SNAPSHOT : words.replaced)
  return { offset, first, run }
}

/** Digest of a query of an owner. */
function ownQuery({ query, ownerId }: Pick<RowCursor, 'query' | 'ownerId'>): string {
  return hash('sha256', JSON.stringify([query, ownerId]), 'base64url').slice(0, 27)
}

/** The failure of a cursor whose rows are gone and cannot be computed again. */
export function lostRun(): AnalyticsError {
  return invalidCursor('The rows behind this cursor are not kept any more. Start again from the first page.')
}

/** Digest of everything that the rows of a query depend on, except the snapshot. */
export function queryDigest(query: {
  projectId: string
  sql: string
  entityId: string | null
  ownershipView: OwnershipView
  /** Its values, see `textOfParameters`; empty for none. */
  values: string
  /**
   * The only relations that it may read, since an engine may tell only when a statement runs that it reads others.
   * Default: all.
   */
  relations?: readonly string[] | undefined
  /** The rows that the caller sees. Default: all. */
  rows?: SeenRows | undefined
}): string {
  const { projectId, sql, entityId, ownershipView, values, relations, rows } = query
  const limited = relations ? [[...relations].sort()] : []
  const seen = rows ? [rows.digest] : []
  const more = values || relations || rows ? [values, ...limited, ...seen] : []
  const content = JSON.stringify([projectId, sql, entityId, ownershipView, ...more])
  return hash('sha256', content, 'base64url').slice(0, 27)
}

function invalidCursor(message: string): AnalyticsError {
  return new AnalyticsError('INVALID_PARAMS', message, { data: { path: 'page.cursor' } })
}
