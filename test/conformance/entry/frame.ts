import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { ErrorClass } from 'foldgate'
import { WebSocket } from 'ws'
import { KEYS } from '../../service/service.js'
import { assertHolds } from './judge.js'
import { bearer, JSON_BODY } from './rest.js'
import { type RpcAnswer, readRpc } from './rpc.js'
import type { Rule } from './rules.js'
import type { Site } from './world.js'

/** One message to a JSON-RPC entry point as sent, and its expected answer. */
export interface EnvelopeCase {
  name: string
  rules: readonly Rule[]
  /** The message. Sockets send bytes as a binary frame; null sends an empty message. */
  frame: string | Buffer | null
  /** Entry points that can receive such a message; all of them by default. */
  only?: readonly string[]
  verb?: 'GET' | 'PUT' | 'DELETE' | 'POST'
  /** Defaults to the key of `north`. */
  key?: string | null
  expect: {
    id: RpcAnswer['id']
    class?: ErrorClass
    /** Members that the detail of the failure must have; null if there must be no detail. */
    detail?: Record<string, unknown> | null
    /** Members that the result must have. */
    result?: Record<string, unknown>
    /** Paths of the warnings beside the result. */
    warnings?: string[]
  }
}

/** Sends the message of a case and returns the answer. */
export type Deliver = (site: Site, one: EnvelopeCase) => Promise<RpcAnswer>

/** The entry points that speak JSON-RPC. */
export const RPC_ENTRIES: Record<string, Deliver> = {
  'JSON-RPC over HTTP': postFrame,
  'JSON-RPC over WebSocket': sendFrame,
  'JSON-RPC in process': async ({ service }, { frame, key = KEYS.north }) => {
    const authorization = bearer(key).authorization ?? null
    return JSON.parse(await service.api.adapter.receive(String(frame), { authorization })) as RpcAnswer
  },
}

async function postFrame(site: Site, one: EnvelopeCase) {
  const { verb = 'POST' } = one
  const response = await requestFrame(site, one)
  assert.equal(response.status, verb === 'POST' ? 200 : 405)
  assert.equal(response.headers.get('allow'), verb === 'POST' ? null : 'POST')
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  return (await response.json()) as RpcAnswer
}

/** Sends a message as the body of an HTTP request. */
export function requestFrame({ service }: Site, { frame, verb = 'POST', key = KEYS.north }: EnvelopeCase) {
  const headers = { ...bearer(key), ...(frame === null ? {} : JSON_BODY) }
  return fetch(`${service.url}/public/v1/json-rpc`, { method: verb, headers, body: frame })
}

/** Opens a socket and sends. For an invalid key, the socket opens with a valid key, which is then revoked. */
async function sendFrame({ socketUrl, service: { host } }: Site, { frame, key = KEYS.north }: EnvelopeCase) {
  const revoked = key === null || !host.callers.has(key) ? `revoked-${Math.random()}` : null
  if (revoked) host.callers.set(revoked, { keyId: revoked, ownerId: 'ada', organizations: ['north'] })
  const socket = new WebSocket(socketUrl, { headers: bearer(revoked ?? key) })
  await once(socket, 'open')
  if (revoked) host.callers.delete(revoked)
  socket.send(frame ?? '')
  const [data] = await once(socket, 'message')
  socket.terminate()
  return JSON.parse(String(data)) as RpcAnswer
}

/** Fails unless an answer is as its case expects. */
export function judgeAnswer({ expect }: EnvelopeCase, answer: RpcAnswer): void {
  const { error, result, warnings } = readRpc(answer)
  assert.equal(answer.id, expect.id)
  assert.equal(error?.class, expect.class, error?.message)
  if (expect.detail === null) assert.equal(error?.detail, undefined)
  assertHolds(error?.detail, expect.detail ?? undefined, 'detail')
  assertHolds(result, expect.result, 'result')
  assert.deepEqual(
    warnings?.map(warning => warning.path),
    expect.warnings,
  )
}
