import { createHash } from 'node:crypto'
import { exportsGet, projectsDescribe, projectsExport, projectsList, projectsQuery } from './api'
import { client } from './api/client.gen'

const { FOLDGATE_URL: baseUrl = '', FOLDGATE_KEY: key = '', SQL: sql = '', PROJECT: projectId = '' } = process.env
client.setConfig({ baseUrl, auth: key })

async function main() {
  const listed = await projectsList({ throwOnError: true })
  const described = await projectsDescribe({ throwOnError: true, body: { projectId, relation: 'fold_totals' } })
  const rows: unknown[] = []
  let cursor: string | null | undefined
  let pages = 0
  do {
    const { data } = await projectsQuery({ throwOnError: true, body: { projectId, sql, page: { limit: 1, cursor } } })
    rows.push(...data.result.items)
    cursor = data.result.nextCursor
    pages += 1
  } while (cursor)
  const { data: exported } = await projectsExport({ throwOnError: true, body: { projectId, sql, format: 'csv' } })
  const path = { id: exported.result.url.split('/').at(-1) ?? '' }
  const { data: blob } = await exportsGet({ throwOnError: true, path, parseAs: 'blob' })
  const file = new Uint8Array(await blob.arrayBuffer())
  const { error: refused } = await projectsQuery({ body: { projectId, sql: 'DROP TABLE x' } })
  const { error: forbidden } = await projectsQuery({ body: { projectId: process.env.FOREIGN_PROJECT ?? '', sql } })
  const result = {
    projects: listed.data.result.items.map(project => project.projectId),
    columns: described.data.result.columns?.map(({ name }) => name),
    rows,
    pages,
    url: exported.result.url,
    bytes: [exported.result.bytes, file.length],
    sha256: createHash('sha256').update(file).digest('hex'),
    refused: [refused?.class, refused?.class === 'INVALID_QUERY' ? refused.data.rule : undefined],
    forbidden: forbidden?.class,
  }
  console.log(JSON.stringify(result))
}

void main()
