import { randomUUID } from 'node:crypto'
import { readRowCursor, signRowCursor } from '../call/cursor.js'
import { JsonList } from '../call/json-parts.js'
import { DEFAULT_PAGE_LIMIT, pageOf } from '../call/page-params.js'
import { type QueryParams, queryParamsSchema } from '../call/params.js'
import { type RowPage, rowListFields, rowSchema, type Warning } from '../model.js'
import type { Words } from '../words.js'
import { hintsIn } from './hints.js'
import { type CallContext, defineMethod, type MethodOutcome } from './method.js'
import { exampleStatement, notFound, type ReadyStatement, readyStatement, running } from './statement.js'

export const queryProject = (words: Words) =>
  defineMethod({
    name: 'projects/query',
    summary: 'Run one SELECT and read its rows',
    description:
      'Runs one SELECT over the latest sealed snapshot, or the one that snapshot names, and returns a page of its rows as ' +
      'JSON objects. Order the rows by something unique; otherwise a row can move from one page to another.',
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
      const { caller, limits, signer } = context
      const ready = await readyStatement(context, params)
      if (params.dryRun) return dryRun(params, context, ready)
      const { statement, engine, facts, pinned, point, query, results } = ready
      const { snapshot } = point
      const { snapshotId } = snapshot
      const { ownerId } = caller
      const cursor = params.page?.cursor
      const [hasValues, isPinned] = [statement.values !== undefined, pinned !== undefined]
      const expected = { snapshotId, query, ownerId, hasValues, isPinned }
      const limit = params.page?.limit ?? DEFAULT_PAGE_LIMIT
      const begin = { offset: 0, first: limit, run: undefined }
      const at = cursor == null ? begin : readRowCursor(signer, cursor, expected, words)
      const { offset, first, run = statement.volatile ? randomUUID() : undefined } = at
      const { pageBytes } = limits
      const include = new Set(params.include)
      // A total that is counted again may differ. A run that is gone must fail, and the next one has other rows.
      const isKept = run === undefined && !include.has('total') && !include.has('hints')
      const part = [query, first, ...(include.has('columns') ? ['columns'] : [])].join(' ')
      if (isKept && context.has({ snapshot, engine, query: part, offset, limit, pageBytes }))
        return { result: {}, rows: 0, bytes: 0, snapshot }
      const key = run === undefined ? ready.key : `${ready.key} ${run}`
      const request = { key, first, point, statement, offset, limit, pageBytes }
      const producing =
        run === undefined ? results.page(request, context) : results.pageOfRun(request, context)
      const inTime = <Value>(job: Promise<Value>) => running(params, limits.queryTimeoutMs, job, pinned)
      const page = await inTime(producing)
      const items = new JsonList(page.json)
      const next = { snapshotId, query, ownerId, offset: offset + page.rows, first, run }
      const more = page.more ? { nextCursor: signRowCursor(signer, next) } : {}
      const columns = include.has('columns') ? { columns: await inTime(facts.columns(request, context)) } : {}
      const stored = run === undefined ? undefined : results.rowsOfRun(request)
      const count = async () => stored ?? facts.total(request, page, context)
      const total = include.has('total') ? await inTime(count()) : undefined
      const hints = await hintsIn(params, context, ready)
      const warnings = include.has('total') && total === undefined ? { warnings: [UNCOUNTED] } : {}
      return {
        result: { ...hints, items, ...more, ...columns, ...(total === undefined ? {} : { total }) },
        rows: page.rows,
        bytes: page.json.byteLength,
        columns: page.columns,
        snapshot,
        ...warnings,
      }
    },
  })

const UNCOUNTED: Warning = {
  path: 'include',
  message: 'The rows could not be counted within the time limit of a query, so that total is absent.',
}

/** What a statement would return, without rows. */
async function dryRun(
  params: QueryParams,
  context: CallContext,
  ready: ReadyStatement,
): Promise<MethodOutcome<RowPage>> {
  const { statement, engine, pinned, point } = ready
  const timed = { ...context, timeoutMs: context.limits.queryTimeoutMs }
  const bound = await running(params, timed.timeoutMs, engine.bind(point, statement, timed), pinned)
  const hints = await hintsIn(params, context, ready)
  return { result: { ...hints, items: [], ...bound }, rows: 0, bytes: 0, snapshot: point.snapshot }
}
