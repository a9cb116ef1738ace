import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import {
  FOREIGN_PROJECT,
  KEYS,
  OTHER_PROJECT,
  PROJECT,
  type Service,
  sharedService,
  startService,
} from '../service/service.js'

describe('projects/list', () => {
  let service: Service
  before(async () => {
    service = await sharedService()
  })

  it('returns the projects of the organizations that the key reads, oldest first', async () => {
    const { status, body } = await service.call('projects/list')
    assert.equal(status, 200)
    assert.deepEqual(body, {
      result: {
        items: [
          { projectId: PROJECT, name: 'Project 1', organization: 'north', state: 'computed' },
          { projectId: OTHER_PROJECT, name: 'Project 2', organization: 'north', state: 'computed' },
        ],
      },
    })
    const south = await service.call('projects/list', {}, KEYS.south)
    assert.deepEqual(
      south.body.result?.items?.map(item => item.projectId),
      [FOREIGN_PROJECT],
    )
  })

  it('returns an empty list to a key that reads nothing', async () => {
    assert.deepEqual((await service.call('projects/list', {}, KEYS.none)).body, { result: { items: [] } })
  })

  it('accepts limits from 1 to 500 and refuses others', async () => {
    for (const limit of [0, 501, -1, 1.5, '100', null]) {
      const { status, body } = await service.call('projects/list', { page: { limit } })
      assert.deepEqual([status, body.class, body.data?.path], [400, 'INVALID_PARAMS', 'page.limit'], String(limit))
    }
    for (const limit of [1, 500]) assert.equal((await service.call('projects/list', { page: { limit } })).status, 200)
  })

  it('refuses a forged, truncated or foreign cursor', async () => {
    const first = await service.call('projects/list', { page: { limit: 1 } })
    const cursor = first.body.result?.nextCursor as string
    const query = await service.call('projects/query', { projectId: PROJECT, sql: 'FROM range(3)', page: { limit: 1 } })
    const forged = [
      cursor.slice(0, -1),
      `${cursor}A`,
      cursor.replace(/^./, c => (c === 'A' ? 'B' : 'A')),
      'x',
      '',
      query.body.result?.nextCursor,
    ]
    for (const text of forged) {
      const { status, body } = await service.call('projects/list', { page: { cursor: text } })
      assert.deepEqual([status, body.class, body.data?.path], [400, 'INVALID_PARAMS', 'page.cursor'], String(text))
    }
  })
})

describe('projects/list over many pages', () => {
  let service: Service
  before(async () => {
    service = await startService()
    for (let count = 0; count < 7; count++) service.host.addProject({ projectId: randomUUID() })
  })
  after(() => service.close())

  it('skips and repeats nothing, and returns a project created meanwhile on the last page', async () => {
    const seen: unknown[] = []
    let cursor: string | undefined
    let pages = 0
    do {
      const { body } = await service.call('projects/list', { page: { limit: 3, ...(cursor ? { cursor } : {}) } })
      seen.push(...(body.result?.items ?? []).map(item => item.projectId))
      cursor = body.result?.nextCursor
      if (++pages === 1) service.host.addProject({ projectId: randomUUID() })
      assert.ok(pages < 10)
    } while (cursor)
    const readable = service.host.projects.filter(project => project.organization === 'north')
    assert.deepEqual(
      seen,
      readable.map(project => project.projectId),
    )
    assert.equal(seen.at(-1), service.host.projects.at(-1)?.projectId)
  })

  it('derives the three states from assessments', async () => {
    const projectId = randomUUID()
    const project = service.host.addProject({ projectId })
    const state = async () => {
      const { body } = await service.call('projects/list', { page: { limit: 500 } })
      return body.result?.items?.find(item => item.projectId === projectId)?.state
    }
    assert.equal(await state(), 'notComputed')
    project.running = true
    assert.equal(await state(), 'computing')
    project.completed = true
    assert.equal(await state(), 'computed')
    project.running = false
    assert.equal(await state(), 'computed')
  })
})
