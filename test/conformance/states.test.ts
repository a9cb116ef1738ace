import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ProjectRecord } from 'foldgate'
import { type Service, startService } from '../service/service.js'
import { VENDOR } from '../service/vendors.js'
import { manifestPath } from '../stored.js'

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
    await putFuture(service, project.projectId, `000009-${randomUUID()}`)
    assertNotReady(await ask(project), false, 'unreadable')
    await service.seal(project.projectId)
    assert.match((await service.snapshots.list(project.projectId, AbortSignal.timeout(10_000)))[0] ?? '', /^000010-/)
  })

  it('falls back to an older snapshot that it can read', async () => {
    const project = service.host.addProject({ projectId: randomUUID(), completed: true })
    await service.seal(project.projectId)
    await putFuture(service, project.projectId, `000002-${randomUUID()}`)
    assert.deepEqual((await ask(project)).query.body.result?.items, [{ n: VENDOR.table.rows }])
  })
})

/** Adds a snapshot in a format of a later version. */
async function putFuture({ folder }: Service, projectId: string, snapshotId: string): Promise<void> {
  const path = manifestPath(join(folder, 'snapshots'), projectId, snapshotId)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, JSON.stringify({ formatVersion: 99, snapshotId }))
}
