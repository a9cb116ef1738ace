import type { CallToolResult } from '@modelcontextprotocol/server'
import type { CallerRequest } from '../call/admission.js'
import { jsonParts } from '../call/json-parts.js'
import { AnalyticsError } from '../errors.js'
import { errorBody } from '../http/respond.js'
import type { JsonSchema } from '../json-schema.js'
import type { Runnable, Service } from '../methods/calls.js'
import { openObject } from '../schema.js'
import { seeing } from './seen-snapshot.js'
import { asTools } from './texts.js'

/** What an agent sends to a tool. */
export type ToolParams = Readonly<Record<string, unknown>>

/** A tool of a caller. */
export interface Tool {
  name: string
  title?: string
  description: string
  inputSchema: JsonSchema
  /** Whether it writes no file. */
  isReadOnly: boolean
  run(params: ToolParams): Promise<CallToolResult>
}

/**
 * The answer as one text and, if a snapshot was read, what is to be known of it as a second one. It is not sent
 * as `structuredContent` as well: every client shows text to its model, and some show both.
 */
export async function callTool(
  { calls }: Service,
  called: Runnable,
  params: ToolParams,
  caller: CallerRequest,
): Promise<CallToolResult> {
  try {
    const { runnable, snapshot } = seeing(called)
    const answer = await calls.encodedCall(caller, runnable, params)
    const seen = snapshot()
    return { content: [text(answer), ...(seen ? [text({ snapshot: seen })] : [])] }
  } catch (cause) {
    if (!(cause instanceof AnalyticsError)) throw cause
    const { message, data, ...body } = errorBody(cause)
    const hint = typeof data?.hint === 'string' ? { hint: asTools(data.hint) } : {}
    const error = { ...body, message: asTools(message), ...(data ? { data: { ...data, ...hint } } : {}) }
    return { isError: true, content: [text(error)] }
  }
}

/**
 * Characters that no reader sees, or that change the order in which text is shown: cells can hide instructions
 * in them.
 */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u007f-\u009f\u2028\u2029]/gu

/**
 * JSON as text. Rows go into it as they are: parsed, their numbers and the order of their names could change.
 * Characters that are not seen can be in strings alone, where their escapes are the same characters.
 */
function text(value: unknown) {
  const json = Buffer.concat(jsonParts(value)).toString()
  return { type: 'text' as const, text: json.replace(UNSEEN, escaped) }
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
  return units.map(unit => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/** Params without those that are null, which is to leave them out. */
export function withoutNulls(params: ToolParams): ToolParams {
  const told = Object.entries(params).filter(([, value]) => value !== null)
  return Object.fromEntries(
    told.map(([name, value]) => [
      name,
      name === 'page' && isObject(value) ? withoutNulls(value as ToolParams) : value,
    ]),
  )
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Refuses values of parameters that are beside `parameters`, where methods do not read them: a query would run
 * without them. `names` are the parameters of the query, in lower case.
 */
export function placed(called: Runnable, params: ToolParams, names: Iterable<string>): Runnable {
  const parameters = new Set(names)
  const fields = called.params.fields ?? {}
  const misplaced = Object.keys(params).find(
    name => !Object.hasOwn(fields, name) && parameters.has(name.toLowerCase()),
  )
  if (misplaced === undefined) return called
  const message = `Send "${misplaced}" inside of "parameters": { "parameters": { "${misplaced}": … } }.`
  return refusing(called, new AnalyticsError('INVALID_PARAMS', message, { data: { path: misplaced } }))
}

/** Fails a call as its method would, so that it takes a unit of quota and is reported. */
export function refusing(called: Runnable, error: AnalyticsError): Runnable {
  return {
    ...called,
    params: openObject('Params of a call that is refused.'),
    run: async () => {
      throw error
    },
  }
}

/** Names of the parameters of a statement. */
export function parametersIn(sql: unknown): string[] {
  if (typeof sql !== 'string') return []
  return [...sql.matchAll(/\$([A-Za-z_]\w*)/g)].map(([, name]) => (name as string).toLowerCase())
}
