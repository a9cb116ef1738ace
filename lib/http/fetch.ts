import type { CallOutcome, Calls } from '../call.js'
import { AnalyticsError } from '../errors.js'
import type { Core } from '../methods/method.js'
import { parseBody, readBody } from './body.js'
import { download } from './download.js'
import { respond, respondError } from './respond.js'

/** Version prefix of every path. */
export const VERSION_PATH = '/public/v1/'
const API_PATH = `${VERSION_PATH}api/`
const EXPORTS_PATH = `${VERSION_PATH}exports/`

/** Answers a request for a path below the version prefix; `path` is what follows the mount point. */
export async function fetchPath(core: Core, calls: Calls, request: Request, path: string): Promise<Response> {
  try {
    if (path.startsWith(EXPORTS_PATH)) return await fetchExport(core, calls, request, path.slice(EXPORTS_PATH.length))
    return await fetchMethod(core, calls, request, path)
  } catch (cause) {
    return respondError(cause instanceof AnalyticsError ? cause : calls.fault(cause))
  }
}

async function fetchExport(core: Core, calls: Calls, request: Request, sealed: string): Promise<Response> {
  if (request.method === 'GET' || request.method === 'HEAD') return download(core, calls, request, sealed)
  await calls.authenticate(request.headers.get('authorization'), request.signal)
  const error = new AnalyticsError('INVALID_REQUEST', 'A file is read with GET or HEAD.')
  return respondError(error, { allow: 'GET, HEAD' })
}

async function fetchMethod(core: Core, calls: Calls, request: Request, path: string): Promise<Response> {
  const isPost = request.method === 'POST'
  const outcome: CallOutcome = await calls.perform({
    authorization: request.headers.get('authorization'),
    signal: request.signal,
    read: async () => {
      if (!path.startsWith(API_PATH)) throw new AnalyticsError('METHOD_NOT_FOUND', 'There is nothing at this path.')
      if (!isPost) throw new AnalyticsError('INVALID_REQUEST', 'A method is called with POST.')
      const params = parseBody(await readBody(request, core.limits.bodyBytes))
      return { method: path.slice(API_PATH.length), params: params === undefined ? {} : params }
    },
  })
  return respond(outcome, isPost ? {} : { allow: 'POST' })
}
