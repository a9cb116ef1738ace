import { type CallOutcome, type Calls, METHODS } from '../call.js'
import { AnalyticsError } from '../errors.js'
import type { Core } from '../methods/method.js'
import { PATHS } from '../paths.js'
import { parseBody, readBody } from './body.js'
import { download } from './download.js'
import { json, quotaHeaders, respond, respondError } from './respond.js'

/** What answers requests beside the methods themselves. */
export interface Routes {
  core: Core
  calls: Calls
  /** A JSON-RPC message to its answer. */
  rpc(message: Promise<Uint8Array>, request: { authorization: string | null; signal: AbortSignal }): Promise<RpcAnswer>
  /** Documents that anybody may read, by path. */
  documents: ReadonlyMap<string, unknown>
}

/** An answer of JSON-RPC, and what it leaves of the quota. */
export interface RpcAnswer {
  response: unknown
  quota: CallOutcome['quota']
}

/** Answers a request for a path below the version prefix; `path` is what follows the mount point. */
export async function fetchPath(routes: Routes, request: Request, path: string): Promise<Response> {
  try {
    if (path.startsWith(PATHS.exports)) return await fetchExport(routes, request, path.slice(PATHS.exports.length))
    if (path === PATHS.rpc) return await fetchRpc(routes, request)
    const document = routes.documents.get(path.slice(PATHS.documents.length))
    if (document !== undefined) return await fetchDocument(routes, request, document)
    return await fetchMethod(routes, request, path)
  } catch (cause) {
    return respondError(cause instanceof AnalyticsError ? cause : routes.calls.fault(cause))
  }
}

async function fetchExport(routes: Routes, request: Request, sealed: string): Promise<Response> {
  return isRead(request) ? download(routes.core, routes.calls, request, sealed) : refuseVerb(routes, request)
}

async function fetchDocument(routes: Routes, request: Request, document: unknown): Promise<Response> {
  return isRead(request) ? json(200, document) : refuseVerb(routes, request)
}

function isRead(request: Request): boolean {
  return request.method === 'GET' || request.method === 'HEAD'
}

/** Nothing is told before the key holds, not even which verbs there are. */
async function refuseVerb({ calls }: Routes, request: Request): Promise<Response> {
  await calls.authenticate(callerOf(request))
  return respondError(new AnalyticsError('INVALID_REQUEST', 'This is read with GET or HEAD.'), { allow: 'GET, HEAD' })
}

async function fetchRpc({ core, rpc }: Routes, request: Request): Promise<Response> {
  const isPost = request.method === 'POST'
  const message = isPost ? readBody(request, core.limits.bodyBytes) : Promise.reject(notPost('JSON-RPC'))
  const { response, quota } = await rpc(message, callerOf(request))
  return json(200, response, { ...(quota ? quotaHeaders(quota) : {}), ...(isPost ? {} : { allow: 'POST' }) })
}

async function fetchMethod({ core, calls }: Routes, request: Request, path: string): Promise<Response> {
  const name = path.startsWith(PATHS.api) ? path.slice(PATHS.api.length) : ''
  const isMethod = METHODS.has(name)
  const isPost = request.method === 'POST'
  const session = await calls.admit(callerOf(request))
  const read = async (): Promise<CallOutcome> => {
    if (session.refused) throw session.refused
    if (isMethod && !isPost) throw notPost('A method')
    const params = isPost ? parseBody(await readBody(request, core.limits.bodyBytes)) : undefined
    return calls.run(session, name, params === undefined ? {} : params)
  }
  const outcome = await read().catch(cause => calls.fail(session, cause))
  return respond(outcome, isMethod && !isPost ? { allow: 'POST' } : {})
}

function callerOf(request: Request) {
  return { authorization: request.headers.get('authorization'), signal: request.signal }
}

function notPost(what: string): AnalyticsError {
  return new AnalyticsError('INVALID_REQUEST', `${what} is called with POST.`)
}
