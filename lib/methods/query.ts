import { randomUUID } from 'node:crypto'
import { queryDigest, readRowCursor, signRowCursor } from '../call/cursor.js'
import { JsonList } from '../call/json-parts.js'
import { DEFAULT_PAGE_LIMIT, pageOf } from '../call/page-params.js'
import { queryParamsSchema } from '../call/params.js'
import { rowListFields, rowSchema } from '../model.js'
import type { Words } from '../words.js'
import { defineMethod } from './method.js'
import { exampleStatement, notFound, readyStatement, running } from './statement.js'

export const queryProject = (words: Words) =>
  defineMethod({
    name: 'projects/query',
    summary: 'Run one SELECT and read its rows',
    description:
      'Runs one SELECT over the latest sealed snapshot and returns a page of its rows as JSON objects. Order the rows ' +
      'by something unique; otherwise a row can move from one page to another.',
    stability: 'experimental',
    scope: 'projectAnalytics',
    params: queryParamsSchema(words),
    paramsOptional: false,
    errors: [...notFound(words), 'NOT_READY', 'INVALID_QUERY', 'QUERY_TIMEOUT', 'QUERY_TOO_LARGE'],
    limits: ['queryTimeoutMs', 'buildTimeoutMs', 'connectionWaitMs', 'pageBytes', 'rowBytes'],
    hasRows: true,
    result: pageOf('RowList', 'A page of rows, in the order of the query.', rowSchema, rowListFields),
    example: {
      params: { ...exampleStatement(words), page: { limit: 100 } },
      result: { items: words.sample.items },
    },
    async run(params, context) {
      const { limits, signer } = context
      const { checked, engine, point, results } = await readyStatement(context, params)
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
        cursor == null ? { offset: 0 } : readRowCursor(signer, cursor, { snapshotId, query }, words)
      const limit = params.page?.limit ?? DEFAULT_PAGE_LIMIT
      const { pageBytes } = limits
      // A run that is gone must fail, and the next one has other rows.
      if (run === undefined && context.has({ snapshot, engine, query, offset, limit, pageBytes }))
        return { result: {}, rows: 0, bytes: 0, snapshot }
      const request = { key: [snapshotId, query, run].join(' '), point, checked, offset, limit, pageBytes }
      const producing =
        run === undefined ? results.page(request, context) : results.pageOfRun(request, context)
      const page = await running(params.sql, limits.queryTimeoutMs, producing)
      const items = new JsonList(page.json)
      const next = { snapshotId, query, offset: offset + page.rows, run }
      const more = page.more ? { nextCursor: signRowCursor(signer, next) } : {}
      return {
        result: { items, ...more },
        rows: page.rows,
        bytes: page.json.byteLength,
        columns: page.columns,
        snapshot,
      }
    },
  })
