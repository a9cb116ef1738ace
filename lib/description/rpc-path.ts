import { PATHS } from '../paths.js'
import { rpcAnswer, rpcCall, rpcRefusal } from './bodies.js'
import type { Components } from './components.js'
import { discover } from './discovery.js'
import { classesOf } from './failures.js'
import type { Subject } from './info.js'
import { json, type Part, quotaFields } from './responses.js'

/** The OpenAPI path of JSON-RPC over HTTP. */
export function describeRpcPath({ methods }: Subject, components: Components): Part {
  const request = {
    title: 'RpcRequest',
    oneOf: [
      ...methods.map(({ name, params, paramsOptional }) => rpcCall(name, params.json, paramsOptional)),
      rpcCall(discover.name, discover.params.json, true),
    ],
    description: 'One call.',
  }
  const results = [...methods.map(method => method.result), discover.result]
  const answer = {
    title: 'RpcResponse',
    anyOf: [...results.map(rpcAnswer), rpcRefusal(classesOf(methods))],
    description: 'The answer to one call.',
  }
  const examples = Object.fromEntries(
    methods.map(({ name, summary, example }, index) => [
      name.replace('/', '-'),
      { summary, value: { jsonrpc: '2.0', id: index + 1, method: name, params: example.params } },
    ]),
  )
  return {
    [PATHS.rpc]: {
      post: {
        operationId: 'rpcCall',
        tags: ['json-rpc'],
        summary: 'Call a method over JSON-RPC 2.0',
        description:
          'One call per request, with params by name. The status is 200 whether the call succeeds or fails. Batches ' +
          'and notifications are answered INVALID_REQUEST. The OpenRPC document describes each method.',
        'x-stability': 'experimental',
        security: [{ ApiKey: [] }],
        requestBody: { required: true, content: json(components.use(request), { examples }) },
        responses: {
          200: {
            description: 'The answer, whether the call succeeds or fails.',
            headers: quotaFields('perhaps'),
            content: json(components.use(answer)),
          },
        },
      },
    },
  }
}
