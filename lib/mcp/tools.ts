import { type CallToolResult, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import type { AnalyticsApi, CallOptions } from '../api.js'
import { METHODS } from '../call.js'
import { AnalyticsError } from '../errors.js'
import { errorBody } from '../http/respond.js'
import type { MethodName } from '../params.js'
import { sent } from '../schema.js'

const CATALOGUE = 'foldgate://catalogue'
const EXAMPLES = 'foldgate://examples'
const INSTRUCTIONS =
  'Analytics of assessed projects. List the projects, read the catalogue and the worked examples, then query: one ' +
  'read-only SELECT over the relations of the catalogue, for one project and point of view. Aggregate in SQL rather than ' +
  'reading many rows; a page with a nextCursor goes on with that cursor. A refused query says what to write instead.'

/** The methods check their params themselves, with more precise errors. */
const UNCHECKED = { getValidator: () => (data: unknown) => ({ valid: true as const, data, errorMessage: undefined }) }

/** A server for one request of one caller: the methods as tools, the catalogue as resources. */
export function serverFor(api: AnalyticsApi, caller: CallOptions): McpServer {
  const server = new McpServer({ name: 'foldgate', version: '1' }, { instructions: INSTRUCTIONS })
  for (const { name, summary, description, params, result } of METHODS.values()) {
    const config = {
      title: summary,
      description,
      inputSchema: fromJsonSchema<Record<string, unknown>>(params.json, UNCHECKED as never),
      outputSchema: fromJsonSchema(answerSchema(result), UNCHECKED as never),
      annotations: { readOnlyHint: true, idempotentHint: name !== 'projects/export', openWorldHint: false },
    }
    server.registerTool(name.replace('/', '_'), config, params => callTool(api, name, params, caller))
  }
  const { summaries, examples } = api.adapter.catalogue
  const resource = (uri: string, title: string, value: unknown) =>
    server.registerResource(title, uri, { title, mimeType: 'application/json' }, () => ({
      contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(value, null, 2) }],
    }))
  resource(CATALOGUE, 'Relations that queries may read', summaries)
  resource(EXAMPLES, 'Worked queries', examples)
  return server
}

/** Schema of an answer: the result, and any warnings. */
function answerSchema(result: Readonly<Record<string, unknown>>) {
  const warnings = {
    type: 'array',
    items: { type: 'object' },
    description: 'Fields of the params that the method did not read.',
  }
  return sent('Answer', 'The result of the call.', { result, warnings }, ['warnings'])
}

async function callTool(
  api: AnalyticsApi,
  method: string,
  params: Record<string, unknown>,
  caller: CallOptions,
): Promise<CallToolResult> {
  try {
    const answer = await api.call(method as MethodName, params as never, caller) // `call` checks them
    return { content: [text(answer)], structuredContent: { ...answer } }
  } catch (cause) {
    if (!(cause instanceof AnalyticsError)) throw cause
    return { isError: true, content: [text(errorBody(cause))] }
  }
}

function text(value: unknown) {
  return { type: 'text' as const, text: JSON.stringify(value) }
}
