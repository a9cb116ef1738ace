import type { CallerRequest } from '../call/admission.js'
import { callsAll } from '../call/caller.js'
import { forget } from '../call/json-parts.js'
import { PATHS } from '../call/paths-and-headers.js'
import { AnalyticsError } from '../errors.js'
import type { CallOutcome, Calls, Service } from '../methods/calls.js'
import { type Core, cannotCall } from '../methods/method.js'
import { QUERIES } from '../methods/named-queries.js'
import type { Caller } from '../ports.js'
import type { Receive } from '../rpc/receive.js'
import { parseBody } from './body.js'
import { download } from './download.js'
import type { Answerer, HostAnswer, HttpAnswer, HttpRequest } from './exchange.js'
import {
  json,
  quotaHeaders,
  RestPage,
  respond,
  respondError,
  respondRpc,
  snapshotHeaders,
} from './respond.js'
import type { StaticDocuments } from './static-documents.js'

/** Most bytes read of a message that is refused: only its id is needed. */
const REFUSED_BYTES = 256 * 1024

/** What the routes are built on. */
export interface Routes extends Service {
  /** Answers a JSON-RPC message. `read` gets its caller, or null when the call is refused. */
  rpc: Receive
  /** Documents by their name below the version prefix. */
  documents: StaticDocuments
  /** Documents by their path on the origin, which may be outside of the mount. */
  wellKnown: StaticDocuments
}

/** Answers a request for a path below the version prefix; `path` is what follows the mount point. */
export async function answerPath(routes: Routes, request: HttpRequest, path: string): Promise<HttpAnswer> {
  try {
    if (path.startsWith(PATHS.exports))
      return await answerExport(routes, request, path.slice(PATHS.exports.length))
    if (path === PATHS.rpc) return await answerRpc(routes, request)
    const { documents, wellKnown } = routes
    if (wellKnown.has(request.path)) return await answerDocument(routes, request, wellKnown, request.path)
    const name = path.slice(PATHS.documents.length)
    if (documents.has(name)) return await answerDocument(routes, request, documents, name)
    return await answerMethod(routes, request, path)
  } catch (cause) {
    return respondError(routes.admission.toError(cause))
  }
}

/** Gives answers to callers without a valid key this value of `WWW-Authenticate`. */
export function challengeWith(challenge: string): (answer: Answerer) => Answerer {
  return answer => async request => {
    const answered = await answer(request)
    if (answered.status !== 401 || !('www-authenticate' in answered.headers)) return answered
    return { ...answered, headers: { ...answered.headers, 'www-authenticate': challenge } }
  }
}

/** Answers a request for a path of the host as a call of this name, see `AdapterApi.answerAs`. */
export function answerAs(
  service: Service,
  request: HttpRequest,
  name: string,
  work: (caller: Caller) => Promise<HostAnswer>,
): Promise<HttpAnswer> {
  return answerCounted(service, request, name, async caller => {
    if (!callsAll(caller)) throw cannotCall()
    const { body, headers } = await work(caller)
    return json(200, body, headers)
  })
}

/** Answers a request that takes a unit of quota and is reported like a method of this name. */
async function answerCounted(
  { core, admission }: Service,
  request: HttpRequest,
  name: string,
  work: (caller: Caller) => Promise<HttpAnswer & { body: readonly Uint8Array[] | null }>,
): Promise<HttpAnswer> {
  const [caller, sent] = heldOf(request)
  const session = await admission.admit(caller)
  const told = session.quota ? quotaHeaders(session.quota) : {}
  try {
    const answer = await admission.perform(session, name, async known => {
      const made = await work(known)
      const bytes = made.body?.reduce((sum, part) => sum + part.byteLength, 0) ?? 0
      session.onUnsent?.(core.unsent.add(known.ownerId, bytes))
      return made
    })
    return { ...answer, headers: { ...told, ...answer.headers }, sent }
  } catch (cause) {
    return { ...respondError(admission.toError(cause), told), sent }
  }
}

async function answerExport(routes: Routes, request: HttpRequest, token: string): Promise<HttpAnswer> {
  return isRead(request)
    ? download(routes.core, routes.admission, request, token)
    : refuseVerb(routes, request)
}

/** Reading a document that needs a key is a call: `catalogue.json` is reported as `catalogue`. */
async function answerDocument(
  routes: Routes,
  request: HttpRequest,
  documents: StaticDocuments,
  name: string,
): Promise<HttpAnswer> {
  if (!isRead(request)) return refuseVerb(routes, request)
  if (!documents.needsKey(name)) return documents.answer(name, request)
  return answerCounted(routes, request, name.replace('.json', ''), caller =>
    documents.answerFor(caller, name, request),
  )
}

function isRead(request: HttpRequest): boolean {
  return request.method === 'GET' || request.method === 'HEAD'
}

/** Checks the key first: callers without one are not told which HTTP methods are allowed. */
async function refuseVerb({ admission }: Routes, request: HttpRequest): Promise<HttpAnswer> {
  await admission.authenticate(callerOf(request))
  return respondError(new AnalyticsError('INVALID_REQUEST', 'This path accepts only GET and HEAD.'), {
    allow: 'GET, HEAD',
  })
}

async function answerRpc({ core, rpc }: Routes, request: HttpRequest): Promise<HttpAnswer> {
  const isPost = request.method === 'POST'
  const [caller, sent] = heldOf(request)
  const read = async (known: Caller | null) => {
    if (!isPost) throw notPost('JSON-RPC')
    if (known) return readBody(core, request, known)
    // Reading would send 100 Continue, and so ask the client for a message that is refused.
    return request.header('expect')
      ? undefined
      : parseBody(await request.readBody(Math.min(REFUSED_BYTES, core.limits.bodyBytes)))
  }
  const outcome = await rpc(read, caller)
  // Clients of JSON-RPC expect 200 for every answer; probes and testers expect another status for a wrong
  // verb.
  const answer = isPost ? respondRpc(outcome, 200) : respondRpc(outcome, 405, { allow: 'POST' })
  return { ...answer, sent }
}

/** Reads the JSON body of a request. While it arrives, its size counts as unsent bytes of the owner. */
async function readBody(
  { limits, unsent }: Core,
  request: HttpRequest,
  { ownerId }: Caller,
): Promise<unknown> {
  const { bodyBytes } = limits
  const declared = Number(request.header('content-length') ?? bodyBytes)
  const release = unsent.add(ownerId, Math.min(declared, bodyBytes) || 0)
  return parseBody(await request.readBody(bodyBytes).finally(release), request.header('content-encoding'))
}

async function answerMethod(
  { core, admission, calls }: Routes,
  request: HttpRequest,
  path: string,
): Promise<HttpAnswer> {
  const name = methodAt(path, calls)
  const isMethod = calls.has(name) || name.startsWith(QUERIES)
  const isPost = request.method === 'POST'
  const [caller, sent] = heldOf(request)
  const page = new RestPage(core.signer, request)
  const session = await admission.admit(caller)
  const read = async (): Promise<CallOutcome> => {
    if (session.refused) throw session.refused
    if (isMethod && !isPost) throw notPost('A method')
    const params = isPost ? await readBody(core, request, session.caller as Caller) : undefined
    const running = calls.run(session, name, params ?? {}, page)
    forget(params) // run() has read the params
    return running
  }
  const outcome = await read().catch(cause => calls.refuse(session, cause, name))
  const allow = isMethod && !isPost ? { allow: 'POST' } : {}
  return {
    ...respond(outcome, page, session.phases, { ...snapshotHeaders(session.snapshot), ...allow }),
    sent,
  }
}

/** The name of the method at a path, or of a query, which has a path of its own; empty when there is neither. */
function methodAt(path: string, { queries }: Calls): string {
  if (path.startsWith(PATHS.queries) && queries.all.length > 0)
    return QUERIES + path.slice(PATHS.queries.length).replace(/%40/g, '@')
  const name = path.startsWith(PATHS.api) ? path.slice(PATHS.api.length) : ''
  return name.startsWith(QUERIES) ? '' : name
}

/** The caller, and the `sent` of the answer, which releases its unsent bytes. */
function heldOf(request: HttpRequest): [CallerRequest, () => void] {
  let release = () => {}
  const onUnsent = (given: () => void) => {
    release = given
  }
  return [{ ...callerOf(request), onUnsent }, () => release()]
}

function callerOf(request: HttpRequest): CallerRequest {
  const { signal } = request
  return { authorization: request.header('authorization'), signal, header: name => request.header(name) }
}

function notPost(what: string): AnalyticsError {
  return new AnalyticsError('INVALID_REQUEST', `${what} must be called with POST.`)
}
