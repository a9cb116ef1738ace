import { PATHS } from '../paths.js'
import { ask, isAnswer, readFailure, readJson, strange, type Target, type Transport } from './transport.js'

/** REST: the method in the path, the params as the body. */
export function overRest(target: Target): Transport {
  return {
    async call(method, params, signal) {
      const response = await ask(target, PATHS.api + method, { method: 'POST', body: JSON.stringify(params), signal })
      const body = await readJson(response, method, signal)
      if (response.ok && isAnswer(body)) return body
      throw readFailure(body, method, response.headers) ?? strange(method, response)
    },
    close() {},
  }
}
