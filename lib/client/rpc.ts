import { PATHS } from '../paths.js'
import { ask, readJson, readRpc, type Target, type Transport } from './transport.js'

/** JSON-RPC 2.0 over HTTP, one call a request. */
export function overHttp(target: Target): Transport {
  return {
    async call(method, params, signal) {
      // Loaded when needed: it is no ES module, so that without it pages need no bundler.
      const { JSONRPCClient } = await import('json-rpc-2.0')
      let status: number | undefined
      let failure: unknown
      const post = async (request: object) => {
        const response = await ask(target, PATHS.rpc, { method: 'POST', body: JSON.stringify(request), signal })
        status = response.status
        const body = (await readJson(response, method, signal)) as object
        // There is one call a request, so that the answer is its own even where the id could not be read.
        rpc.receive({ ...body, id: 1 } as never)
      }
      const rpc = new JSONRPCClient(request =>
        post(request).catch(cause => {
          failure = cause
          throw cause // the library makes an answer of it, of which only the message is left
        }),
      )
      const response = await rpc.requestAdvanced({ jsonrpc: '2.0', id: 1, method, params })
      if (failure !== undefined) throw failure
      return readRpc(response, method, status)
    },
    close() {},
  }
}
