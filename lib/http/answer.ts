import { type CallerRequest, type CallOutcome, type Calls, METHODS } from '../call.js'
import { AnalyticsError } from '../errors.js'
import type { Core } from '../methods/method.js'
import { PATHS } from '../paths.js'
import type { RpcOutcome } from '../rpc/receive.js'
import { parseBody } from './body.js'
import { download } from './download.js'
import type { HttpAnswer, HttpRequest } from './exchange.js'
import { json, quotaHeaders, respond, respondError } from './respond.js'

/** What answers requests beside the methods themselves. */
export interface Routes {
  core: Core
  calls: Calls
  /** A JSON-RPC message to its answer. */
  rpc(message: Promise<Uint8Array>, request: CallerRequest): Promise<RpcOutcome>
  /** Documents that anybody may read, by path. */
  documents: ReadonlyMap<string, unknown>
}

/** Answers a request for a path below the version prefix; `path` is what follows the mount point. */
export async function answerPath(routes: Routes, request: HttpRequest, path: string): Promise<HttpAnswer> {
  try {
    if (path.startsWith(PATHS.exports)) return await answerExport(routes, request, path.slice(PATHS.exports.length))
    if (path === PATHS.rpc) return await answerRpc(routes, request)
    const document = routes.documents.get(path.slice(PATHS.documents.length))
    if (document !== undefined) return await answerDocument(routes, request, document)
    return await answerMethod(routes, request, path)
  } catch (cause) {
    return respondError(routes.calls.toError(cause))
  }
}

async function answerExport(routes: Routes, request: HttpRequest, sealed: string): Promise<HttpAnswer> {
  return isRead(request) ? download(routes.core, routes.calls, request, sealed) : refuseVerb(routes, request)
}

async function answerDocument(routes: Routes, request: HttpRequest, document: unknown): Promise<HttpAnswer> {
  return isRead(request) ? json(200, document) : refuseVerb(routes, request)
}

function isRead(request: HttpRequest): boolean {
  return request.method === 'GET' || request.method === 'HEAD'
}

/** Nothing is told before the key holds, not even which verbs there are. */
async function refuseVerb({ calls }: Routes, request: HttpRequest): Promise<HttpAnswer> {
  await calls.authenticate(callerOf(request))
  return respondError(new AnalyticsError('INVALID_REQUEST', 'This is read with GET or HEAD.'), { allow: 'GET, HEAD' })
}

async function answerRpc({ core, rpc }: Routes, request: HttpRequest): Promise<HttpAnswer> {
  const isPost = request.method === 'POST'
  const message = isPost ? request.readBody(core.limits.bodyBytes) : Promise.reject(notPost('JSON-RPC'))
  const { response, quota } = await rpc(message, callerOf(request))
  return json(200, response, { ...(quota ? quotaHeaders(quota) : {}), ...(isPost ? {} : { allow: 'POST' }) })
}

async function answerMethod({ core, calls }: Routes, request: HttpRequest, path: string): Promise<HttpAnswer> {
  const name = path.startsWith(PATHS.api) ? path.slice(PATHS.api.length) : ''
  const isMethod = METHODS.has(name)
  const isPost = request.method === 'POST'
  const session = await calls.admit(callerOf(request))
  const read = async (): Promise<CallOutcome> => {
    if (session.refused) throw session.refused
    if (isMethod && !isPost) throw notPost('A method')
    const params = isPost ? parseBody(await request.readBody(core.limits.bodyBytes)) : undefined
    return calls.run(session, name, params === undefined ? {} : params)
  }
  const outcome = await read().catch(cause => calls.fail(session, cause))
  return respond(outcome, session.phases, isMethod && !isPost ? { allow: 'POST' } : {})
}

function callerOf(request: HttpRequest): CallerRequest {
  return { authorization: request.header('authorization'), signal: request.signal }
}

function notPost(what: string): AnalyticsError {
  return new AnalyticsError('INVALID_REQUEST', `${what} is called with POST.`)
}
