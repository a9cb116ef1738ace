import { type CallToolResult, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import type { CallerRequest } from '../call/admission.js'
import { callableMethods, mayCall } from '../call/caller.js'
import { AnalyticsError } from '../errors.js'
import type { Service } from '../methods/calls.js'
import type { Method } from '../methods/method.js'
import type { NamedQuery } from '../methods/named-queries.js'
import type { Caller } from '../ports.js'
import {
  callTool,
  parametersIn,
  placed,
  refusing,
  type Tool,
  type ToolParams,
  withoutNulls,
} from './call-tool.js'
import { describing } from './describing.js'
import { openQueries, queriesTool, queryTool, unknownQuery } from './query-tools.js'
import { addResources } from './resources.js'
import { rowPages } from './row-pages.js'
import { inputOf, untold } from './schemas.js'
import { asTools, descriptionOf, instructionsOf } from './texts.js'

/** Most named queries that are tools of their own: models choose worse among more. */
const MOST_QUERY_TOOLS = 20
/** Most bytes of all tools as JSON, which every model reads before its first question. */
const MOST_TOOL_BYTES = 16_000
/** How long clients may keep the lists and the catalogue, which change with the limits of a key alone. */
const KEPT = { ttlMs: 300_000, cacheScope: 'private' } as const
const CACHE_HINTS = {
  'tools/list': KEPT,
  'resources/list': KEPT,
  'resources/templates/list': KEPT,
  'resources/read': KEPT,
}

/** A caller with its tools for one request, and whether its named queries are tools of their own. */
export interface Agent {
  caller: Caller
  request: CallerRequest
  tools: readonly Tool[]
  queriesAs: 'tools' | 'tool' | null
}

/**
 * The methods that a key can call and the queries that it can run, as tools: each query is one, unless there are
 * too many for a model to read.
 */
export async function agentOf(service: Service, request: CallerRequest, caller: Caller): Promise<Agent> {
  const queries = await openQueries(service, caller)
  const methods = callableMethods(caller).map(name => service.calls.methods[name] as Method)
  const own: Tool[] = []
  for (const method of methods) own.push(methodTool(service, request, method, queries, own))
  if (queries.length === 0) return { caller, request, tools: own, queriesAs: null }
  const told = own.map(({ inputSchema }) => inputSchema)
  const brief = (tool: Tool) => ({ ...tool, inputSchema: untold(tool.inputSchema, told) })
  if (queries.length <= MOST_QUERY_TOOLS) {
    const tools = [...own, ...queries.map(query => brief(queryTool(service, request, query)))]
    if (Buffer.byteLength(JSON.stringify(tools.map(listed))) <= MOST_TOOL_BYTES)
      return { caller, request, tools, queriesAs: 'tools' }
  }
  const tools = [...own, brief(queriesTool(service, request, queries))]
  return { caller, request, tools, queriesAs: 'tool' }
}

/** A server for one request of one caller: its tools, and the catalogue as resources. */
export function serverFor(service: Service, { caller, request, tools, queriesAs }: Agent): McpServer {
  const instructions = instructionsOf(service, callableMethods(caller), queriesAs)
  const server = new McpServer({ name: 'foldgate', version: '1' }, { instructions, cacheHints: CACHE_HINTS })
  for (const tool of tools) {
    const { name, inputSchema, ...config } = listed(tool)
    const schema = fromJsonSchema<Record<string, unknown>>(inputSchema, UNCHECKED as never)
    server.registerTool(name, { ...config, inputSchema: schema }, params => tool.run(withoutNulls(params)))
  }
  if (mayCall(caller, 'projects/describe')) addResources(server, service, request, caller)
  return server
}

/** The methods check their params themselves, with more precise errors. */
const UNCHECKED = {
  getValidator: () => (data: unknown) => ({ valid: true as const, data, errorMessage: undefined }),
}

/** A tool as it is listed. */
function listed({ name, title, description, inputSchema, isReadOnly }: Tool) {
  const annotations = isReadOnly ? READS : WRITES
  return { name, ...(title === undefined ? {} : { title }), description, inputSchema, annotations }
}

const READS = { readOnlyHint: true, openWorldHint: false }
const WRITES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false }

/** A method as a tool. `before` are the tools that are listed before it. */
function methodTool(
  service: Service,
  request: CallerRequest,
  method: Method,
  queries: readonly NamedQuery[],
  before: readonly Tool[],
): Tool {
  const { engines, words } = service.core
  const bound = engines.takesParameters ? words.bound : null
  const input = inputOf(method, { bound, hasQueries: queries.length > 0 })
  return {
    name: asTools(method.name),
    title: method.summary,
    description: descriptionOf(method, service),
    inputSchema: untold(
      input,
      before.map(({ inputSchema }) => inputSchema),
    ),
    isReadOnly: method.name !== 'projects/export',
    run: given => runMethod(service, request, method, queries, given),
  }
}

function runMethod(
  service: Service,
  request: CallerRequest,
  method: Method,
  queries: readonly NamedQuery[],
  given: ToolParams,
): Promise<CallToolResult> {
  if (method.name === 'projects/describe') {
    const { relations: _, ...params } = given
    return callTool(service, describing(method, given), params, request)
  }
  const { query, ...params } = given
  if (method.name === 'projects/export' && query !== undefined && queries.length > 0) {
    const named = queries.find(each => each.query.name === query)
    const error = params.sql === undefined ? unknownQuery(queries, query) : BOTH
    const called =
      named && params.sql === undefined
        ? placed(named.file, params, Object.keys(named.query.parameters))
        : refusing(method, error)
    return callTool(service, called, params, request)
  }
  const placing = placed(method.hasRows ? rowPages(method) : method, given, parametersIn(given.sql))
  return callTool(service, placing, given, request)
}

const BOTH = new AnalyticsError('INVALID_PARAMS', 'Send either "sql" or "query".', {
  data: { path: 'query' },
})
