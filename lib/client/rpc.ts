import { PATHS } from '../paths.js'
import { ask, readJson, readRpc, type Target, type Transport } from './transport.js'

/** JSON-RPC 2.0 over HTTP, one call per request. */
export function overHttp(target: Target): Transport {
  return {
    async call(method, params, signal) {
      // Loaded on demand: it is not an ES module, and pages that use REST need no bundler without it.
      const { JSONRPCClient } = await import('json-rpc-2.0')
      let status: number | undefined
      let failure: unknown
      const post = async (request: object) => {
        const response = await ask(target, PATHS.rpc, { method: 'POST', body: JSON.stringify(request), signal })
        status = response.status
        const body = (await readJson(response, method, signal)) as object
        // With one call per request, the answer belongs to it even if the service could not read the id.
        rpc.receive({ ...body, id: 1 } as never)
      }
      const rpc = new JSONRPCClient(request =>
        post(request).catch(cause => {
          failure = cause
          throw cause // the library turns it into a response that keeps the message only
        }),
      )
      const response = await rpc.requestAdvanced({ jsonrpc: '2.0', id: 1, method, params })
      if (failure !== undefined) throw failure
      return readRpc(response, method, status)
    },
    close() {},
  }
}
