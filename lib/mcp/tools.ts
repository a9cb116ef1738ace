import { type CallToolResult, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import type { CallerRequest } from '../call/admission.js'
import { callableMethods, mayCall } from '../call/caller.js'
import { JsonList, jsonParts } from '../call/json-parts.js'
import type { QueryParams } from '../call/params.js'
import { newestOf, type QueryDefinition, versioned } from '../catalogue/queries.js'
import { AnalyticsError } from '../errors.js'
import { errorBody } from '../http/respond.js'
import type { Runnable, Service } from '../methods/calls.js'
import type { Method } from '../methods/method.js'
import { QUERIES } from '../methods/named-queries.js'
import type { RowPage } from '../model.js'
import type { Caller } from '../ports.js'
import { rowsAsArrays } from '../values/json-reader.js'
import { describing } from './describing.js'
import { addResources } from './resources.js'
import { inputOf, outputOf } from './schemas.js'
import { seeing } from './seen-snapshot.js'
import { asTools, descriptionOf, instructionsOf, PAGE_BYTES } from './texts.js'

/** The methods check their params themselves, with more precise errors. */
const UNCHECKED = {
  getValidator: () => (data: unknown) => ({ valid: true as const, data, errorMessage: undefined }),
}

/** Names of the tools that a key can call. */
export async function toolsOf(service: Service, caller: Caller): Promise<ReadonlySet<unknown>> {
  const queries = (await queryTools(service, caller)).map(({ tool }) => tool)
  return new Set([...callableMethods(caller).map(asTools), ...queries])
}

/**
 * A server for one request of one caller: the methods that its key can call and the queries that it can run as tools,
 * and the catalogue as resources.
 */
export async function serverFor(
  service: Service,
  request: CallerRequest,
  caller: Caller,
): Promise<McpServer> {
  const methods = callableMethods(caller)
  const queries = await queryTools(service, caller)
  const instructions = instructionsOf(service, methods, queries.length > 0)
  const server = new McpServer({ name: 'foldgate', version: '1' }, { instructions })
  const add = (tool: string, method: Method, description: string, run: RunTool) => {
    const output = outputOf(method, service.core.words)
    const config = {
      title: method.summary,
      description,
      inputSchema: fromJsonSchema<Record<string, unknown>>(inputOf(method), UNCHECKED as never),
      ...(output ? { outputSchema: fromJsonSchema(output, UNCHECKED as never) } : {}),
      annotations: {
        readOnlyHint: true,
        idempotentHint: method.name !== 'projects/export',
        openWorldHint: false,
      },
    }
    server.registerTool(tool, config, run)
  }
  for (const name of methods) {
    const method = service.calls.methods[name] as Method
    add(asTools(name), method, descriptionOf(method, service), params =>
      callTool(service, method, params, request),
    )
  }
  for (const { tool, method, description, chosen } of queries)
    add(tool, method, description, async params => callTool(service, await chosen(params), params, request))
  if (mayCall(caller, 'projects/describe')) addResources(server, service, request, caller)
  return server
}

type RunTool = (params: Record<string, unknown>) => Promise<CallToolResult>

/** What a tool runs for an agent, and the params that are left to it. */
function forAgents(method: Method, given: Record<string, unknown>): [Runnable, Record<string, unknown>] {
  if (method.hasRows) return [rowPages(method), given]
  if (method.name !== 'projects/describe') return [method, given]
  const { relations, ...params } = given
  return [describing(method, relations), params]
}

/** The answer as one text and, if a snapshot was read, what is to be known of it as a second one. */
async function callTool(
  { calls }: Service,
  method: Method,
  given: Record<string, unknown>,
  caller: CallerRequest,
): Promise<CallToolResult> {
  try {
    const [forAgent, params] = forAgents(method, given)
    const { runnable, snapshot } = seeing(forAgent)
    const answer = await calls.encodedCall(caller, runnable, params)
    const seen = snapshot()
    const told = { content: [text(answer), ...(seen ? [text({ snapshot: seen })] : [])] }
    return method.hasRows ? told : { ...told, structuredContent: { ...answer } }
  } catch (cause) {
    if (!(cause instanceof AnalyticsError)) throw cause
    const { message, data, ...body } = errorBody(cause)
    const hint = typeof data?.hint === 'string' ? { hint: asTools(data.hint) } : {}
    const error = { ...body, message: asTools(message), ...(data ? { data: { ...data, ...hint } } : {}) }
    return { isError: true, content: [text(error)] }
  }
}

/** Rows go into the text as they are: parsed, their numbers and the order of their names could change. */
function text(value: unknown) {
  return { type: 'text' as const, text: Buffer.concat(jsonParts(value)).toString() }
}

/** A named query as a tool. */
interface QueryTool {
  /** Name of the tool: clients accept neither a slash nor an @ in it. */
  tool: string
  method: Method
  /** What the tool does, and what its rows have. */
  description: string
  /** The method that a call with these params runs. */
  chosen(params: unknown): Promise<Method>
}

/** The newest version of each named query that a key may run. */
async function queryTools({ calls }: Pick<Service, 'calls'>, caller: Caller): Promise<QueryTool[]> {
  const open = await calls.queries.of(caller)
  const queries = open.map(({ query }) => query)
  return open
    .filter(({ query }) => newestOf(queries, query.name) === query)
    .map(({ query, rows }) => ({
      tool: `queries_${query.name}`,
      method: rows,
      description: rows.description + RESULT + columnsOf(query),
      chosen: params => calls.queries.find(QUERIES + versioned(query), params, caller) as Promise<Method>,
    }))
}

const RESULT =
  ' The result of a page is { columns: [{ name, type }], rows: [[value, ...]], nextCursor }: the values of a row are in the ' +
  'order of the columns.'

function columnsOf({ columns = {}, meanings }: QueryDefinition): string {
  const list = Object.entries(columns).map(([name, type]) => {
    const { about, unit } = Object.hasOwn(meanings, name) ? (meanings[name] ?? {}) : {}
    const told = [about, unit && `unit: ${unit}`].filter(Boolean).join('; ')
    return told ? `${name} ${type} (${told})` : `${name} ${type}`
  })
  return list.length > 0 ? ` Columns: ${list.join(', ')}.` : ''
}

/**
 * A method that returns pages of rows, for agents: its pages end at {@link PAGE_BYTES}, and have the columns once
 * and rows as arrays instead of objects that repeat the names.
 */
function rowPages(method: Method): Runnable {
  return {
    ...method,
    async run(params, context) {
      const { include = [] } = params as QueryParams
      const pageBytes = Math.min(context.limits.pageBytes, PAGE_BYTES)
      const limited = { ...context, limits: { ...context.limits, pageBytes } }
      const asked = { ...(params as QueryParams), include: [...include, 'columns'] }
      const outcome = await method.run(asked, limited)
      const { items, columns, ...rest } = outcome.result as RowPage
      const rows =
        (items as unknown) instanceof JsonList
          ? new JsonList(rowsAsArrays((items as unknown as JsonList).members))
          : items
      return { ...outcome, result: { columns, rows, ...rest } }
    },
  }
}
