import { type Limits, resolveLimits } from '../call/limits.js'
import { methodsIn } from '../methods/calls.js'
import type { Method } from '../methods/method.js'
import type { Words } from '../words.js'
import { failuresIn } from './failures.js'
import type { Contact, Subject } from './info.js'
import { describeRest } from './openapi.js'
import { describeRpc } from './openrpc.js'

/**
 * Builds the documents that describe the API from the methods that run the calls, by their name below the
 * version prefix. `baseUrl` has no trailing slash; `limits` are those in force.
 */
export function describeApi(
  baseUrl: string,
  words: Words,
  {
    limits = resolveLimits(),
    methods = Object.values(methodsIn(words)),
    contact = { name: 'The operator of the service', url: baseUrl },
  }: {
    limits?: Limits | undefined
    methods?: readonly Method[] | undefined
    contact?: Contact | undefined
  } = {},
): ReadonlyMap<string, object> {
  const subject: Subject = { baseUrl, limits, methods, contact, failures: failuresIn(words), words }
  const openapi = describeRest(subject)
  const openrpc = describeRpc(subject)
  return new Map<string, object>([
    ['openapi.json', openapi],
    ['openrpc.json', openrpc],
    ['description.json', { openapi, openrpc }],
  ])
}
