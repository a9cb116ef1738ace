import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineCatalogue, defineTable } from 'foldgate'
import { mcpEndpoint } from 'foldgate/mcp'
import { OTHER_PROJECT, PROJECT, type Service, startService } from '../../service/service.js'
import { manifestPath } from '../../stored.js'
import { type Agent, connectAgent } from './agent.js'

/** Orders whose state may be wrong: the snapshot then has a warning. */
const catalogue = defineCatalogue({
  relations: [
    defineTable({
      name: 'orders',
      columns: { order_id: 'BIGINT', state: 'VARCHAR' },
      values: { state: ['open', 'paid'] },
      warnings: ['state'],
    }),
  ],
})
const GOOD = { 'orders.csv': 'order_id,state\n1,open\n' }
const DOUBTFUL = { 'orders.csv': 'order_id,state\n1,open\n2,lost\n' }
const SQL = 'SELECT count(*) AS orders FROM orders'
/** How the tools that read a snapshot are called. */
const READS: [string, object][] = [
  ['projects_describe', {}],
  ['projects_describe', { relations: ['orders'] }],
  ['projects_query', { sql: SQL }],
  ['projects_export', { sql: SQL }],
]

describe('what agents are told of snapshots', () => {
  let service: Service
  let agent: Agent
  before(async () => {
    service = await startService({ catalogue, files: GOOD, mcp: mcpEndpoint() })
    agent = await connectAgent(service)
  })
  after(async () => {
    await agent.close()
    await service.close()
  })

  const datedOf = async (projectId: string) =>
    (await service.snapshots.manifests(projectId)).map(({ snapshotId, sealedAt }) => ({ id: snapshotId, sealedAt }))
  const toldOf = async (projectId = PROJECT) => {
    const { texts } = await agent.call('projects_query', { projectId, sql: SQL })
    return texts[1]
  }

  it('is a second text: the id, and when it was sealed', async () => {
    const [only] = await datedOf(OTHER_PROJECT)
    for (const [name, params] of READS) {
      const { texts, structured } = await agent.call(name, { projectId: OTHER_PROJECT, ...params })
      assert.deepEqual(texts.slice(1), [{ snapshot: only }], name)
      assert.equal(structured, undefined)
    }
  })

  it('also is the one before it and its warnings, as sealing wrote them', async () => {
    await service.seal(PROJECT, DOUBTFUL)
    const [newest, previous] = await datedOf(PROJECT)
    const [manifest] = await service.snapshots.manifests(PROJECT)
    const { warnings = [] } = manifest ?? {}
    assert.equal(warnings.length, 1)
    assert.deepEqual([warnings[0]?.table, warnings[0]?.column], ['orders', 'state'])
    for (const [name, params] of READS) {
      const { texts } = await agent.call(name, { projectId: PROJECT, ...params })
      assert.deepEqual(texts.slice(1), [{ snapshot: { ...newest, previous, warnings } }], name)
    }
    await service.seal(PROJECT)
    const [third, second] = await datedOf(PROJECT)
    assert.deepEqual(await toldOf(), { snapshot: { ...third, previous: second } })
  })

  it('is nothing where no snapshot was read', async () => {
    assert.equal((await agent.call('projects_list', {})).texts.length, 1)
    const refused = await agent.call('projects_query', { projectId: PROJECT, sql: 'SELECT nope FROM orders' })
    assert.deepEqual([refused.isError, refused.texts.length], [true, 1])
  })

  it('lacks the one before where it is gone or damaged, and the call succeeds', async () => {
    const { projectId } = service.host.addProject({
      projectId: '55555555-5555-4555-8555-555555555555',
      completed: true,
    })
    const [first, second] = [await service.seal(projectId), await service.seal(projectId)]
    const path = manifestPath(join(service.folder, 'snapshots'), projectId, first)
    await writeFile(path, '{')
    const { sealedAt } = (await toldOf(projectId)).snapshot
    assert.deepEqual(await toldOf(projectId), { snapshot: { id: second, sealedAt } })
    await rm(path)
    assert.deepEqual(await toldOf(projectId), { snapshot: { id: second, sealedAt } })
  })

  it('passes over one before in a format that this version does not read', async () => {
    const { projectId } = service.host.addProject({
      projectId: '66666666-6666-4666-8666-666666666666',
      completed: true,
    })
    await service.seal(projectId)
    const later = await service.seal(projectId)
    await service.seal(projectId)
    const [newest, , oldest] = await datedOf(projectId)
    const path = manifestPath(join(service.folder, 'snapshots'), projectId, later)
    await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), formatVersion: 99 }))
    assert.deepEqual(await toldOf(projectId), { snapshot: { ...newest, previous: oldest } })
  })

  it('is announced in the instructions', () => {
    assert.match(agent.client.getInstructions() ?? '', /A second text of an answer says which snapshot was read/)
    assert.match(agent.client.getInstructions() ?? '', /With the id of another one, it reads that/)
  })

  it('is what they need to read the same one again, or to compare two', async () => {
    const { projectId } = service.host.addProject({
      projectId: '77777777-7777-4777-8777-777777777777',
      completed: true,
    })
    await service.seal(projectId)
    const {
      snapshot: { id: old },
    } = await toldOf(projectId)
    await service.seal(projectId, DOUBTFUL)
    const [newest, previous] = await datedOf(projectId)
    assert.equal(previous?.id, old)
    const orders = async (snapshot?: string) => {
      const { texts } = await agent.call('projects_query', { projectId, sql: SQL, snapshot })
      return [texts[0].result.rows[0][0], texts[1].snapshot.id, texts[1].snapshot.previous?.id]
    }
    assert.deepEqual(await orders(old), [1, old, undefined])
    assert.deepEqual(await orders(newest?.id), [2, newest?.id, old])
    assert.deepEqual(await orders(), [2, newest?.id, old])
    const snapshots = [newest, previous].map(each => ({ snapshot: each?.id, sealedAt: each?.sealedAt }))
    for (const more of [{}, { relations: ['orders'] }, { relations: ['orders'], snapshot: old }]) {
      const told = await agent.call('projects_describe', { projectId, include: ['snapshots'], ...more })
      assert.deepEqual(told.texts[0].result.snapshots, snapshots)
      assert.equal(told.texts[1].snapshot.id, 'snapshot' in more ? old : newest?.id)
    }
    for (const [name, params] of READS) {
      const gone = await agent.call(name, { projectId, ...params, snapshot: 'none' })
      assert.deepEqual(
        [gone.isError, gone.texts[0].class, gone.texts[0].data],
        [true, 'INVALID_PARAMS', { path: 'snapshot' }],
      )
      assert.match(gone.texts[0].message, /projects_describe with "include": \["snapshots"\] lists all/)
    }
    const { tools } = await agent.client.listTools()
    for (const { name, inputSchema } of tools)
      assert.equal('snapshot' in (inputSchema.properties ?? {}), name !== 'projects_list', name)
  })
})
