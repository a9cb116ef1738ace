import { PATHS } from '../call/paths-and-headers.js'
import { describedCatalogueSchema } from '../catalogue-document.js'
import type { ErrorClass } from '../errors.js'
import type { Components } from './components.js'
import type { ApiSubject } from './info.js'
import { anyRefusal, type DocPart, failureResponses, json, quotaFields, withoutBodies } from './responses.js'

const ERRORS: readonly ErrorClass[] = ['INTERNAL', 'UNAUTHENTICATED', 'RATE_LIMITED', 'UNAVAILABLE']

const ETAG = {
  required: true,
  description:
    'Identifies the catalogue. A call that has it in `If-None-Match` is answered 304 without a body.',
  schema: { type: 'string', pattern: '^W/"[\\w-]+"$' },
}

/** The OpenAPI path of the catalogue. */
export function describeCatalogue({ failures, words }: ApiSubject, components: Components): DocPart {
  const { json: schema } = describedCatalogueSchema(words)
  const responses = {
    200: {
      description: schema.description,
      headers: { ...quotaFields('always'), ETag: ETAG },
      content: json(components.use(schema)),
    },
    ...failureResponses(failures, components, ERRORS, true),
    400: anyRefusal(failures, components),
  }
  const common = {
    tags: ['descriptions'],
    description:
      'Tells what relations and columns mean, their keys, references and units, as far as the catalogue says it. It ' +
      'counts as a call like any other, and is the same for every key and project.',
    'x-stability': 'experimental',
    security: [{ ApiKey: [] }],
  }
  return {
    [PATHS.catalogue]: {
      get: { operationId: 'catalogueGet', summary: 'Describe the catalogue', ...common, responses },
      head: {
        operationId: 'catalogueHead',
        summary: 'The same without the body.',
        ...common,
        responses: withoutBodies(responses),
      },
    },
  }
}
