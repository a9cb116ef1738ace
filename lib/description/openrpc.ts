import { PATHS } from '../call/paths-and-headers.js'
import { ERROR_CLASSES, type ErrorClass } from '../errors.js'
import type { JsonSchema } from '../json-schema.js'
import { COMMON_ERRORS, type Method } from '../methods/method.js'
import { rpcAnswer, rpcFailure } from './bodies.js'
import { Components } from './components.js'
import { discover, OPENRPC_VERSION } from './discovery.js'
import { classesOf, type Failures } from './failures.js'
import { type ApiSubject, describeInfo } from './info.js'
import { limitValues, withLimits } from './limit-values.js'
import type { DocPart } from './responses.js'

/** The OpenRPC 1.3.2 document. */
export function describeRpc(subject: ApiSubject): DocPart {
  const components = new Components()
  const methods = [
    ...subject.methods.map(method => describeMethod(method, subject, components)),
    describeDiscover(subject, components),
  ]
  const classes = classesOf(subject.methods)
  return {
    openrpc: OPENRPC_VERSION,
    info: describeInfo(subject),
    servers: [
      { name: 'HTTP', url: subject.baseUrl + PATHS.rpc },
      { name: 'WebSocket', url: subject.baseUrl.replace(/^http/, 'ws') + PATHS.socket },
    ],
    methods,
    components: {
      schemas: components.schemas,
      errors: Object.fromEntries(
        classes.map(errorClass => [errorClass, describeError(subject.failures, errorClass)]),
      ),
    },
  }
}

function describeMethod(method: Method, { failures, limits }: ApiSubject, components: Components): DocPart {
  const { name, summary, description, stability, scope, params, errors, result, example } = method
  return {
    name,
    summary,
    description: withLimits(description, method.limits, limits),
    ...(stability === 'deprecated' ? { deprecated: true } : {}),
    ...call(failures, params.json, result, [...COMMON_ERRORS, ...errors], components),
    examples: [
      {
        name: summary,
        params: Object.entries(example.params).map(([param, value]) => ({ name: param, value })),
        result: { name: String(result.title), value: example.result },
      },
    ],
    'x-stability': stability,
    ...(scope ? { 'x-scope': scope } : {}),
    ...(method.limits.length > 0 ? { 'x-limits': limitValues(method.limits, limits) } : {}),
  }
}

function describeDiscover({ failures }: ApiSubject, components: Components): DocPart {
  const { name, summary, description, params, result } = discover
  const described = call(failures, params.json, result, COMMON_ERRORS, components)
  return { name, summary, description, ...described, 'x-stability': 'experimental' }
}

/** Params, result and errors of a method; the `x-` members have the schemas of the messages as a whole. */
function call(
  failures: Failures,
  params: JsonSchema,
  result: JsonSchema,
  classes: readonly ErrorClass[],
  components: Components,
): DocPart {
  const fields = (params.properties ?? {}) as Readonly<Record<string, JsonSchema>>
  const required = (params.required ?? []) as readonly string[]
  const optional = Object.keys(fields).filter(name => !required.includes(name))
  return {
    paramStructure: 'by-name',
    params: [...required, ...optional].map(name => ({
      name,
      description: fields[name]?.description,
      required: required.includes(name),
      schema: titled(name, fields[name] ?? {}, components),
    })),
    result: { name: result.title, description: result.description, schema: components.use(result) },
    errors: classes.map(errorClass => ({ $ref: `#/components/errors/${errorClass}` })),
    'x-params': components.use(params),
    'x-answer': components.use(rpcAnswer(result)),
    'x-errors': classes.map(errorClass => components.use(rpcFailure(failures, errorClass))),
  }
}

/** The schema of a param. Generators of code need a title, and make names of those without one at random. */
function titled(name: string, schema: JsonSchema, components: Components): JsonSchema {
  if (schema.title) return components.use(schema)
  return { title: name.charAt(0).toUpperCase() + name.slice(1), ...components.inline(schema) }
}

/** An OpenRPC error: its code, and the constant part of its data. */
function describeError(failures: Failures, errorClass: ErrorClass): DocPart {
  return {
    code: ERROR_CLASSES[errorClass].code,
    message: failures[errorClass].meaning,
    data: { class: errorClass },
  }
}
