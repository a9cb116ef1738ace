import { type JSONRPCErrorResponse, type JSONRPCID, type JSONRPCResponse, JSONRPCServer } from 'json-rpc-2.0'
import type { Admission, CallerRequest, Session } from '../call/admission.js'
import { mayCall } from '../call/caller.js'
import { forget } from '../call/json-parts.js'
import { discover } from '../description/discovery.js'
import { AnalyticsError } from '../errors.js'
import type { CallOutcome, Calls, Runnable } from '../methods/calls.js'
import { METHOD_NAMES, type MethodName } from '../model.js'
import type { Caller } from '../ports.js'
import { EnvelopeError, peekId, peekMethod, type RpcId, type RpcRequest, readEnvelope } from './envelope.js'

/** A response, the quota state of the key after the call, where its time went, and the snapshot that it has read, if any. */
export interface RpcOutcome extends Pick<Session, 'quota' | 'phases' | 'snapshot'> {
  response: unknown
}

/** The part of the OpenRPC document that is read. */
export interface OpenRpc {
  methods: { name: string }[]
}

/** The caller of a message, and the state of the connection. */
export interface ReceiveOptions extends CallerRequest {
  /** The connection has reached its limit of calls in flight: this call is answered UNAVAILABLE. */
  full?: boolean
}

/**
 * Answers one JSON-RPC message. `read` gets the caller, or null when the call is refused and only its id is
 * needed.
 */
export type Receive = (
  read: (caller: Caller | null) => Promise<unknown>,
  options: ReceiveOptions,
) => Promise<RpcOutcome>

/**
 * JSON-RPC 2.0 over the methods. The library dispatches calls and builds responses. The envelope is checked
 * first, because the library alone would accept batches and notifications.
 */
export function createReceive(admission: Admission, calls: Calls, openrpc: OpenRpc): Receive {
  const server = new JSONRPCServer<Session>({ errorListener: () => {} })
  server.mapErrorToJSONRPCErrorResponse = (id, cause) => errorResponse(id, cause as AnalyticsError)
  const respond = (request: RpcRequest, outcome: CallOutcome): JSONRPCResponse => {
    if (!outcome.ok) throw outcome.error
    const { result, warnings } = outcome
    return Object.assign(
      { jsonrpc: '2.0' as const, id: request.id, result },
      warnings.length > 0 ? { warnings } : {},
    )
  }
  const call = async (request: unknown, session: Session) => {
    const checked = request as RpcRequest
    const running = calls.run(session, checked.method, checked.params)
    forget(checked.params) // run() has read the params
    return respond(checked, await running)
  }
  for (const name of METHOD_NAMES) server.addMethodAdvanced(name, call)
  const discovery: Runnable<OpenRpc> = {
    ...discover,
    run: async (_, { caller }) => ({ result: openrpcFor(caller, openrpc), rows: 0, bytes: 0 }),
  }
  server.addMethodAdvanced(discovery.name, async (request, session) => {
    const checked = request as RpcRequest
    return respond(checked, await calls.run(session, discovery, checked.params))
  })
  server.handleMethodNotFound = (request, session) => call(request, session as unknown as Session)

  return async (read, { full, ...request }) => {
    const session = await admission.admit(request)
    const told = (response: unknown): RpcOutcome => ({
      response,
      quota: session.quota,
      phases: session.phases,
      snapshot: session.snapshot,
    })
    const failed = (id: RpcId | null, error: AnalyticsError) => {
      admission.fail(session, error)
      return told(errorResponse(id, error))
    }
    if (session.refused) {
      const message = await read(null).catch(() => null)
      const named = peekMethod(message)
      calls.refuse(session, session.refused, named === discovery.name ? discovery : named)
      return told(errorResponse(peekId(message), session.refused))
    }
    try {
      const message = await read(session.caller)
      const envelope = readEnvelope(message)
      forget(message)
      if (full) return failed(envelope.id, busy())
      return told(await server.receive(envelope, session))
    } catch (cause) {
      if (cause instanceof EnvelopeError) return failed(cause.id, cause.error)
      return failed(null, admission.toError(cause))
    }
  }
}

/** The document without the methods that a key cannot call. */
function openrpcFor(caller: Caller, openrpc: OpenRpc): OpenRpc {
  const hidden = METHOD_NAMES.filter(name => !mayCall(caller, name))
  return { ...openrpc, methods: openrpc.methods.filter(({ name }) => !hidden.includes(name as MethodName)) }
}

function errorResponse(id: JSONRPCID, error: AnalyticsError): JSONRPCErrorResponse {
  const { code, message, data: detail } = error
  return {
    jsonrpc: '2.0',
    id,
    error: { code, message, data: { class: error.class, ...(detail ? { detail } : {}) } },
  }
}

function busy(): AnalyticsError {
  return new AnalyticsError(
    'UNAVAILABLE',
    'This socket has reached its maximum of calls in flight. Wait for an answer.',
  )
}
