import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { recordAssessed } from '#server/store/assessments.js'
import {
  acceptSnapshot,
  checkedAt,
  knownNewest,
  longestUnchecked,
  noteOtherSnapshots,
  recordSealed,
  setNewestSnapshot,
} from '#server/store/newest-snapshots.js'
import { addProject, findProject } from '#server/store/projects.js'
import { ControlStore } from './control.js'

const HOUR_MS = 3_600_000

describe('when the tables of a project were last checked', () => {
  const control = new ControlStore()
  let projectId: string

  beforeEach(async () => {
    await control.addOrganizations('north')
    projectId = await add()
  })

  const add = async () => (await addProject(control.store, { organization: 'north', name: 'One' })).projectId
  const snapshot = (number: number, of = projectId) => ({
    projectId: of,
    snapshotId: `00000${number}-${of}`,
    sealedAt: new Date(control.now).toISOString(),
  })
  const checked = () => checkedAt(control.store, projectId)

  it('is when its newest snapshot was sealed, and then when nothing had changed', async () => {
    assert.equal(await checked(), null)
    const begun = control.now
    const sealed = snapshot(1)
    control.now += HOUR_MS
    await recordSealed(control.store, sealed)
    assert.equal(await checked(), begun)
    const { revision } = await knownNewest(control.store, projectId)
    await recordSealed(control.store, sealed, sealed.snapshotId)
    assert.equal(await checked(), begun + HOUR_MS)
    assert.equal((await knownNewest(control.store, projectId)).revision, revision, 'nothing is to be listed again')
    control.now += HOUR_MS
    await noteOtherSnapshots(control.store, projectId)
    assert.equal(await checked(), begun + HOUR_MS, 'pruning checks nothing')
    await recordSealed(control.store, { ...snapshot(2), sealedAt: null })
    assert.equal(await checked(), control.now)
    await setNewestSnapshot(control.store, projectId, null)
    assert.equal(await checked(), null)
  })

  it('is when a snapshot was sealed that is accepted later', async () => {
    const { snapshotId, sealedAt } = snapshot(1)
    control.now += HOUR_MS
    await acceptSnapshot(control.store, projectId, snapshotId, sealedAt)
    assert.equal(await checked(), control.now - HOUR_MS)
    await acceptSnapshot(control.store, projectId, snapshotId)
    assert.equal(await checked(), control.now, 'its manifest cannot be read')
  })

  it('is told of the projects of which it is longest ago', async () => {
    const projects = [projectId, await add(), await add()]
    for (const of of projects) {
      await recordSealed(control.store, snapshot(1, of))
      control.now += HOUR_MS
    }
    await recordSealed(control.store, snapshot(1, projectId))
    const found = await longestUnchecked(control.store, 2)
    assert.deepEqual([...found.keys()], projects.slice(1))
    assert.equal(found.get(projects[1] ?? ''), control.now - 2 * HOUR_MS)
  })

  it('takes no assessment, once the project has one that is completed', async () => {
    const record = (number: number, unchanged: boolean) => {
      const assessed = { manifest: snapshot(number), unchanged, id: randomUUID(), startedAt: control.now }
      return recordAssessed(control.store, assessed, { hasAssessments: false })
    }
    const count = async () => (await control.store.db.selectFrom('assessments').select('id').execute()).length
    // The command that published it was killed before it could record it.
    assert.equal(await record(1, true), true)
    assert.deepEqual([await count(), (await findProject(control.store, projectId))?.completed], [1, true])
    control.now += HOUR_MS
    assert.equal(await record(1, true), true)
    assert.deepEqual([await count(), await checked()], [1, control.now])
    assert.equal(await record(2, false), true)
    assert.equal(await count(), 2)
    const gone = { ...snapshot(1, randomUUID()), projectId: randomUUID() }
    const assessed = { manifest: gone, unchanged: true, id: randomUUID(), startedAt: control.now }
    assert.equal(await recordAssessed(control.store, assessed, { hasAssessments: false }), false)
  })
})
