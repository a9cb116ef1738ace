import { PATHS } from '../call/paths.js'
import { rpcRequest, rpcResponse } from './bodies.js'
import type { Components } from './components.js'
import type { Subject } from './info.js'
import { json, type Part, quotaFields, snapshotFields } from './responses.js'

/** The OpenAPI path of JSON-RPC over HTTP. */
export function describeRpcPath({ methods }: Subject, components: Components): Part {
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
          'and notifications are answered INVALID_REQUEST. This path has no types of its own for the methods: the ' +
          `OpenRPC document (\`${PATHS.documents}openrpc.json\`) describes their params, results and errors.`,
        'x-stability': 'experimental',
        security: [{ ApiKey: [] }],
        requestBody: { required: true, content: json(components.inline(rpcRequest), { examples }) },
        responses: {
          200: {
            description: 'The answer, whether the call succeeds or fails.',
            headers: { ...quotaFields('perhaps'), ...snapshotFields('perhaps') },
            content: json(components.use(rpcResponse)),
          },
        },
      },
    },
  }
}
