import { describedCatalogueSchema } from '../catalogue-document.js'
import { type JsonSchema, sent } from '../json-schema.js'
import type { Method } from '../methods/method.js'
import type { Words } from '../words.js'
import { asTools, MOST_RELATIONS } from './texts.js'

/** Schema of the params of a tool. */
export function inputOf({ name, params, hasRows }: Method): Record<string, unknown> {
  const input = JSON.parse(asTools(JSON.stringify(params.json)))
  if (name === 'projects/describe')
    input.properties.relations = {
      type: ['array', 'null'],
      items: { type: 'string' },
      maxItems: MOST_RELATIONS,
      description: 'The relations to describe with their columns, and nothing else.',
    }
  // Agents always get the columns.
  if (hasRows) input.properties.include.items = TOTAL
  return input
}

const TOTAL = {
  type: 'string',
  enum: ['total'],
  description: 'total: the number of rows of the whole result.',
}

/**
 * Schema of an answer: the result, and any warnings. A query has none: with a schema, the protocol asks for
 * the answer as `structuredContent` and as text, but every client shows text alone to its model, so rows are
 * sent once.
 */
export function outputOf({ name, hasRows, result }: Method, words: Words): Record<string, unknown> | null {
  if (hasRows) return null
  const warnings = {
    type: 'array',
    items: { type: 'object' },
    description: 'Fields of the params that the method did not read.',
  }
  const answer = sent('Answer', 'The result of the call.', { result, warnings }, ['warnings'])
  const output = JSON.parse(asTools(JSON.stringify(answer)))
  if (name === 'projects/describe') {
    output.properties.result.required = ['relations'] // "relations" asks for nothing else
    output.properties.result.properties.relations = JSON.parse(asTools(JSON.stringify(relationsIn(words))))
  }
  return output
}

/** Every relation in short, or those that "relations" names, with all that is known of them. */
function relationsIn(words: Words): JsonSchema {
  const { properties } = describedCatalogueSchema(words).json as { properties: { relations: JsonSchema } }
  return { ...properties.relations, description: 'All relations, folds first; or those of "relations".' }
}
