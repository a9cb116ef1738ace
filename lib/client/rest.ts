import { PATHS } from '../paths.js'
import { ask, isAnswer, readFailure, readJson, strange, type Target, type Transport } from './transport.js'

/** REST: the path names the method, the body has the params. */
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
