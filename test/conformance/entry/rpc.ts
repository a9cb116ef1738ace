import assert from 'node:assert/strict'
import { ERROR_CLASSES, type ErrorClass } from 'foldgate'
import type { Call, Outcome } from './case.js'
import type { Entry } from './entry.js'
import { assertMembers, bearer, JSON_BODY } from './rest.js'
import type { Site } from './world.js'

/** A JSON-RPC answer. */
export interface RpcAnswer {
  jsonrpc: string
  id: string | number | null
  result?: unknown
  warnings?: Outcome['warnings']
  error?: { code: number; message: string; data: { class: ErrorClass; detail?: Record<string, unknown> } }
}

/** JSON-RPC over HTTP, which must answer every POST with 200 and repeat the id. */
export function rpcEntry({ service }: Site): Entry {
  let calls = 0
  return {
    async call(call) {
      const id = calls++ % 2 === 0 ? calls : `call ${calls}`
      const answer = await postRpc(service.url, rpcText(id, call), call.key)
      assert.equal(answer.id, id)
      return readRpc(answer)
    },
  }
}

/** Returns a request as JSON. */
export function rpcText(id: string | number, { method, params }: Pick<Call, 'method' | 'params'>): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

/** Posts a message unchanged. */
async function postRpc(url: string, message: string | Buffer, key: string | null): Promise<RpcAnswer> {
  const response = await fetch(`${url}/public/v1/json-rpc`, {
    method: 'POST',
    headers: { ...bearer(key), ...JSON_BODY },
    body: message,
  })
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  return (await response.json()) as RpcAnswer
}

/** Reads a JSON-RPC answer. Fails if its envelope deviates from the contract. */
export function readRpc(answer: RpcAnswer): Outcome {
  assert.equal(answer.jsonrpc, '2.0')
  if (!answer.error) {
    assertMembers(answer, ['jsonrpc', 'id', 'result'], ['warnings'])
    return { result: answer.result, ...(answer.warnings ? { warnings: answer.warnings } : {}) }
  }
  assertMembers(answer, ['jsonrpc', 'id', 'error'], [])
  const { code, message, data } = answer.error
  assertMembers(answer.error, ['code', 'message', 'data'], [])
  assertMembers(data, ['class'], ['detail'])
  assert.equal(code, ERROR_CLASSES[data.class].code)
  return { error: { code, class: data.class, message, ...(data.detail ? { detail: data.detail } : {}) } }
}
