import { PATHS } from '../call/paths-and-headers.js'
import type { ErrorClass } from '../errors.js'
import { FORMATS } from '../exports/formats.js'
import type { Components } from './components.js'
import type { ApiSubject } from './info.js'
import { limitValues, withLimits } from './limit-values.js'
import { type DocPart, failureResponses, withoutBodies } from './responses.js'

const ERRORS: readonly ErrorClass[] = [
  'INTERNAL',
  'UNAUTHENTICATED',
  'NOT_FOUND',
  'UNAVAILABLE',
  'LINK_EXPIRED',
]
const LIMITS = ['linkValidityMs', 'linkMemoryMs'] as const

/** The OpenAPI path of exported files. */
export function describeDownload({ failures, limits }: ApiSubject, components: Components): DocPart {
  const responses = { 200: FILE, ...failureResponses(failures, components, ERRORS, false) }
  const common = {
    tags: ['exports'],
    'x-stability': 'experimental',
    'x-limits': limitValues(LIMITS, limits),
    security: [{ ApiKey: [] }],
  }
  return {
    [`${PATHS.exports}{id}`]: {
      parameters: [
        {
          name: 'id',
          in: 'path',
          required: true,
          description: 'The last segment of the url that projects/export returns.',
          schema: { type: 'string', minLength: 1 },
        },
      ],
      get: {
        operationId: 'exportsGet',
        summary: 'Read an exported file',
        description: withLimits(
          'Returns the whole file and ignores `Range`. Send the key of the export call, or another key of its owner, ' +
            'that can still read the project. The download counts in the usage of the key but not against its quota.',
          LIMITS,
          limits,
        ),
        ...common,
        responses,
      },
      head: {
        operationId: 'exportsHead',
        summary: 'Read the size of an exported file',
        description: withLimits(
          'Returns the headers of GET without the file. It counts nowhere.',
          LIMITS,
          limits,
        ),
        ...common,
        responses: withoutBodies(responses),
      },
    },
  }
}

const NAMES = Object.values(FORMATS)
const BINARY = { schema: { type: 'string', format: 'binary' } }
const FILE: DocPart = {
  description: 'The file.',
  headers: {
    'Content-Length': {
      required: true,
      description: 'Size of the file, bytes.',
      schema: { type: 'integer', minimum: 0 },
    },
    'Content-Disposition': {
      required: true,
      description: 'A suggested file name.',
      schema: {
        type: 'string',
        pattern: `^attachment; filename="[A-Za-z0-9-]+\\.(${NAMES.map(({ extension }) => extension).join('|')})"$`,
      },
    },
    'Cache-Control': { required: true, schema: { type: 'string', const: 'private, no-store' } },
  },
  content: Object.fromEntries(NAMES.map(({ type }) => [type.replace(/;.*/, ''), BINARY])),
}
