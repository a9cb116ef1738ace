import { type Limits, resolveLimits } from '../call/limits.js'
import { methodsIn } from '../methods/calls.js'
import type { Method } from '../methods/method.js'
import type { QueryMethods } from '../methods/named-queries.js'
import type { Caller } from '../ports.js'
import type { Words } from '../words.js'
import { failuresIn } from './failures.js'
import type { ApiSubject, Contact } from './info.js'
import { describeRest } from './openapi.js'
import { describeRpc } from './openrpc.js'
import { BARE_CHALLENGE } from './protected-resource.js'
import { describeNamedQueries } from './queries-document.js'

/** What the documents state beside the methods. */
interface Stated {
  limits?: Limits | undefined
  contact?: Contact | undefined
  challenge?: string | undefined
}

/**
 * Builds the documents that describe the API from the methods that run the calls, by their name below the
 * version prefix. `baseUrl` has no trailing slash; `limits` are those in force.
 */
export function describeApi(
  baseUrl: string,
  words: Words,
  {
    methods = Object.values(methodsIn(words)),
    ...stated
  }: Stated & { methods?: readonly Method[] | undefined } = {},
): ReadonlyMap<string, object> {
  const subject = subjectOf(baseUrl, words, stated, methods)
  const openapi = describeRest(subject)
  const openrpc = describeRpc(subject)
  return new Map<string, object>([
    ['openapi.json', openapi],
    ['openrpc.json', openrpc],
    ['description.json', { openapi, openrpc }],
  ])
}

/** Returns `queries.json` for each caller: the document of the named queries that the key may run. */
export function describeQueries(
  baseUrl: string,
  words: Words,
  stated: Stated,
  queries: QueryMethods,
): (caller: Pick<Caller, 'only'>) => Promise<object> {
  const subject = subjectOf(baseUrl, words, stated, [])
  const whole = describeNamedQueries(subject, queries.all)
  return async caller => (caller.only ? describeNamedQueries(subject, await queries.of(caller)) : whole)
}

function subjectOf(
  baseUrl: string,
  words: Words,
  {
    limits = resolveLimits(),
    contact = { name: 'The operator of the service', url: baseUrl },
    challenge = BARE_CHALLENGE,
  }: Stated,
  methods: readonly Method[],
): ApiSubject {
  return { baseUrl, limits, methods, contact, failures: failuresIn(words), words, challenge }
}
