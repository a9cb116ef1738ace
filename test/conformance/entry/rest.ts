import assert from 'node:assert/strict'
import { ERROR_CLASSES, type ErrorClass } from 'foldgate'
import { KEYS } from '../../service/service.js'
import type { Outcome } from './case.js'
import type { Entry } from './entry.js'
import type { Site } from './world.js'

/** REST, whose status and headers must agree with the class. */
export function restEntry(site: Site): Entry {
  return {
    async call({ method, params, key }) {
      const response = await postRest(site, method, params, key)
      const outcome = readRest(response.status, response.headers, await response.text())
      checkQuota(response.headers, outcome)
      return outcome
    },
  }
}

/** Calls a method; sends an empty body if `params` is undefined. */
export function postRest({ service }: Site, method: string, params: unknown, key: string | null = KEYS.north) {
  const path = method.startsWith('queries/') ? method : `api/${method}`
  return fetch(`${service.url}/public/v1/${path}`, {
    method: 'POST',
    headers: { ...bearer(key), ...(params === undefined ? {} : JSON_BODY) },
    body: params === undefined ? null : JSON.stringify(params),
  })
}

/** The body of a failure. */
interface RestError {
  code: number
  class: ErrorClass
  message: string
  data?: Record<string, unknown>
}

/** The content type of bodies. The API ignores it, but a host's body parser may not. */
export const JSON_BODY = { 'content-type': 'application/json' }

/** The header that carries a key. */
export function bearer(key: string | null): Record<string, string> {
  return key === null ? {} : { authorization: `Bearer ${key}` }
}

/** Reads a REST answer. Fails if its envelope deviates from the contract. */
export function readRest(status: number, headers: Headers, text: string): Outcome {
  const body = JSON.parse(text) as Outcome
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
  if (status === 200) {
    assertMembers(body, ['result'], ['warnings'])
    return body
  }
  assertMembers(body, ['code', 'class', 'message'], ['data'])
  const { code, class: name, message, data } = body as unknown as RestError
  assert.deepEqual({ code, status }, ERROR_CLASSES[name])
  assert.equal(headers.get('www-authenticate'), name === 'UNAUTHENTICATED' ? 'Bearer' : null)
  assert.equal(headers.has('retry-after'), name === 'UNAVAILABLE' || name === 'RATE_LIMITED')
  return { error: { code, class: name, message, ...(data ? { detail: data } : {}) } }
}

/** Answers to authenticated callers carry the quota fields. UNAVAILABLE can precede authentication. */
function checkQuota(headers: Headers, { error }: Outcome): void {
  if (error?.class === 'UNAVAILABLE') return
  const isKnown = error?.class !== 'UNAUTHENTICATED'
  assert.match(headers.get('ratelimit') ?? 'none', isKnown ? /^"calls";r=\d+;t=\d+$/ : /^none$/)
  assert.match(headers.get('ratelimit-policy') ?? 'none', isKnown ? /^"calls";q=\d+;w=\d+$/ : /^none$/)
}

/** Fails unless an object has all `needed` members, and no others than `possible` ones. */
export function assertMembers(value: object, needed: readonly string[], possible: readonly string[]): void {
  const names = Object.keys(value)
  assert.deepEqual(
    needed.filter(name => !names.includes(name)),
    [],
    'missing members',
  )
  assert.deepEqual(
    names.filter(name => !needed.includes(name) && !possible.includes(name)),
    [],
    'unexpected members',
  )
}
