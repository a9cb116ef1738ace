import type { CallToolResult } from '@modelcontextprotocol/server'
import type { CallerRequest } from '../call/admission.js'
import { newestOf } from '../catalogue/queries.js'
import { parametersSchema } from '../catalogue/query-schemas.js'
import { AnalyticsError } from '../errors.js'
import type { Runnable, Service } from '../methods/calls.js'
import type { NamedQuery } from '../methods/named-queries.js'
import type { Caller } from '../ports.js'
import { object } from '../schema.js'
import { nearest } from '../values/nearest.js'
import { callTool, placed, refusing, type Tool, type ToolParams } from './call-tool.js'
import { rowPages } from './row-pages.js'
import { anyQueryInputOf, queryInputOf } from './schemas.js'
import { descriptionOfQueries, descriptionOfQuery } from './texts.js'

/** Most queries that a search returns. */
const MOST_FOUND = 5
/** Most queries that it names when none fits. */
const MOST_NAMES = 200
/** Characters of a word that are compared. */
const STEM = 5
/** Characters of a text whose words are compared. */
const MOST_CHARACTERS = 2_000

/** The newest version of each named query that a key may run. */
export async function openQueries({ calls }: Service, caller: Caller): Promise<NamedQuery[]> {
  const open = await calls.queries.of(caller)
  const queries = open.map(({ query }) => query)
  return open.filter(({ query }) => newestOf(queries, query.name) === query)
}

/** A named query as a tool. Clients accept neither a slash nor an @ in its name. */
export function queryTool(service: Service, request: CallerRequest, named: NamedQuery): Tool {
  return {
    name: `queries_${named.query.name}`,
    description: descriptionOfQuery(named.query),
    inputSchema: queryInputOf(named.rows),
    isReadOnly: true,
    run: params => runQuery(service, request, named, params),
  }
}

/** One tool for all named queries, which it finds by a search. */
export function queriesTool(service: Service, request: CallerRequest, open: readonly NamedQuery[]): Tool {
  return {
    name: 'queries_run',
    title: 'Find and run a named query',
    description: descriptionOfQueries(open.length),
    inputSchema: anyQueryInputOf((open[0] as NamedQuery).rows),
    isReadOnly: true,
    async run({ query, search, ...params }) {
      if (query === undefined) return callTool(service, searching(open, search), {}, request)
      const named = open.find(each => each.query.name === query)
      if (named) return runQuery(service, request, named, params)
      return callTool(service, refusing(searching(open, ''), unknownQuery(open, query)), {}, request)
    },
  }
}

function runQuery(
  service: Service,
  request: CallerRequest,
  { query, rows }: NamedQuery,
  params: ToolParams,
): Promise<CallToolResult> {
  const called = placed(rowPages(rows), params, Object.keys(query.parameters))
  return callTool(service, called, params, request)
}

/** The failure of a call that names no query that the key may run. */
export function unknownQuery(open: readonly NamedQuery[], name: unknown): AnalyticsError {
  const names = open.map(({ query }) => query.name)
  const near = typeof name === 'string' ? nearest(name, names) : null
  const hint = near ? `Did you mean "${near}"?` : 'Send the name alone, as the tools have it after queries_.'
  return new AnalyticsError('INVALID_PARAMS', `There is no named query of this name. ${hint}`, {
    data: { path: 'query' },
  })
}

/**
 * Finds named queries by words of their names and descriptions; when none has any, names the first ones. It is
 * reported as `queries`, as the document of them is.
 */
function searching(open: readonly NamedQuery[], search: unknown): Runnable {
  return {
    name: 'queries',
    params: object({}, 'A search for named queries.'),
    async run() {
      const fitting = ranked(open, search)
      const queries = fitting.slice(0, MOST_FOUND).map(({ query }) => ({
        query: query.name,
        about: descriptionOfQuery(query),
        parameters: parametersSchema(query).properties,
      }))
      const shown = `first ${queries.length} of ${fitting.length}`
      const names = open.slice(0, MOST_NAMES).map(({ query }) => query.name)
      const result = fitting.length > 0 ? { shown, queries } : { shown: `none of ${open.length} fits`, names }
      return { result: result as never, rows: 0, bytes: 0 }
    },
  }
}

/** The queries that have a word of the search, best first. A word counts the less the more queries have it. */
function ranked(open: readonly NamedQuery[], search: unknown): NamedQuery[] {
  const texts = open.map(({ query }) => stemsIn(`${query.name} ${descriptionOfQuery(query)}`))
  const weights = [...stemsIn(typeof search === 'string' ? search : '')].map(stem => {
    return { stem, weight: 1 / texts.filter(text => text.has(stem)).length }
  })
  const scores = texts.map(text =>
    weights.reduce((sum, { stem, weight }) => sum + (text.has(stem) ? weight : 0), 0),
  )
  const order = open.map((named, at) => ({ named, score: scores[at] as number }))
  return order
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ named }) => named)
}

/** How words begin, so that plurals and other forms of a word are alike. */
function stemsIn(text: string): Set<string> {
  const words =
    text
      .slice(0, MOST_CHARACTERS)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return new Set(words.map(word => word.slice(0, STEM)))
}
