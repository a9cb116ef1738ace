import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProjectRecord } from 'foldgate'
import { type Service, startService } from '../service/service.js'
import { VENDOR } from '../service/vendors.js'

/** The contract's table of states, row by row. */
describe('states and NOT_READY', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  async function ask(project: ProjectRecord) {
    const { projectId } = project
    const listed = await service.call('projects/list', { page: { limit: 500 } })
    const state = listed.body.result?.items?.find(item => item.projectId === projectId)?.state
    const sql = `SELECT count(*) AS n FROM ${VENDOR.table.name}`
    return {
      state,
      query: await service.call('projects/query', { projectId, sql }),
      export: await service.call('projects/export', { projectId, sql }),
      describe: await service.call('projects/describe', { projectId }),
      columns: await service.call('projects/describe', { projectId, relation: VENDOR.table.name }),
    }
  }

  function assertNotReady(
    answers: Awaited<ReturnType<typeof ask>>,
    retry: boolean,
    remedy: keyof typeof VENDOR.notReady,
  ) {
    for (const name of ['query', 'export', 'describe', 'columns'] as const) {
      const { status, body } = answers[name]
      assert.deepEqual([status, body.code, body.class, body.data?.retry], [409, 1409, 'NOT_READY', retry], name)
      assert.match(body.message ?? '', VENDOR.notReady[remedy])
    }
  }

  it('first assessment runs, nothing sealed: computing, retry later', async () => {
    const answers = await ask(service.host.addProject({ projectId: randomUUID(), running: true }))
    assert.equal(answers.state, 'computing')
    assertNotReady(answers, true, 'running')
  })

  it('first assessment runs and has sealed: still computing, retry later', async () => {
    const project = service.host.addProject({ projectId: randomUUID(), running: true })
    await service.seal(project.projectId)
    assertNotReady(await ask(project), true, 'running')
  })

  it('first assessment failed: notComputed, launch one', async () => {
    const project = service.host.addProject({ projectId: randomUUID() })
    await service.seal(project.projectId)
    const answers = await ask(project)
    assert.equal(answers.state, 'notComputed')
    assertNotReady(answers, false, 'never')
  })

  it('completed with nothing sealed: computed, launch a new one; retry while another runs', async () => {
    const project = service.host.addProject({ projectId: randomUUID(), completed: true })
    assert.equal((await ask(project)).state, 'computed')
    assertNotReady(await ask(project), false, 'unreadable')
    project.running = true
    assertNotReady(await ask(project), true, 'running')
  })

  it('completed, a later one runs and has sealed: the new snapshot at once, also after it fails', async () => {
    const project = service.host.addProject({ projectId: randomUUID(), completed: true, running: true })
    await service.seal(project.projectId)
    for (const running of [true, false]) {
      project.running = running
      const answers = await ask(project)
      assert.equal(answers.state, 'computed')
      assert.deepEqual(answers.query.body.result?.items, [{ n: VENDOR.table.rows }])
    }
  })

  it('only a snapshot of an unknown format: NOT_READY, and the next snapshot is newer', async () => {
    const project = service.host.addProject({ projectId: randomUUID(), completed: true })
    const home = join(service.folder, 'snapshots', project.projectId)
    const future = join(home, `000009-${randomUUID()}`)
    await mkdir(future, { recursive: true })
    await writeFile(join(future, 'manifest.json'), JSON.stringify({ formatVersion: 99 }))
    assertNotReady(await ask(project), false, 'unreadable')
    await service.seal(project.projectId)
    const [newest = ''] = (await readdir(home)).sort().reverse()
    assert.equal(
      JSON.parse(await readFile(join(home, newest, 'manifest.json'), 'utf8')).formatVersion,
      VENDOR.catalogue.hierarchy ? 1 : 3,
    )
  })

  it('falls back to an older snapshot that it can read', async () => {
    const project = service.host.addProject({ projectId: randomUUID(), completed: true })
    await service.seal(project.projectId)
    const future = join(service.folder, 'snapshots', project.projectId, `000002-${randomUUID()}`)
    await mkdir(future)
    await writeFile(join(future, 'manifest.json'), JSON.stringify({ formatVersion: 99 }))
    assert.deepEqual((await ask(project)).query.body.result?.items, [{ n: VENDOR.table.rows }])
  })
})
