/** A model, and how it is reached. */
export interface Model {
  /** Where its paths begin: `/v1/chat/completions` or `/v1/messages` is added. */
  url: string
  name: string
  dialect: Dialect
  key?: string
}

/** A tool as MCP lists it. */
export interface Tool {
  name: string
  description?: string | undefined
  inputSchema: object
}

/** A tool that a model calls. `params` is undefined when what it sent is no JSON object. */
export interface ToolCall {
  id: string
  name: string
  params: Record<string, unknown> | undefined
}

/** What a tool answered to a call. */
export interface ToolAnswer {
  id: string
  text: string
  isError: boolean
}

/** What a model is told first. */
interface Beginning {
  system: string
  question: string
  tools: readonly Tool[]
}

/** A conversation: each turn sends the answers to the calls of the turn before, and returns those of the model. */
export type Conversation = (answers: readonly ToolAnswer[]) => Promise<ToolCall[]>

const TURN_MS = 600_000
const MOST_TOKENS = 8_192
const ANTHROPIC_VERSION = '2023-06-01'

/** Conversations in the dialects that most models are served in. */
export const DIALECTS = { openai: withOpenai, anthropic: withAnthropic }
export type Dialect = keyof typeof DIALECTS

interface OpenaiMessage {
  role: string
  content?: string | null
  tool_calls?: { id: string; function: { name: string; arguments: string } }[]
}

function withOpenai(model: Model, { system, question, tools }: Beginning): Conversation {
  const functions = tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }))
  const messages: object[] = [
    { role: 'system', content: system },
    { role: 'user', content: question },
  ]
  const headers: Record<string, string> = model.key === undefined ? {} : { authorization: `Bearer ${model.key}` }
  return async answers => {
    messages.push(...answers.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text })))
    const body = { model: model.name, messages, tools: functions }
    const { choices } = await post<{ choices: { message: OpenaiMessage }[] }>(
      model,
      '/v1/chat/completions',
      headers,
      body,
    )
    const [choice] = choices
    if (!choice) throw new Error(`${model.url} answered without a choice`)
    messages.push(choice.message)
    return (choice.message.tool_calls ?? []).map(({ id, function: { name, arguments: params } }) => ({
      id,
      name,
      params: objectOf(params),
    }))
  }
}

type AnthropicBlock =
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> }
  | { type: 'text'; text: string }

function withAnthropic(model: Model, { system, question, tools }: Beginning): Conversation {
  const known = tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }))
  const messages: object[] = [{ role: 'user', content: question }]
  const headers = {
    'anthropic-version': ANTHROPIC_VERSION,
    ...(model.key === undefined ? {} : { 'x-api-key': model.key }),
  }
  return async answers => {
    const results = answers.map(({ id, text, isError }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: text,
      is_error: isError,
    }))
    if (results.length > 0) messages.push({ role: 'user', content: results })
    const body = { model: model.name, max_tokens: MOST_TOKENS, system, messages, tools: known }
    const { content } = await post<{ content: AnthropicBlock[] }>(model, '/v1/messages', headers, body)
    messages.push({ role: 'assistant', content })
    return content.flatMap(block =>
      block.type === 'tool_use' ? [{ id: block.id, name: block.name, params: block.input }] : [],
    )
  }
}

async function post<Answer>(
  { url }: Model,
  path: string,
  headers: Record<string, string>,
  body: object,
): Promise<Answer> {
  const address = url.replace(/\/$/, '') + path
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TURN_MS),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${address} answered ${response.status}: ${text.slice(0, 300)}`)
  return JSON.parse(text) as Answer
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
