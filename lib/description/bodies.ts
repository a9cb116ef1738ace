import { ERROR_CLASSES, type ErrorClass } from '../errors.js'
import { type JsonSchema, orNull, sent } from '../json-schema.js'
import { type Failures, warnings } from './failures.js'

const MAX_EXACT = Number.MAX_SAFE_INTEGER

const rpcId: JsonSchema = {
  title: 'RpcId',
  anyOf: [{ type: 'string' }, { type: 'number', minimum: -MAX_EXACT, maximum: MAX_EXACT }],
  description: 'Identifies the call on its connection; the answer has the same id.',
}
const jsonrpc: JsonSchema = { type: 'string', const: '2.0' }

/** REST body of a successful call: the result, and any warnings. */
export function restAnswer(result: JsonSchema): JsonSchema {
  return sent(`${result.title}Answer`, 'The answer to a successful call.', { result, warnings }, ['warnings'])
}

/** JSON-RPC response to a successful call, without a title. */
export function rpcAnswer(result: JsonSchema): JsonSchema {
  return untitled(
    sent('', 'The answer to a successful call.', { jsonrpc, id: rpcId, result, warnings }, ['warnings']),
  )
}

/** JSON-RPC request to any method. */
export const rpcRequest: JsonSchema = {
  title: 'RpcRequest',
  type: 'object',
  description: 'One call.',
  properties: {
    jsonrpc,
    id: rpcId,
    method: { type: 'string', description: 'Name of the method: projects/query.' },
    params: { type: 'object', description: 'The params by name.', additionalProperties: true },
  },
  required: ['jsonrpc', 'id', 'method'],
}

const rpcError = sent('RpcError', 'Why the call failed.', {
  code: { type: 'integer', description: 'The JSON-RPC code of the class.' },
  message: { type: 'string', description: 'What is wrong and what to change.' },
  data: sent(
    'RpcErrorData',
    'The class of the failure; `detail` is what REST has in `data`.',
    {
      class: { type: 'string', enum: Object.keys(ERROR_CLASSES), description: 'Identifies the failure.' },
      detail: { type: 'object', description: 'More about the failure.', additionalProperties: true },
    },
    ['detail'],
  ),
})

/** JSON-RPC response of any method. */
export const rpcResponse: JsonSchema = sent(
  'RpcResponse',
  'The answer to one call: `result` when it succeeded, `error` when it failed.',
  {
    jsonrpc,
    id: orNull(rpcId, 'The id of the call; null when it could not be read.'),
    result: { type: 'object', description: 'The result of the method.', additionalProperties: true },
    error: rpcError,
    warnings,
  },
  ['result', 'error', 'warnings'],
)

/** REST body of a failure of one of several classes, which `class` tells apart. */
export function restFailures(
  failures: Failures,
  title: string,
  description: string,
  classes: readonly ErrorClass[],
): JsonSchema {
  const oneOf = classes.map(errorClass => restFailure(failures, errorClass))
  const mapping = classes.map((errorClass, index) => [
    errorClass,
    `#/components/schemas/${oneOf[index]?.title}`,
  ])
  return {
    title,
    oneOf,
    description,
    discriminator: { propertyName: 'class', mapping: Object.fromEntries(mapping) },
  }
}

/** REST body of a failure. */
export function restFailure(failures: Failures, errorClass: ErrorClass): JsonSchema {
  const data = dataOf(failures, errorClass)
  const members = {
    code: { type: 'integer', const: ERROR_CLASSES[errorClass].code },
    class: { type: 'string', const: errorClass },
    message,
    ...(data ? { data: data.schema } : {}),
  }
  const { meaning } = failures[errorClass]
  return sent(`${typeName(errorClass)}Error`, meaning, members, data?.always ? [] : ['data'])
}

/** The `error` member of a JSON-RPC response, without a title. */
export function rpcFailure(failures: Failures, errorClass: ErrorClass): JsonSchema {
  const detail = dataOf(failures, errorClass)
  const members = {
    class: { type: 'string', const: errorClass },
    ...(detail ? { detail: detail.schema } : {}),
  }
  const data = untitled(
    sent('', 'What REST has in `data` is in `detail`.', members, detail?.always ? [] : ['detail']),
  )
  const code = { type: 'integer', const: ERROR_CLASSES[errorClass].code }
  return untitled(sent('', failures[errorClass].meaning, { code, message, data }))
}

/**
 * OpenRPC has these schemas in place: as components, they would be a model per class and method in every
 * client.
 */
function untitled({ title: _, ...schema }: JsonSchema): JsonSchema {
  return schema
}

const message: JsonSchema = { type: 'string', minLength: 1, description: 'What is wrong and what to change.' }

/** Schema of the `data` of a class, and whether all of its failures have data. */
function dataOf(failures: Failures, errorClass: ErrorClass): { schema: JsonSchema; always: boolean } | null {
  const { data = {}, more = {}, warns = false, dataless = false } = failures[errorClass]
  const always = Object.keys(data).length > 0
  if (!always && !warns) return null
  const isOptional = always || Object.keys(more).length > 0 // otherwise the data is there for the warnings
  const optional = [...Object.keys(more), ...(isOptional ? ['warnings'] : [])]
  const members = { ...data, ...more, ...(warns ? { warnings } : {}) }
  const schema = sent(`${typeName(errorClass)}Data`, `The data of ${errorClass}.`, members, optional)
  return { schema, always: always && !dataless }
}

/** The class as part of a type name: NOT_READY becomes NotReady. */
function typeName(errorClass: ErrorClass): string {
  const words = errorClass.split('_').filter(word => word !== 'ERROR')
  return words.map(word => `${word.charAt(0)}${word.slice(1).toLowerCase()}`).join('')
}
