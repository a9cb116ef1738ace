import { type Limits, resolveLimits } from '../call/limits.js'
import { METHODS } from '../methods/calls.js'
import type { Method } from '../methods/method.js'
import { plainly } from '../words.js'
import type { Contact, Subject } from './info.js'
import { describeRest } from './openapi.js'
import { describeRpc } from './openrpc.js'

/**
 * Builds the documents that describe the API from the methods that run the calls, by their name below the
 * version prefix. `baseUrl` has no trailing slash; `limits` are those in force; `hasTree` tells whether the
 * catalogue has a tree of ownership.
 */
export function describeApi(
  baseUrl: string,
  limits: Limits = resolveLimits(),
  methods: Iterable<Method> = METHODS.values(),
  contact: Contact = { name: 'The operator of the service', url: baseUrl },
  hasTree = true,
): ReadonlyMap<string, object> {
  const subject: Subject = { baseUrl, limits, methods: [...methods], contact }
  const [openapi, openrpc] = [describeRest(subject), describeRpc(subject)].map(
    hasTree ? same => same : plainly,
  ) as [object, object]
  return new Map<string, object>([
    ['openapi.json', openapi],
    ['openrpc.json', openrpc],
    ['description.json', { openapi, openrpc }],
  ])
}
