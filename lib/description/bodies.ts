import { ERROR_CLASSES, type ErrorClass } from '../errors.js'
import { type JsonSchema, sent } from '../schema.js'
import { FAILURES, warnings } from './failures.js'

const MAX_EXACT = Number.MAX_SAFE_INTEGER

const rpcId: JsonSchema = {
  title: 'RpcId',
  type: ['string', 'number'],
  minimum: -MAX_EXACT,
  maximum: MAX_EXACT,
  description: 'Identifies the call on its connection; the answer has the same id.',
}
const jsonrpc: JsonSchema = { type: 'string', const: '2.0' }

/** REST body of a successful call: the result, and any warnings. */
export function restAnswer(result: JsonSchema): JsonSchema {
  return sent(`${result.title}Answer`, 'The answer to a successful call.', { result, warnings }, ['warnings'])
}

/** JSON-RPC response to a successful call. */
export function rpcAnswer(result: JsonSchema): JsonSchema {
  const members = { jsonrpc, id: rpcId, result, warnings }
  return sent(`${result.title}RpcAnswer`, 'The answer to a successful call.', members, ['warnings'])
}

/** JSON-RPC request. */
export function rpcCall(name: string, params: JsonSchema, paramsOptional: boolean): JsonSchema {
  return {
    type: 'object',
    description: `A call to ${name}.`,
    properties: { jsonrpc, id: rpcId, method: { type: 'string', const: name }, params },
    required: ['jsonrpc', 'id', 'method', ...(paramsOptional ? [] : ['params'])],
  }
}

/** JSON-RPC response to a call that fails with one of these classes. */
export function rpcRefusal(classes: readonly ErrorClass[]): JsonSchema {
  const id = { anyOf: [rpcId, { type: 'null' }], description: 'Null when no id could be read.' }
  const error = { oneOf: classes.map(rpcFailure), description: 'Why the call failed.' }
  return sent('RpcFailure', 'The answer to a failed call.', { jsonrpc, id, error })
}

/** REST body of a failure. */
export function restFailure(errorClass: ErrorClass): JsonSchema {
  const data = dataOf(errorClass)
  const members = {
    code: { type: 'integer', const: ERROR_CLASSES[errorClass].code },
    class: { type: 'string', const: errorClass },
    message,
    ...(data ? { data: data.schema } : {}),
  }
  const { meaning } = FAILURES[errorClass]
  return sent(`${typeName(errorClass)}Error`, meaning, members, data?.always ? [] : ['data'])
}

/** The `error` member of a JSON-RPC response. */
export function rpcFailure(errorClass: ErrorClass): JsonSchema {
  const detail = dataOf(errorClass)
  const data = sent(
    `${typeName(errorClass)}RpcData`,
    'The class of the failure; `detail` is what REST has in `data`.',
    { class: { type: 'string', const: errorClass }, ...(detail ? { detail: detail.schema } : {}) },
    detail?.always ? [] : ['detail'],
  )
  const code = { type: 'integer', const: ERROR_CLASSES[errorClass].code }
  return sent(`${typeName(errorClass)}RpcError`, FAILURES[errorClass].meaning, { code, message, data })
}

const message: JsonSchema = { type: 'string', minLength: 1, description: 'What is wrong and what to change.' }

/** Schema of the `data` of a class, and whether all of its failures have data. */
function dataOf(errorClass: ErrorClass): { schema: JsonSchema; always: boolean } | null {
  const { data = {}, more = {}, warns = false, dataless = false } = FAILURES[errorClass]
  const always = Object.keys(data).length > 0
  if (!always && !warns) return null
  const optional = [...Object.keys(more), ...(always ? ['warnings'] : [])]
  const members = { ...data, ...more, ...(warns ? { warnings } : {}) }
  const schema = sent(`${typeName(errorClass)}Data`, `The data of ${errorClass}.`, members, optional)
  return { schema, always: always && !dataless }
}

/** The class as part of a type name: NOT_READY becomes NotReady. */
function typeName(errorClass: ErrorClass): string {
  const words = errorClass.split('_').filter(word => word !== 'ERROR')
  return words.map(word => `${word.charAt(0)}${word.slice(1).toLowerCase()}`).join('')
}
