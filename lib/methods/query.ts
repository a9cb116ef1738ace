import { openRowCursor, queryDigest, sealRowCursor } from '../cursor.js'
import { JsonBytes } from '../json.js'
import { object } from '../schema.js'
import { DEFAULT_PAGE_LIMIT, pageField } from './list.js'
import { defineMethod } from './method.js'
import { readyStatement, running, statementFields } from './statement.js'

const OPEN = Buffer.from('[')
const CLOSE = Buffer.from(']')

export const queryProject = defineMethod({
  name: 'projects/query',
  summary: 'Run one SELECT and read its rows',
  description:
    'Runs one SELECT over the latest sealed snapshot and answers a page of its rows as JSON objects. Order the rows ' +
    'by something unique, or a row can move between two pages.',
  stability: 'experimental',
  params: object({ ...statementFields, page: pageField }, 'The query and its page.'),
  paramsOptional: false,
  errors: ['NOT_FOUND', 'NOT_READY', 'INVALID_QUERY', 'QUERY_TIMEOUT', 'QUERY_TOO_LARGE'],
  async run(params, context) {
    const { engine, limits, seal, signal } = context
    const { checked, point } = await readyStatement(context, params)
    const { snapshotId } = point.snapshot
    const query = queryDigest({
      projectId: params.projectId,
      sql: params.sql,
      entityId: params.entityId ?? null,
      ownershipView: params.ownershipView ?? 'net',
    })
    const cursor = params.page?.cursor
    const offset = cursor == null ? 0 : openRowCursor(seal, cursor, { snapshotId, query })
    const limit = params.page?.limit ?? DEFAULT_PAGE_LIMIT
    const page = await running(
      params.sql,
      limits.queryTimeoutMs,
      engine.rows(point, checked, { offset, limit }, signal),
    )
    const items = new JsonBytes(Buffer.concat([OPEN, page.json, CLOSE]))
    const next = page.more ? { nextCursor: sealRowCursor(seal, { snapshotId, query, offset: offset + page.rows }) } : {}
    return { result: { items, ...next }, rows: page.rows, bytes: page.json.byteLength }
  },
})
