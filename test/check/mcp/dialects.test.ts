import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { duckdbEngine } from 'foldgate'
import type { OpenEngine } from 'foldgate/engine'
import { mcpEndpoint } from 'foldgate/mcp'
import { OTHER_PROJECT, PROJECT, type Service, startService } from '../../service/service.js'
import { type Agent, connectAgent } from './agent.js'

const SQL = 'SELECT count(*) AS amounts FROM amounts'
const READS: [string, object][] = [
  ['projects_describe', {}],
  ['projects_describe', { relations: ['amounts'] }],
  ['projects_query', { sql: SQL }],
  ['projects_query', { sql: SQL, dryRun: true }],
  ['projects_export', { sql: SQL }],
]

describe('what agents are told of dialects where projects differ', () => {
  let service: Service
  let agent: Agent
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    /** DuckDB by another name. */
    const second: OpenEngine = host => ({
      ...duckdbEngine({ folder: join(folder, 'second'), connections: 1 })(host),
      dialect: 'Other',
    })
    service = await startService({ engines: { second }, mcp: mcpEndpoint() })
    const other = service.host.projects.find(({ projectId }) => projectId === OTHER_PROJECT)
    assert.ok(other)
    other.engine = 'second'
    agent = await connectAgent(service)
  })
  after(async () => {
    await agent?.close()
    await service?.close()
    await rm(folder, { recursive: true })
  })

  it('is that there are several, in the instructions and in the tools that take SQL', async () => {
    const { tools } = await agent.client.listTools()
    const described = ['projects_query', 'projects_export'].map(tool => tools.find(({ name }) => name === tool))
    for (const text of [agent.client.getInstructions(), ...described.map(tool => tool?.description)])
      assert.match(text ?? '', /dialect is DuckDB's SQL or, in some projects, Other's: "dialect" in the second text/)
  })

  it('is that of the project, in the second text of each answer', async () => {
    for (const [name, params] of READS)
      for (const [projectId, dialect] of [
        [PROJECT, 'DuckDB'],
        [OTHER_PROJECT, 'Other'],
      ]) {
        const { texts } = await agent.call(name, { projectId, ...params })
        assert.equal(texts[1]?.snapshot.dialect, dialect, `${name} ${JSON.stringify(texts)}`)
        const { body } = await service.call('projects/describe', { projectId, include: ['dialect'] })
        assert.deepEqual(body.result, { ...body.result, dialect })
      }
  })
})
