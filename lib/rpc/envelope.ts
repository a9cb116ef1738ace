import { AnalyticsError } from '../errors.js'

/** What identifies a call on its connection. */
export type RpcId = string | number

/** A request that is one: its members checked, nothing else in it. */
export interface RpcRequest {
  jsonrpc: '2.0'
  id: RpcId
  method: string
  /** As sent: what is no object is for the method to refuse, once it is known that there is such a method. */
  params: unknown
}

/** A message that is no request; `id` is that of the caller where it could be read. */
export class EnvelopeError extends Error {
  readonly id: RpcId | null
  readonly error: AnalyticsError

  constructor(error: AnalyticsError, id: RpcId | null) {
    super(error.message)
    this.error = error
    this.id = id
  }
}

/** The id in a message, where there is one: all that is read of it before the key holds. */
export function peekId(message: unknown): RpcId | null {
  const id = isObject(message) ? message.id : null
  return typeof id === 'string' || isExact(id) ? id : null
}

/** A number that comes back as it was sent: beyond 2^53 another one would, and its caller would wait for ever. */
function isExact(id: unknown): id is number {
  return typeof id === 'number' && Number.isFinite(id) && Number.isInteger(id) === Number.isSafeInteger(id)
}

/** The request in a message; anything else throws an {@link EnvelopeError}. */
export function readEnvelope(message: unknown): RpcRequest {
  const id = peekId(message)
  const invalid = (text: string) => new EnvelopeError(new AnalyticsError('INVALID_REQUEST', text), id)
  if (message === undefined) throw new EnvelopeError(new AnalyticsError('PARSE_ERROR', 'The message is empty.'), null)
  if (Array.isArray(message)) throw invalid('Batches are not accepted. Send one call a message.')
  if (!isObject(message)) throw invalid('The message is not a JSON-RPC request object.')
  if (message.jsonrpc !== '2.0') throw invalid('The member "jsonrpc" must be "2.0".')
  if (id === null)
    throw invalid('The member "id" must be a text, or a number within 2^53: notifications are not accepted.')
  if (typeof message.method !== 'string') throw invalid('The member "method" must be a string.')
  const { method, params = {} } = message
  return { jsonrpc: '2.0', id, method, params }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
