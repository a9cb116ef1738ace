import type { CallOutcome, Calls } from '../call.js'
import { AnalyticsError } from '../errors.js'
import type { Core } from '../methods/method.js'
import { parseBody, readBody } from './body.js'
import { download } from './download.js'
import { json, quotaHeaders, respond, respondError } from './respond.js'

/** Version prefix of every path. */
export const VERSION_PATH = '/public/v1/'
const API_PATH = `${VERSION_PATH}api/`
const EXPORTS_PATH = `${VERSION_PATH}exports/`
const RPC_PATH = `${VERSION_PATH}json-rpc`

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
    if (path.startsWith(EXPORTS_PATH)) return await fetchExport(routes, request, path.slice(EXPORTS_PATH.length))
    if (path === RPC_PATH) return await fetchRpc(routes, request)
    const document = routes.documents.get(path.slice(VERSION_PATH.length))
    if (document !== undefined && (request.method === 'GET' || request.method === 'HEAD')) return json(200, document)
    return await fetchMethod(routes, request, path)
  } catch (cause) {
    return respondError(cause instanceof AnalyticsError ? cause : routes.calls.fault(cause))
  }
}

async function fetchExport({ core, calls }: Routes, request: Request, sealed: string): Promise<Response> {
  if (request.method === 'GET' || request.method === 'HEAD') return download(core, calls, request, sealed)
  await calls.authenticate(callerOf(request))
  const error = new AnalyticsError('INVALID_REQUEST', 'A file is read with GET or HEAD.')
  return respondError(error, { allow: 'GET, HEAD' })
}

async function fetchRpc({ core, rpc }: Routes, request: Request): Promise<Response> {
  const isPost = request.method === 'POST'
  const message = isPost ? readBody(request, core.limits.bodyBytes) : Promise.reject(notPost('JSON-RPC'))
  const { response, quota } = await rpc(message, callerOf(request))
  return json(200, response, { ...(quota ? quotaHeaders(quota) : {}), ...(isPost ? {} : { allow: 'POST' }) })
}

async function fetchMethod({ core, calls }: Routes, request: Request, path: string): Promise<Response> {
  const isPost = request.method === 'POST'
  const session = await calls.admit(callerOf(request))
  const read = async (): Promise<CallOutcome> => {
    if (session.refused) throw session.refused
    if (!path.startsWith(API_PATH)) throw new AnalyticsError('METHOD_NOT_FOUND', 'There is nothing at this path.')
    if (!isPost) throw notPost('A method')
    const params = parseBody(await readBody(request, core.limits.bodyBytes))
    return calls.run(session, path.slice(API_PATH.length), params === undefined ? {} : params)
  }
  const outcome = await read().catch(cause => calls.fail(session, cause))
  return respond(outcome, isPost ? {} : { allow: 'POST' })
}

function callerOf(request: Request) {
  return { authorization: request.headers.get('authorization'), signal: request.signal }
}

function notPost(what: string): AnalyticsError {
  return new AnalyticsError('INVALID_REQUEST', `${what} is called with POST.`)
}
