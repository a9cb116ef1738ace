import { COLUMNS_HEADER, PATHS } from '../call/paths-and-headers.js'
import {
  ask,
  type CallTarget,
  isAnswer,
  parseJson,
  readFailure,
  readJson,
  readRpc,
  snapshotIn,
  strange,
  type Transport,
} from './transport.js'

/** REST: the path names the method, the body has the params. */
export function overRest(target: CallTarget): Transport {
  return {
    async call(method, params, signal) {
      const response = await ask(target, pathOf(method), {
        method: 'POST',
        body: JSON.stringify(params),
        signal,
      })
      const value = await readJson(response, method, signal)
      const { headers } = response
      if (!response.ok || !isAnswer(value))
        throw readFailure(value, method, headers) ?? strange(method, response)
      return {
        ...value,
        columns: columnsIn(headers),
        snapshot: snapshotIn(headers),
        spentMs: timingIn(headers),
      }
    },
    close() {},
  }
}

/** Named queries have paths of their own. */
function pathOf(method: string): string {
  return method.startsWith('queries/') ? PATHS.documents + method : PATHS.api + method
}

/** The columns of a page without rows, if the service has sent them and a proxy has passed them on. */
function columnsIn(headers: Headers): string[] | null {
  const columns = parseJson(headers.get(COLUMNS_HEADER) ?? '')
  return Array.isArray(columns) && columns.every(name => typeof name === 'string') ? columns : null
}

/** The phases in `Server-Timing`, if a proxy has passed it on and pages of the origin may read it. */
function timingIn(headers: Headers): Record<string, number> | undefined {
  const phases = [...(headers.get('server-timing') ?? '').matchAll(/(\w+);dur=([\d.]+)/g)]
  return phases.length > 0
    ? Object.fromEntries(phases.map(([, phase, ms]) => [phase, Number(ms)]))
    : undefined
}

/** JSON-RPC 2.0 over HTTP, one call per request. */
export function overJsonRpc(target: CallTarget): Transport {
  return {
    async call(method, params, signal) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await ask(target, PATHS.rpc, { method: 'POST', body, signal })
      // With one call per request, the answer belongs to it even if the service could not read the id.
      const value = await readJson(response, method, signal)
      const { headers } = response
      return {
        ...readRpc(value, method, response),
        snapshot: snapshotIn(headers),
        spentMs: timingIn(headers),
      }
    },
    close() {},
  }
}
