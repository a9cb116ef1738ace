import { pageOf } from '../call/page-params.js'
import type { QueryDefinition } from '../catalogue/queries.js'
import { exampleParameters, parametersSchema, rowSchemaOf, typeNameOf } from '../catalogue/query-schemas.js'
import type { JsonSchema } from '../json-schema.js'
import { projectExportSchema, rowListFields } from '../model.js'
import { EXAMPLE_PROJECT, type Method } from './method.js'

type Properties = Readonly<Record<string, JsonSchema>>

/**
 * How a named query is described, from its two methods: the params of both, and either a page of typed rows or the
 * link to a file.
 */
export function describeNamed(
  query: QueryDefinition,
  rows: Method,
  file: Method,
): Pick<Method, 'description' | 'limits' | 'result' | 'example'> & { params: JsonSchema } {
  return {
    description:
      'Runs a query of the catalogue over the latest sealed snapshot. Returns a page of its rows or, with format, writes ' +
      'all its rows to a file and returns a link that expires.',
    limits: [...new Set([...rows.limits, ...file.limits])],
    params: paramsOf(query, rows.params.json, file.params.json),
    result: resultOf(query),
    example: {
      params: {
        projectId: EXAMPLE_PROJECT,
        ...(hasParameters(query) ? { parameters: exampleParameters(query) } : {}),
      },
      result: { items: [] },
    },
  }
}

function hasParameters({ parameters }: QueryDefinition): boolean {
  return Object.keys(parameters).length > 0
}

function paramsOf(query: QueryDefinition, rows: JsonSchema, file: JsonSchema): JsonSchema {
  const { format, ...ofFile } = file.properties as Properties
  const { parameters: _, ...ofRows } = rows.properties as Properties
  const { default: __, ...formats } = format ?? {}
  const values = parametersSchema(query)
  const isNeeded = values.required !== undefined
  const { projectId, ...others } = { ...ofFile, ...ofRows }
  const { parameters: ___, ...rest } = others
  return {
    title: `${typeNameOf(query)}Params`,
    type: 'object',
    description: rows.description,
    properties: {
      projectId,
      ...(hasParameters(query) ? { parameters: values } : {}),
      ...rest,
      format: formats,
    },
    required: ['projectId', ...(isNeeded ? ['parameters'] : [])],
  }
}

function resultOf(query: QueryDefinition): JsonSchema {
  const { relations: _, ...fields } = rowListFields
  const row = { json: rowSchemaOf(query) }
  const name = typeNameOf(query)
  return {
    title: `${name}Result`,
    description: 'A page of rows, or the link to a file if the params name a format.',
    oneOf: [pageOf(`${name}Rows`, 'A page of rows.', row, fields).json, projectExportSchema.json],
  }
}
