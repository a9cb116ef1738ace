import { type CallToolResult, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import type { CallerRequest } from '../call/admission.js'
import { callableMethods, mayCall } from '../call/caller-limits.js'
import { jsonParts } from '../call/json-parts.js'
import { AnalyticsError } from '../errors.js'
import { errorBody } from '../http/respond.js'
import type { Runnable, Service } from '../methods/calls.js'
import type { Method } from '../methods/method.js'
import type { Caller } from '../ports.js'
import { describing } from './describing.js'
import { queryTools } from './query-tools.js'
import { addResources } from './resources.js'
import { rowPages } from './row-pages.js'
import { inputOf, outputOf } from './schemas.js'
import { seeing } from './seen-snapshot.js'
import { asTools, descriptionOf, instructionsOf } from './texts.js'

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
