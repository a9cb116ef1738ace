import assert from 'node:assert/strict'
import type { KyselyPlugin } from 'kysely'
import { whileUnchanged } from '#server/database/changes.js'
import { openStore, type Store } from '#server/database/store.js'
import { addOrganization } from '#server/store/organizations.js'
import { projectPort } from '#server/store/ports.js'
import { addProject, findProject, renameProject } from '#server/store/projects.js'
import { until } from '../until.js'
import { ControlStore } from './control.js'
import { isEmbedded } from './stores.js'

const { signal } = new AbortController()
const HEARD_WITHIN_MS = 100

describe('what is kept of a store', () => {
  const control = new ControlStore()
  let other: Store
  let reads: string[]
  let read: (projectId: string) => Promise<string | undefined>

  beforeEach(async () => {
    other = await openStore(control.file)
    reads = []
    read = whileUnchanged(
      control.store,
      async projectId => {
        reads.push(projectId)
        return (await findProject(control.store, projectId))?.name
      },
      { idsOf: (_, projectId) => [projectId] },
    )
    await control.addOrganizations('north')
  })
  afterEach(() => other.close())

  /** Reads until nothing is read from the store: the store in PostgreSQL listens soon after the first read. */
  const untilKept = (...ids: string[]) =>
    until(async () => {
      await Promise.all(ids.map(read))
      reads.length = 0
      await Promise.all(ids.map(read))
      return reads.length === 0
    }, 'reads are kept')

  async function addProjects(count: number): Promise<string[]> {
    const ids: string[] = []
    for (let at = 0; at < count; at++)
      ids.push((await addProject(control.store, { organization: 'north', name: `Project ${at}` })).projectId)
    return ids
  }

  it('is read once, and again after a change by another process', async () => {
    const [one = ''] = await addProjects(1)
    await untilKept(one)
    await renameProject(other, one, 'Renamed')
    const changedAt = performance.now()
    await until(async () => (await read(one)) === 'Renamed', 'the change is seen')
    assert.ok(isEmbedded || performance.now() - changedAt < 10 * HEARD_WITHIN_MS)
  })

  it('is read again at once after a change by this process', async () => {
    const [one = ''] = await addProjects(1)
    await untilKept(one)
    for (let time = 0; time < 20; time++) {
      await renameProject(control.store, one, `Renamed ${time}`)
      assert.equal(await read(one), `Renamed ${time}`)
    }
  })

  it('is not kept if it changes while it is read', async () => {
    const [one = ''] = await addProjects(1)
    await untilKept(one)
    let isFirst = true
    const racing = whileUnchanged(
      control.store,
      async projectId => {
        const found = await findProject(control.store, projectId)
        if (isFirst) await renameProject(other, projectId, 'Renamed')
        isFirst = false
        return found?.name
      },
      { idsOf: (_, projectId) => [projectId] },
    )
    assert.equal(await racing(one), 'Project 0')
    await until(async () => (await racing(one)) === 'Renamed', 'the change is seen')
  })

  it('is kept for as long as it says which rows it is made of', async () => {
    const [one = ''] = await addProjects(1)
    await untilKept(one)
    let count = 0
    const unkept = whileUnchanged(control.store, async () => ++count, { idsOf: () => null })
    assert.deepEqual([await unkept(one), await unkept(one)], [1, 2])
  })

  it('includes pages of projects, which are read again after one was added, renamed or taken away', async () => {
    const [one = ''] = await addProjects(1)
    await untilKept(one)
    const { list } = projectPort(control.store)
    const names = async (...organizations: string[]) =>
      (await list({ organizations, after: 0, limit: 10 }, signal)).map(({ name }) => name).join()
    assert.equal(await names('north', 'south'), 'Project 0')
    await addOrganization(other, { key: 'south', name: 'South' })
    const { projectId } = await addProject(other, { organization: 'south', name: 'Two' })
    await until(async () => (await names('north', 'south')) === 'Project 0,Two', 'the project is listed')
    await renameProject(other, projectId, 'Second')
    await until(async () => (await names('north', 'south')) === 'Project 0,Second', 'the new name is listed')
    await other.db.deleteFrom('projects').where('id', '=', projectId).execute()
    await until(async () => (await names('north', 'south')) === 'Project 0', 'the project is gone')
  })

  it('has no pages of projects of very many organizations, which would fill the memory', async () => {
    let asked = 0
    const counter: KyselyPlugin = {
      transformQuery: ({ node }) => {
        asked += 1
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const { list } = projectPort({ ...control.store, db: control.store.db.withPlugin(counter) })
    const [one = ''] = await addProjects(1)
    const askedFor = async (count: number) => {
      await untilKept(one)
      const organizations = ['north', ...Array.from({ length: count - 1 }, (_, place) => `other-${place}`)]
      asked = 0
      for (let time = 0; time < 3; time++) await list({ organizations, after: 0, limit: 10 }, signal)
      return asked
    }
    await until(async () => (await askedFor(10)) === 0, 'a page of few organizations is kept')
    assert.equal(await askedFor(1000), 3)
  })
})
