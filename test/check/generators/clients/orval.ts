import { createHash } from 'node:crypto'
import { exportsGet, projectsDescribe, projectsExport, projectsList, projectsQuery } from './api'

const { SQL: sql = '', PROJECT: projectId = '', FOREIGN_PROJECT: foreign = '' } = process.env

async function main() {
  const listed = await projectsList()
  const described = await projectsDescribe({ projectId, relation: 'fold_totals' })
  if (listed.status !== 200 || described.status !== 200) throw new Error('a call failed')
  const rows: unknown[] = []
  let cursor: string | null | undefined
  let pages = 0
  do {
    const answer = await projectsQuery({ projectId, sql, page: { limit: 1, cursor } })
    if (answer.status !== 200) throw new Error(answer.data.class)
    if (typeof answer.data === 'string') throw new Error('the page is CSV')
    rows.push(...answer.data.result.items)
    cursor = answer.data.result.nextCursor
    pages += 1
  } while (cursor)
  const exported = await projectsExport({ projectId, sql, format: 'csv' })
  if (exported.status !== 200) throw new Error(exported.data.class)
  const { url, bytes } = exported.data.result
  const download = await exportsGet(url.split('/').at(-1) ?? '')
  if (download.status !== 200) throw new Error(download.data.class)
  const file = new Uint8Array(await download.data.arrayBuffer())
  const refused = await projectsQuery({ projectId, sql: 'DROP TABLE x' })
  const forbidden = await projectsQuery({ projectId: foreign, sql })
  if (refused.status !== 422 || forbidden.status !== 403) throw new Error('a call succeeded')
  const result = {
    projects: listed.data.result.items.map(project => project.projectId),
    columns: described.data.result.columns?.map(({ name }) => name),
    rows,
    pages,
    url,
    bytes: [bytes, file.length],
    sha256: createHash('sha256').update(file).digest('hex'),
    refused: [refused.data.class, refused.data.data.rule],
    forbidden: forbidden.data.class,
  }
  console.log(JSON.stringify(result))
}

void main()
