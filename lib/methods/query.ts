import { randomUUID } from 'node:crypto'
import { queryDigest, readRowCursor, signRowCursor } from '../cursor.js'
import { JsonList } from '../json.js'
import { named, object } from '../schema.js'
import { defineMethod } from './method.js'
import { DEFAULT_PAGE_LIMIT, pageField, pageOf } from './page.js'
import { EXAMPLE_STATEMENT, readyStatement, running, statementFields } from './statement.js'

const row = {
  title: 'Row',
  type: 'object',
  description:
    'A row: its keys are the names of the columns. A value that a JSON number cannot hold exactly is a string.',
  additionalProperties: true,
}

export const queryProject = defineMethod({
  name: 'projects/query',
  summary: 'Run one SELECT and read its rows',
  description:
    'Runs one SELECT over the latest sealed snapshot and answers a page of its rows as JSON objects. Order the rows ' +
    'by something unique, or a row can move between two pages.',
  stability: 'experimental',
  scope: 'projectAnalytics',
  params: named(
    'ProjectQueryParams',
    object(
      { ...statementFields, page: pageField },
      'A query, where it looks from, and which page of its rows is wanted.',
    ),
  ),
  paramsOptional: false,
  errors: ['NOT_FOUND', 'NOT_READY', 'INVALID_QUERY', 'QUERY_TIMEOUT', 'QUERY_TOO_LARGE'],
  limits: ['queryTimeoutMs', 'buildTimeoutMs', 'connectionWaitMs', 'pageBytes', 'rowBytes'],
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
    const { limits, results, signer } = context
    const { checked, point } = await readyStatement(context, params)
    const { snapshotId } = point.snapshot
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
    const request = { key: [snapshotId, query, run].join(' '), point, checked, offset, limit }
    const producing = run === undefined ? results.page(request, context) : results.pageOfRun(request, context)
    const page = await running(params.sql, limits.queryTimeoutMs, producing)
    const items = new JsonList(page.json)
    const next = { snapshotId, query, offset: offset + page.rows, run }
    const more = page.more ? { nextCursor: signRowCursor(signer, next) } : {}
    return { result: { items, ...more }, rows: page.rows, bytes: page.json.byteLength }
  },
})
