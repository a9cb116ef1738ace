import { PATHS } from '../call/paths-and-headers.js'
import { versioned } from '../catalogue/queries.js'
import { typeNameOf } from '../catalogue/query-schemas.js'
import type { NamedQuery } from '../methods/named-queries.js'
import { Components } from './components.js'
import { type ApiSubject, describeInfo } from './info.js'
import { describeMethod, documentOf } from './openapi.js'
import type { DocPart } from './responses.js'

const ABOUT = [
  'Runs queries that the service defines, by their names. A call needs an API key and a project, and sends no SQL. The ' +
    'types of the parameters and of the rows are those of one version of a query: a new version has a path of its own, ' +
    `and \`${PATHS.queries}<name>\` without a version runs the newest.`,
  'The same queries can be called over JSON-RPC 2.0, on HTTP and on a WebSocket, as the method `queries/<name>@<version>`.',
]

const NOT_FOUND =
  'The service has no such query or version, and the message names the version to call instead if there is one; the ' +
  'failure then has no data. Or the entity that the call names does not exist.'

const INVALID_QUERY =
  'The query fails with these values, or returns a row that is too large. Callers cannot see its SQL.'

/** The OpenAPI document of named queries, with a path for each version. */
export function describeNamedQueries(common: ApiSubject, queries: readonly NamedQuery[]): DocPart {
  const { failures } = common
  const meaning = {
    NOT_FOUND: { ...failures.NOT_FOUND, meaning: NOT_FOUND },
    INVALID_QUERY: { ...failures.INVALID_QUERY, meaning: INVALID_QUERY },
  }
  const subject = { ...common, failures: { ...failures, ...meaning } }
  const components = new Components()
  const paths = queries.map(({ query, rows }) => {
    const post = { ...describeMethod(rows, subject, components), operationId: operationId(typeNameOf(query)) }
    return [PATHS.queries + versioned(query), { post }] as const
  })
  return documentOf(subject, components, {
    info: { ...describeInfo(subject), title: 'Named queries', description: ABOUT.join('\n\n') },
    tags: [{ name: 'queries', description: 'Queries that the service defines.' }],
    paths: Object.fromEntries(paths),
  })
}

function operationId(typeName: string): string {
  return typeName.charAt(0).toLowerCase() + typeName.slice(1)
}
