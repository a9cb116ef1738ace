import { AnalyticsError } from '../errors.js'

/** Identifies a call on its connection. */
export type RpcId = string | number

/** A valid request: its members are checked, and all others removed. */
export interface RpcRequest {
  jsonrpc: '2.0'
  id: RpcId
  method: string
  /**
   * As sent, or `{}` for none. Params that are not an object are refused later: METHOD_NOT_FOUND comes first.
   */
  params: unknown
}

/** Thrown for a message that is not a valid request; `id` is null if it could not be read. */
export class EnvelopeError extends Error {
  readonly id: RpcId | null
  readonly error: AnalyticsError

  constructor(error: AnalyticsError, id: RpcId | null) {
    super(error.message)
    this.error = error
    this.id = id
  }
}

/** The id of a message, or null. Nothing else is read of a message whose key or quota is refused. */
export function peekId(message: unknown): RpcId | null {
  const id = isObject(message) ? message.id : null
  return typeof id === 'string' || isExact(id) ? id : null
}

/** The method that a message names; empty when it names none. */
export function peekMethod(message: unknown): string {
  return isObject(message) && typeof message.method === 'string' ? message.method : ''
}

/**
 * Whether JSON returns a number as sent. Integers beyond 2^53 are rounded: the caller would not find its id.
 */
function isExact(id: unknown): id is number {
  return typeof id === 'number' && Number.isFinite(id) && Number.isInteger(id) === Number.isSafeInteger(id)
}

/** Reads the request in a message. Throws an {@link EnvelopeError} for anything else. */
export function readEnvelope(message: unknown): RpcRequest {
  const id = peekId(message)
  const invalid = (text: string) => new EnvelopeError(new AnalyticsError('INVALID_REQUEST', text), id)
  if (message === undefined)
    throw new EnvelopeError(new AnalyticsError('PARSE_ERROR', 'The message is empty.'), null)
  if (Array.isArray(message)) throw invalid('Batches are not accepted. Send one call per message.')
  if (!isObject(message)) throw invalid('The message is not a JSON-RPC request object.')
  if (message.jsonrpc !== '2.0') throw invalid('The member "jsonrpc" must be "2.0".')
  if (id === null)
    throw invalid(
      'The member "id" must be a string, or a number within 2^53: notifications are not accepted.',
    )
  if (typeof message.method !== 'string') throw invalid('The member "method" must be a string.')
  const { method, params } = message
  return { jsonrpc: '2.0', id, method, params: isNone(params) ? {} : params }
}

/** Generic clients send null or an empty list for no params. */
function isNone(params: unknown): boolean {
  return params == null || (Array.isArray(params) && params.length === 0)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
