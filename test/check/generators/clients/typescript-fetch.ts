import { createHash } from 'node:crypto'
import { Configuration, ErrorBodyFromJSON, ExportsApi, ProjectsApi, ResponseError } from './api'

const { FOLDGATE_URL: basePath = '', FOLDGATE_KEY: key = '', SQL: sql = '', PROJECT: projectId = '' } = process.env
const configuration = new Configuration({ basePath, accessToken: key })
const projects = new ProjectsApi(configuration)

async function failure(projectId: string, sql: string) {
  try {
    await projects.projectsQuery({ projectQueryParams: { projectId, sql } })
  } catch (error) {
    if (error instanceof ResponseError) return ErrorBodyFromJSON(await error.response.json())
  }
  throw new Error('the call succeeded')
}

async function main() {
  const listed = await projects.projectsList()
  const relation = { projectId, relation: 'fold_totals' }
  const described = await projects.projectsDescribe({ projectDescribeParams: relation })
  const rows: unknown[] = []
  let cursor: string | undefined
  let pages = 0
  do {
    const page = { limit: 1, ...(cursor ? { cursor } : {}) }
    const { result } = await projects.projectsQuery({ projectQueryParams: { projectId, sql, page } })
    rows.push(...result.items)
    cursor = result.nextCursor
    pages += 1
  } while (cursor)
  const exported = await projects.projectsExport({ projectExportParams: { projectId, sql } })
  const blob = await new ExportsApi(configuration).exportsGet({ id: exported.result.url.split('/').at(-1) ?? '' })
  const file = new Uint8Array(await blob.arrayBuffer())
  const refused = await failure(projectId, 'DROP TABLE x')
  const forbidden = await failure(process.env.FOREIGN_PROJECT ?? '', sql)
  const result = {
    projects: listed.result.items.map(project => project.projectId),
    columns: described.result.columns?.map(({ name }) => name),
    rows,
    pages,
    url: exported.result.url,
    bytes: [exported.result.bytes, file.length],
    sha256: createHash('sha256').update(file).digest('hex'),
    refused: [refused._class, refused._class === 'INVALID_QUERY' ? refused.data.rule : undefined],
    forbidden: forbidden._class,
  }
  console.log(JSON.stringify(result))
}

void main()
