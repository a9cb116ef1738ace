import Ajv2020 from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { ErrorClass } from 'foldgate'
import { methodsIn } from '#lib/methods/calls.js'
import { wordsFor } from '#lib/words.js'

const ajv = new Ajv2020.default({ strict: true, allowUnionTypes: true })
formats.default(ajv)

/** Per method, whether params fit its JSON Schema, by a validator that shares no code with the service. */
export const FITS: ReadonlyMap<string, (params: unknown) => boolean> = new Map(
  Object.entries(methodsIn(wordsFor({ hierarchy: {} }))).map(([name, method]) => {
    const validate = ajv.compile(method.params.json)
    return [name, params => validate(params) as boolean]
  }),
)

/** The predicted answer to a message: its id, and its class if the message alone determines it. */
export interface Foretold {
  id: string | number | null
  class: ErrorClass | null
}

/** Predicts the answer of REST to a body. */
export function foretellRest(method: string, body: Buffer): Foretold {
  const parsed = body.length === 0 ? { value: {} } : parse(body)
  return { id: null, class: parsed ? ofParams(method, parsed.value ?? {}) : 'PARSE_ERROR' }
}

/** Predicts the answer of JSON-RPC to a message. */
export function foretellRpc(text: Buffer): Foretold {
  const parsed = parse(text)
  if (!parsed) return { id: null, class: 'PARSE_ERROR' }
  const { value } = parsed
  if (!isObject(value)) return { id: null, class: 'INVALID_REQUEST' }
  const id = isId(value.id) ? value.id : null
  const isRequest = id !== null && value.jsonrpc === '2.0' && typeof value.method === 'string'
  if (!isRequest) return { id, class: 'INVALID_REQUEST' }
  const isNone = value.params == null || (Array.isArray(value.params) && value.params.length === 0)
  const params = isNone ? {} : value.params
  const method = value.method as string
  if (method === 'rpc.discover') return { id, class: isObject(params) ? null : 'INVALID_PARAMS' }
  return { id, class: ofParams(method, params) }
}

function ofParams(method: string, params: unknown): ErrorClass | null {
  const fits = FITS.get(method)
  if (!fits) return 'METHOD_NOT_FOUND'
  return fits(params) ? null : 'INVALID_PARAMS'
}

function parse(body: Buffer): { value: unknown } | null {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown }
  } catch {
    return null
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

function isId(id: unknown): id is string | number {
  if (typeof id !== 'number') return typeof id === 'string'
  return Number.isFinite(id) && (!Number.isInteger(id) || Math.abs(id) < 2 ** 53)
}
