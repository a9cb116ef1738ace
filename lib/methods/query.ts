import { hash, randomUUID } from 'node:crypto'
import { queryDigest, readRowCursor, signRowCursor } from '../call/cursor.js'
import { JsonList } from '../call/json.js'
import { LIBRARY_VERSION } from '../call/paths.js'
import { named, object } from '../call/schema.js'
import type { Engine } from '../engine/port.js'
import type { Snapshot } from '../snapshots/manifest.js'
import { rowsAsCsv } from '../values/rows-as-csv.js'
import { type CallContext, defineMethod } from './method.js'
import { DEFAULT_PAGE_LIMIT, pageField, pageOf } from './page.js'
import { EXAMPLE_STATEMENT, type ReadyStatement, readyStatement, running, statementFields } from './statement.js'

const row = {
  title: 'Row',
  type: 'object',
  description: 'A row, keyed by column name. A value that a JSON number cannot represent exactly is a string.',
  additionalProperties: true,
}

export const queryProject = defineMethod({
  name: 'projects/query',
  summary: 'Run one SELECT and read its rows',
  description:
    'Runs one SELECT over the latest sealed snapshot and returns a page of its rows as JSON objects. Order the rows ' +
    'by something unique; otherwise a row can move from one page to another.',
  stability: 'experimental',
  scope: 'projectAnalytics',
  params: named(
    'ProjectQueryParams',
    object({ ...statementFields, page: pageField }, 'A query, its point of view, and the page of its rows to return.'),
  ),
  paramsOptional: false,
  errors: ['NOT_FOUND', 'NOT_READY', 'INVALID_QUERY', 'QUERY_TIMEOUT', 'QUERY_TOO_LARGE'],
  limits: ['queryTimeoutMs', 'buildTimeoutMs', 'connectionWaitMs', 'pageBytes', 'rowBytes'],
  hasRows: true,
  result: pageOf('RowList', 'A page of rows, in the order of the query.', row),
  example: {
    params: { ...EXAMPLE_STATEMENT, page: { limit: 100 } },
    result: {
      items: [
        { region: 'south', net: 40 },
        { region: 'north', net: 12.5 },
      ],
    },
  },
  async run(params, context) {
    const { limits, signer } = context
    const ready = await readyStatement(context, params)
    const { checked, point, results } = ready
    const { snapshot } = point
    const { snapshotId } = snapshot
    const query = queryDigest({
      projectId: params.projectId,
      sql: params.sql,
      entityId: params.entityId ?? null,
      ownershipView: params.ownershipView ?? 'net',
    })
    const cursor = params.page?.cursor
    const { offset, run = checked.volatile ? randomUUID() : undefined } =
      cursor == null ? { offset: 0 } : readRowCursor(signer, cursor, { snapshotId, query })
    const limit = params.page?.limit ?? DEFAULT_PAGE_LIMIT
    const pageBytes = Math.min(limits.pageBytes, context.pageBytes ?? limits.pageBytes)
    // Rows that differ from run to run have no tag: a run that is gone must fail, and the next one has other rows.
    const tag =
      context.has && run === undefined
        ? pageTag(context, ready, [query, offset, limit, pageBytes, context.csv])
        : undefined
    if (tag !== undefined && context.has?.(tag)) return { result: {}, rows: 0, bytes: 0, snapshot, tag, isKnown: true }
    const request = { key: [snapshotId, query, run].join(' '), point, checked, offset, limit, pageBytes }
    const producing = run === undefined ? results.page(request, context) : results.pageOfRun(request, context)
    const page = await running(params.sql, limits.queryTimeoutMs, producing)
    const items = new JsonList(page.json)
    const next = { snapshotId, query, offset: offset + page.rows, run }
    const more = page.more ? { nextCursor: signRowCursor(signer, next) } : {}
    const result = { items, ...more }
    const startedAt = performance.now()
    const csv = context.csv ? rowsAsCsv(page.json, page.columns) : undefined
    if (csv) context.phases.add('encode', performance.now() - startedAt)
    return { result, rows: page.rows, bytes: page.json.byteLength, columns: page.columns, csv, snapshot, tag }
  },
})

/**
 * Digest of everything that a page depends on: the rows of the snapshot, the code that writes them, and the range. No
 * caller can make one up: a digest that only this service can make goes into it.
 */
function pageTag(context: CallContext, { engine, point }: ReadyStatement, range: unknown[]): string {
  const content = [contentOf(context, engine, point.snapshot), engine.version, ...range].join(' ')
  return hash('sha256', content, 'base64url').slice(0, TAG_LENGTH)
}

const TAG_LENGTH = 24

/** By engine and snapshot, each of which belongs to one service: computed each time, a page takes a third longer. */
const contents = new WeakMap<Engine, WeakMap<Snapshot, string>>()

/** Signed digest of a snapshot: of its id, its files, the relations that the catalogue makes of them, and this code. */
function contentOf({ signer }: CallContext, engine: Engine, snapshot: Snapshot): string {
  const ofEngine = contents.get(engine) ?? new WeakMap<Snapshot, string>()
  contents.set(engine, ofEngine)
  const known = ofEngine.get(snapshot)
  if (known !== undefined) return known
  const content = signer.digest('page', [LIBRARY_VERSION, snapshot.snapshotId, engine.digests(snapshot)])
  ofEngine.set(snapshot, content)
  return content
}
