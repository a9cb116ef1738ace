/** A program as a user would write it, for the client that a public generator derives from the OpenAPI document. */
export const CLIENT = `
import createClient from 'openapi-fetch'
import type { Column, ProjectDescription, ProjectExport, ProjectSummary, Warning } from 'foldgate/client'
import type { components, paths } from './api.js'

type Schemas = components['schemas']

/** The library's in-process results have the types of the document. */
export const same: [
  (given: ProjectSummary) => Schemas['ProjectSummary'],
  (given: ProjectDescription) => Schemas['ProjectDescription'],
  (given: Column) => Schemas['Column'],
  (given: ProjectExport) => Schemas['ProjectExport'],
  (given: Warning) => Schemas['Warning'],
] = [given => given, given => given, given => given, given => given, given => given]

export async function run(baseUrl: string, key: string, projectId: string) {
  const client = createClient<paths, 'application/json'>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } })
  const list = await client.POST('/public/v1/api/projects/list')
  const states: Schemas['ProjectState'][] = list.data?.result.items.map(project => project.state) ?? []
  const described = await client.POST('/public/v1/api/projects/describe', {
    body: { projectId, relation: 'fold_totals' },
  })
  const columns: string[] = described.data?.result.columns?.map(column => column.name) ?? []
  const rows: Schemas['Row'][] = []
  let cursor: Schemas['Cursor'] | null = null
  do {
    const page: Schemas['PageParams'] = { limit: 1, cursor }
    const body: Schemas['ProjectQueryParams'] = { projectId, sql: 'SELECT item FROM fold_totals ORDER BY item', page }
    const { data, error } = await client.POST('/public/v1/api/projects/query', { body })
    if (error) throw new Error(error.class)
    rows.push(...data.result.items)
    cursor = data.result.nextCursor ?? null
  } while (cursor !== null)
  const exported = await client.POST('/public/v1/api/projects/export', { body: { projectId, sql: 'SELECT 1 AS one' } })
  const id = exported.data?.result.url.split('/').at(-1) ?? ''
  const file = await client.GET('/public/v1/exports/{id}', { params: { path: { id } }, parseAs: 'arrayBuffer' })
  const bytes = (file.data as ArrayBuffer).byteLength
  const { error } = await client.POST('/public/v1/api/projects/query', { body: { projectId, sql: 'DROP TABLE x' } })
  const rule: Schemas['QueryRule'] | undefined = error?.class === 'INVALID_QUERY' ? error.data.rule : undefined
  const rpc = await client.POST('/public/v1/json-rpc', { body: { jsonrpc: '2.0', id: 7, method: 'projects/list' } })
  const answered = rpc.data && 'result' in rpc.data ? rpc.data.id : undefined
  const description = await client.GET('/public/v1/description.json')
  return {
    states,
    columns,
    rows,
    bytes: [bytes, exported.data?.result.bytes],
    rule,
    answered,
    formats: [description.data?.openapi.openapi, description.data?.openrpc.openrpc],
  }
}
`

/** Calls that the generated types reject, one per line. */
export const MISTAKES = [
  "client.POST('/public/v1/api/projects/query')",
  "client.POST('/public/v1/api/projects/query', { body: { projectId: 'x' } })",
  "client.POST('/public/v1/api/projects/query', { body: { projectId: 'x', sql: 'y', page: { limit: '5' } } })",
  "client.POST('/public/v1/api/projects/query', { body: { projectId: 'x', sql: 'y', ownershipView: 'half' } })",
  "client.POST('/public/v1/api/projects/describe', { body: { projectId: null } })",
  "client.POST('/public/v1/api/projects/drop', { body: {} })",
  "client.GET('/public/v1/api/projects/list')",
  "client.POST('/public/v1/json-rpc', { body: { jsonrpc: '1.0', id: 1, method: 'projects/list' } })",
]
