import { ERROR_CLASSES, type ErrorClass } from '../errors.js'
import { type JsonSchema, sent } from '../schema.js'
import { FAILURES, warnings } from './failures.js'

const MAX_EXACT = Number.MAX_SAFE_INTEGER

const rpcId: JsonSchema = {
  title: 'RpcId',
  type: ['string', 'number'],
  minimum: -MAX_EXACT,
  maximum: MAX_EXACT,
  description: 'Names the call on its connection; the answer has the same.',
}
const jsonrpc: JsonSchema = { type: 'string', const: '2.0' }

/** What REST answers: a result, and what the call has to say beside it. */
export function restAnswer(result: JsonSchema): JsonSchema {
  return sent(`${result.title}Answer`, 'The answer of a call that succeeds.', { result, warnings }, ['warnings'])
}

/** What JSON-RPC answers to a call that succeeds. */
export function rpcAnswer(result: JsonSchema): JsonSchema {
  const members = { jsonrpc, id: rpcId, result, warnings }
  return sent(`${result.title}RpcAnswer`, 'The answer of a call that succeeds.', members, ['warnings'])
}

/** A call on JSON-RPC. */
export function rpcCall(name: string, params: JsonSchema, paramsOptional: boolean): JsonSchema {
  return {
    type: 'object',
    description: `A call of ${name}.`,
    properties: { jsonrpc, id: rpcId, method: { type: 'string', const: name }, params },
    required: ['jsonrpc', 'id', 'method', ...(paramsOptional ? [] : ['params'])],
  }
}

/** What JSON-RPC answers to a call that fails with one of these classes. */
export function rpcRefusal(classes: readonly ErrorClass[]): JsonSchema {
  const id = { anyOf: [rpcId, { type: 'null' }], description: 'Null where no id could be read.' }
  const error = { oneOf: classes.map(rpcFailure), description: 'Why the call fails.' }
  return sent('RpcFailure', 'The answer of a call that fails.', { jsonrpc, id, error })
}

/** The body of a failure on REST. */
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

/** The `error` member of an answer on JSON-RPC. */
export function rpcFailure(errorClass: ErrorClass): JsonSchema {
  const detail = dataOf(errorClass)
  const data = sent(
    `${typeName(errorClass)}RpcData`,
    'The class, and what REST has in data.',
    { class: { type: 'string', const: errorClass }, ...(detail ? { detail: detail.schema } : {}) },
    detail?.always ? [] : ['detail'],
  )
  const code = { type: 'integer', const: ERROR_CLASSES[errorClass].code }
  return sent(`${typeName(errorClass)}RpcError`, FAILURES[errorClass].meaning, { code, message, data })
}

const message: JsonSchema = { type: 'string', minLength: 1, description: 'What is wrong and what to change, in words.' }

/** What failures of a class carry, and whether all of them do. */
function dataOf(errorClass: ErrorClass): { schema: JsonSchema; always: boolean } | null {
  const { data = {}, more = {}, warns = false, dataless = false } = FAILURES[errorClass]
  const always = Object.keys(data).length > 0
  if (!always && !warns) return null
  const optional = [...Object.keys(more), ...(always ? ['warnings'] : [])]
  const members = { ...data, ...more, ...(warns ? { warnings } : {}) }
  const schema = sent(`${typeName(errorClass)}Data`, `What ${errorClass} carries.`, members, optional)
  return { schema, always: always && !dataless }
}

/** NOT_READY within the name of a type: NotReady. */
function typeName(errorClass: ErrorClass): string {
  const words = errorClass.split('_').filter(word => word !== 'ERROR')
  return words.map(word => `${word.charAt(0)}${word.slice(1).toLowerCase()}`).join('')
}
