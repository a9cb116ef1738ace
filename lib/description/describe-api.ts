import { type Limits, resolveLimits } from '../call/limits.js'
import { METHODS } from '../methods/calls.js'
import type { Method } from '../methods/method.js'
import type { Contact, Subject } from './info.js'
import { describeRest } from './openapi.js'
import { describeRpc } from './openrpc.js'

/**
 * Builds the documents that describe the API from the methods that run the calls, by their name below the
 * version prefix. `baseUrl` has no trailing slash; `limits` are those in force.
 */
export function describeApi(
  baseUrl: string,
  limits: Limits = resolveLimits(),
  methods: Iterable<Method> = METHODS.values(),
  contact: Contact = { name: 'The operator of the service', url: baseUrl },
): ReadonlyMap<string, object> {
  const subject: Subject = { baseUrl, limits, methods: [...methods], contact }
  const openapi = describeRest(subject)
  const openrpc = describeRpc(subject)
  return new Map<string, object>([
    ['openapi.json', openapi],
    ['openrpc.json', openrpc],
    ['description.json', { openapi, openrpc }],
  ])
}
