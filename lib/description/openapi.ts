import { PATHS } from '../call/paths-and-headers.js'
import { COMMON_ERRORS, type Method } from '../methods/method.js'
import { restAnswer, rpcRequest, rpcResponse } from './bodies.js'
import { describeCatalogue } from './catalogue-path.js'
import { Components } from './components.js'
import { describeDocuments, OPENAPI_VERSION } from './discovery.js'
import { describeDownload } from './download-paths.js'
import { type ApiSubject, describeInfo } from './info.js'
import { limitValues, withLimits } from './limit-values.js'
import {
  type DocPart,
  failureResponses,
  headersOf,
  json,
  pageFields,
  quotaFields,
  snapshotFields,
} from './responses.js'

/** Failure classes of every method on REST, where the path of a method cannot be METHOD_NOT_FOUND. */
const REST_ERRORS = COMMON_ERRORS.filter(errorClass => errorClass !== 'METHOD_NOT_FOUND')

const AS_CSV =
  'If the request has `Accept: text/csv`, the body is the rows as CSV, and headers have the rest.'

const CSV = {
  'text/csv': { schema: { type: 'string', description: 'The rows, below the names of their columns.' } },
}

/** The OpenAPI 3.1 document. */
export function describeRest(subject: ApiSubject): DocPart {
  const components = new Components()
  const paths = {
    ...Object.fromEntries(
      subject.methods.map(method => [
        PATHS.api + method.name,
        { post: describeMethod(method, subject, components) },
      ]),
    ),
    ...describeDownload(subject, components),
    ...describeRpcPath(subject, components),
    ...describeDocuments(subject, components),
    ...describeCatalogue(subject, components),
  }
  return documentOf(subject, components, {
    info: describeInfo(subject),
    tags: [
      { name: 'projects', description: 'The methods.' },
      { name: 'exports', description: 'Files that projects/export has written.' },
      { name: 'json-rpc', description: 'The methods over JSON-RPC 2.0.' },
      { name: 'descriptions', description: 'Machine-readable descriptions of the API.' },
    ],
    paths,
  })
}

/** A document with these paths, whose schemas are in `components`. */
export function documentOf(
  { baseUrl, challenge }: ApiSubject,
  components: Components,
  { info, tags, paths }: Record<'info' | 'paths', DocPart> & { tags: readonly DocPart[] },
): DocPart {
  return {
    openapi: OPENAPI_VERSION,
    info,
    servers: [{ url: baseUrl }],
    security: [{ ApiKey: [] }],
    tags,
    paths,
    components: {
      schemas: components.schemas,
      headers: headersOf(challenge),
      securitySchemes: {
        ApiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key that its owner created on the key page.',
        },
      },
    },
  }
}

/** The OpenAPI operation of a method. */
export function describeMethod(
  method: Method,
  { failures, limits }: ApiSubject,
  components: Components,
): DocPart {
  const {
    name,
    summary,
    description,
    stability,
    scope,
    params,
    paramsOptional,
    errors,
    hasRows,
    result,
    example,
  } = method
  const answered = { example: { result: example.result } }
  return {
    operationId: operationId(name),
    tags: [name.split('/')[0]],
    summary,
    description: withLimits(description, method.limits, limits),
    'x-stability': stability,
    ...(method.limits.length > 0 ? { 'x-limits': limitValues(method.limits, limits) } : {}),
    ...(stability === 'deprecated' ? { deprecated: true } : {}),
    security: [{ ApiKey: scope ? [scope] : [] }],
    requestBody: {
      required: !paramsOptional,
      description: 'The params. The content type is ignored, and an empty body counts as an empty object.',
      content: json(components.use(params.json), { example: example.params }),
    },
    responses: {
      200: {
        description: hasRows ? `${result.description} ${AS_CSV}` : result.description,
        headers: {
          ...quotaFields('always'),
          ...(scope ? snapshotFields('always') : {}),
          ...(hasRows ? pageFields : {}),
        },
        content: { ...json(components.use(restAnswer(result)), answered), ...(hasRows ? CSV : {}) },
      },
      ...failureResponses(failures, components, [...REST_ERRORS, ...errors], true),
    },
  }
}

/** The method name in the form that code generators expect: projects/list becomes projectsList. */
function operationId(name: string): string {
  return name.replace(/\/(.)/g, (_, letter: string) => letter.toUpperCase())
}

/** The OpenAPI path of JSON-RPC over HTTP. */
function describeRpcPath({ methods }: ApiSubject, components: Components): DocPart {
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
