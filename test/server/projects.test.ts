import assert from 'node:assert/strict'
import { projectState } from 'foldgate/internal'
import { endAssessment, listAssessments, requireRunningAssessment, startAssessment } from '#server/store/assessments.js'
import { projectPort } from '#server/store/ports.js'
import { addProject, listProjects, requireProject } from '#server/store/projects.js'
import { ControlStore } from './control.js'

const signal = AbortSignal.timeout(60_000)

describe('projects', () => {
  const control = new ControlStore()
  const ID = '6F9619FF-8B86-D011-B42D-00C04FC964FF'

  it('have a unique UUID in lower case', async () => {
    await control.addOrganizations('north')
    const project = await addProject(control.store, { organization: 'north', name: ' One ', id: ID })
    assert.deepEqual([project.projectId, project.name], [ID.toLowerCase(), 'One'])
    const again = addProject(control.store, { organization: 'north', name: 'Two', id: ID.toLowerCase() })
    await assert.rejects(again, /already exists: leave the id out or choose another/)
    const wrong = addProject(control.store, { organization: 'north', name: 'Two', id: 'not-a-uuid' })
    await assert.rejects(wrong, /"not-a-uuid" is not a UUID: write it as/)
    await assert.rejects(
      addProject(control.store, { organization: 'nowhere', name: 'Two' }),
      /no organization "nowhere"/,
    )
    await assert.rejects(
      addProject(control.store, { organization: 'north', name: ' ' }),
      /name of the project is empty/,
    )
    assert.equal((await listProjects(control.store)).length, 1)
  })

  it('are listed by organization, in the order of registration, page by page', async () => {
    await control.addOrganizations('north', 'south', 'west')
    for (const [at, organization] of ['north', 'south', 'west', 'north', 'south'].entries())
      await addProject(control.store, { organization, name: `${at}`, createdAt: 1000 - at })
    const page = async (after: number, limit: number, ...organizations: string[]) =>
      await projectPort(control.store).list({ organizations, after, limit }, signal)
    const first = await page(0, 2, 'south', 'north')
    assert.deepEqual(
      first.map(project => project.name),
      ['0', '1'],
    )
    const rest = await page(first.at(-1)?.sequence ?? 0, 10, 'south', 'north')
    assert.deepEqual(
      rest.map(project => project.name),
      ['3', '4'],
    )
    assert.deepEqual(await page(0, 10), [])
  })

  it('are found by their id in any case', async () => {
    await control.addOrganizations('north')
    await addProject(control.store, { organization: 'north', name: 'One', id: ID })
    assert.equal((await projectPort(control.store).find(ID, signal))?.name, 'One')
    assert.equal(await projectPort(control.store).find(ID.replace('6F', '7F'), signal), null)
    assert.equal(await projectPort(control.store).find('nothing', signal), null)
  })

  it('have the state that follows from their assessments', async () => {
    await control.addOrganizations('north')
    const { projectId } = await addProject(control.store, { organization: 'north', name: 'One' })
    const state = async () => projectState(await requireProject(control.store, projectId))
    const states = [await state()]
    for (const end of ['failed', 'completed', 'failed'] as const) {
      const { id } = await startAssessment(control.store, projectId)
      states.push(await state())
      await endAssessment(control.store, id, end)
      states.push(await state())
    }
    const failedOnly = ['notComputed', 'computing', 'notComputed']
    assert.deepEqual(states, [...failedOnly, 'computing', 'computed', 'computed', 'computed'])
  })
})

describe('assessments', () => {
  const control = new ControlStore()

  it('run one at a time per project, and end once', async () => {
    await control.addOrganizations('north')
    const { projectId } = await addProject(control.store, { organization: 'north', name: 'One' })
    const { id } = await startAssessment(control.store, projectId)
    await assert.rejects(
      startAssessment(control.store, projectId),
      /is running, and a project has one at a time: end it first/,
    )
    control.now += 1000
    const ended = await endAssessment(control.store, id, 'completed')
    assert.deepEqual([ended.state, ended.startedAt, ended.endedAt], ['completed', control.now - 1000, control.now])
    await assert.rejects(endAssessment(control.store, id, 'failed'), /has completed: start a new one/)
    await assert.rejects(requireRunningAssessment(control.store, 'nothing'), /no assessment "nothing"/)
    await startAssessment(control.store, projectId)
    assert.deepEqual(
      (await listAssessments(control.store, projectId)).map(each => each.state),
      ['completed', 'running'],
    )
  })

  it('cannot run twice, since the database refuses it', async () => {
    await control.addOrganizations('north')
    const { projectId } = await addProject(control.store, { organization: 'north', name: 'One' })
    await startAssessment(control.store, projectId)
    const row = { id: 'x', project_id: projectId, state: 'running', started_at: control.now, ended_at: null } as const
    await assert.rejects(control.store.db.insertInto('assessments').values(row).execute(), /unique/i)
  })
})
