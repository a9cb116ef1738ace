import { type CallToolResult, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import type { CallerRequest } from '../call/admission.js'
import { type DescribeParams, METHOD_NAMES } from '../call/params.js'
import { AnalyticsError } from '../errors.js'
import { errorBody } from '../http/respond.js'
import { sent } from '../json-schema.js'
import type { Runnable, Service } from '../methods/calls.js'
import { checkRelation, describeColumns, type RelationColumns } from '../methods/describe.js'
import type { Method } from '../methods/method.js'

const CATALOGUE = 'foldgate://catalogue'
const EXAMPLES = 'foldgate://examples'
const dialectOf = ({ core }: Service) => `The dialect is ${core.engines.dialect}'s SQL.`
const instructionsOf = (service: Service) => {
  const [of, at] = service.core.words.hasPointOfView
    ? ['Analytics of assessed projects', 'project and point of view']
    : ['Data of projects', 'project']
  return (
    `${of}. List the projects with projects_list, read the catalogue and the worked examples, then query with ` +
    `projects_query: one read-only SELECT over the relations of the catalogue, for one ${at}. ${dialectOf(service)} ` +
    'Aggregate in SQL rather than reading many rows; to read on after a page with a nextCursor, send that cursor. A ' +
    'refused query says what to write instead.'
  )
}

/**
 * Most bytes of rows per page, since models read little, and some clients limit the size of a message to 1
 * MiB. Rows are sent as text, whose escapes at most double them.
 */
const PAGE_BYTES = 256 * 1024

/** What the tools do beyond their methods. */
const moreOf = (service: Service): Readonly<Record<string, string>> => ({
  'projects/describe': ' With "relations", returns only the columns of each of them.',
  'projects/query':
    ` ${dialectOf(service)} A page ends at ${PAGE_BYTES / 1024} KiB of rows, with a nextCursor that continues with the next row; ` +
    'a row that is larger has a page of its own.',
  'projects/export': ` ${dialectOf(service)}`,
})

/** The methods check their params themselves, with more precise errors. */
const UNCHECKED = {
  getValidator: () => (data: unknown) => ({ valid: true as const, data, errorMessage: undefined }),
}

/** Names of the tools. */
export const TOOL_NAMES: ReadonlySet<unknown> = new Set(METHOD_NAMES.map(asTools))

/** A server for one request of one caller: the methods as tools, the catalogue as resources. */
export function serverFor(service: Service, caller: CallerRequest): McpServer {
  const server = new McpServer({ name: 'foldgate', version: '1' }, { instructions: instructionsOf(service) })
  const more = moreOf(service)
  for (const method of Object.values(service.calls.methods)) {
    const { name, summary, description } = method
    const output = outputOf(method)
    const config = {
      title: summary,
      description: asTools(description + (more[name] ?? '')),
      inputSchema: fromJsonSchema<Record<string, unknown>>(inputOf(method), UNCHECKED as never),
      ...(output ? { outputSchema: fromJsonSchema(output, UNCHECKED as never) } : {}),
      annotations: { readOnlyHint: true, idempotentHint: name !== 'projects/export', openWorldHint: false },
    }
    server.registerTool(asTools(name), config, params => callTool(service, method, params, caller))
  }
  const resource = (uri: string, title: string, read: () => unknown) =>
    server.registerResource(title, uri, { title, mimeType: 'application/json' }, async () => ({
      contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(await read()) }],
    }))
  resource(CATALOGUE, 'Relations that queries may read, with their columns', () =>
    relationsWithColumns(service, caller),
  )
  resource(EXAMPLES, 'Worked queries', () => service.core.catalogue.examples)
  return server
}

/** Names methods as agents call them: MCP clients accept no slash in the name of a tool. */
function asTools(text: string): string {
  return text.replace(/\bprojects\/(?=(list|describe|query|export)\b)/g, 'projects_')
}

function inputOf({ name, params }: Method): Record<string, unknown> {
  const input = JSON.parse(asTools(JSON.stringify(params.json)))
  if (name === 'projects/describe')
    input.properties.relations = {
      type: ['array', 'null'],
      items: { type: 'string' },
      description: 'The relations whose columns to return, and nothing else.',
    }
  return input
}

/**
 * Schema of an answer: the result, and any warnings. A query has none: with a schema, the protocol asks for
 * the answer as `structuredContent` and as text, but every client shows text alone to its model, so rows are
 * sent once.
 */
function outputOf({ name, result }: Method): Record<string, unknown> | null {
  if (name === 'projects/query') return null
  const warnings = {
    type: 'array',
    items: { type: 'object' },
    description: 'Fields of the params that the method did not read.',
  }
  const answer = sent('Answer', 'The result of the call.', { result, warnings }, ['warnings'])
  const output = JSON.parse(asTools(JSON.stringify(answer)))
  if (name === 'projects/describe') {
    const { columns } = output.properties.result.properties
    delete output.properties.result.required // "relations" asks for the columns alone
    output.properties.result.properties.columns = {
      anyOf: [columns, { type: 'object', additionalProperties: { type: 'array', items: columns.items } }],
      description: 'Columns of "relation", or of each of "relations" by its name.',
    }
  }
  return output
}

/** What a tool runs for an agent, and the params that are left to it. */
function forAgents(method: Method, given: Record<string, unknown>): [Runnable, Record<string, unknown>] {
  if (method.name === 'projects/query') return [withShortPages(method), given]
  if (method.name !== 'projects/describe') return [method, given]
  const { relations, ...params } = given
  return [describing(method, relations), params]
}

/** A method whose pages end at {@link PAGE_BYTES}. */
function withShortPages(method: Method): Method {
  return {
    ...method,
    run(params, context) {
      const pageBytes = Math.min(context.limits.pageBytes, PAGE_BYTES)
      return method.run(params, { ...context, limits: { ...context.limits, pageBytes } })
    },
  }
}

/** `projects/describe`, but with the columns of these relations alone, if the agent names some. */
function describing(describe: Method, relations: unknown): Method {
  return {
    ...describe,
    async run(params, context) {
      const names = namesIn(relations)
      return (names === null ? describe : columnsOf(describe, names)).run(params, context)
    },
  }
}

/** `projects/describe`, but with the columns of these relations alone. */
function columnsOf(describe: Method, relations: readonly string[]): Method<unknown, RelationColumns> {
  return {
    ...describe,
    async run(params, context) {
      const { projectId, relation } = params as DescribeParams
      if (relation != null) checkRelation(context, relation, 'relation')
      for (const name of relations) checkRelation(context, name, 'relations')
      return describeColumns(context, projectId, relations)
    },
  }
}

/** The relations that an agent names; null when it names none. Models also send null or an empty list. */
function namesIn(relations: unknown): string[] | null {
  if (relations == null) return null
  if (!Array.isArray(relations) || relations.some(name => typeof name !== 'string')) {
    const data = { path: 'relations' }
    throw new AnalyticsError('INVALID_PARAMS', 'The field "relations" must be a list of names.', { data })
  }
  return relations.length === 0 ? null : [...new Set(relations)]
}

async function callTool(
  { calls }: Service,
  method: Method,
  given: Record<string, unknown>,
  caller: CallerRequest,
): Promise<CallToolResult> {
  try {
    const answer = await calls.call(caller, ...forAgents(method, given))
    const told = { content: [text(answer)] }
    return method.name === 'projects/query' ? told : { ...told, structuredContent: { ...answer } }
  } catch (cause) {
    if (!(cause instanceof AnalyticsError)) throw cause
    const { message, data, ...body } = errorBody(cause)
    const hint = typeof data?.hint === 'string' ? { hint: asTools(data.hint) } : {}
    const error = { ...body, message: asTools(message), ...(data ? { data: { ...data, ...hint } } : {}) }
    return { isError: true, content: [text(error)] }
  }
}

/**
 * The relations, with their columns in the first computed project of the first page that the key can read.
 * This takes two calls; when one fails, the relations have no columns.
 */
async function relationsWithColumns(service: Service, caller: CallerRequest) {
  const { summaries } = service.core.catalogue
  const columns = await columnsOfAll(service, caller).catch(() => null)
  return columns ? summaries.map(each => ({ ...each, columns: columns[each.name] })) : summaries
}

async function columnsOfAll({ core, calls }: Service, caller: CallerRequest) {
  const listed = await calls.call(caller, calls.methods['projects/list'], { page: { limit: 500 } })
  const project = listed.result.items.find(({ state }) => state === 'computed')
  if (!project) return null
  const { projectId } = project
  const names = core.catalogue.summaries.map(({ name }) => name)
  const { result } = await calls.call(
    caller,
    columnsOf(calls.methods['projects/describe'] as Method, names),
    { projectId },
  )
  return result.columns
}

function text(value: unknown) {
  return { type: 'text' as const, text: JSON.stringify(value) }
}
