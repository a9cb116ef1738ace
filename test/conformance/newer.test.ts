import assert from 'node:assert/strict'
import type { AnalyticsEvent, ProjectRecord } from 'foldgate'
import type { Snapshot } from '#lib/snapshots/manifest.js'
import { NewerSnapshots } from '#lib/snapshots/newer.js'
import { KEYS, OTHER_PROJECT, PROJECT, type Service, startService } from '../service/service.js'

describe('a host gets an event', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  const news = () => service.events.filter(event => event.type === 'snapshot')
  const describe = (projectId: string, key = KEYS.north) => service.call('projects/describe', { projectId }, key)

  it('when a call reads a newer snapshot of a project, once, and only then', async () => {
    await describe(PROJECT)
    await describe(OTHER_PROJECT)
    assert.deepEqual(news(), [], 'the first snapshot that is read is not news')
    const snapshotId = await service.seal(PROJECT)
    assert.deepEqual(news(), [], 'no call has read it')
    assert.equal((await describe(PROJECT, KEYS.south)).status, 403)
    assert.deepEqual(news(), [], 'nor has a call that was refused')
    const { headers } = await describe(PROJECT)
    await describe(PROJECT)
    await describe(OTHER_PROJECT)
    await service.call('projects/query', { projectId: PROJECT, sql: 'SELECT 1 AS n' })
    const sealedAt = headers.get('foldgate-sealed-at')
    assert.deepEqual(news(), [{ type: 'snapshot', projectId: PROJECT, organization: 'north', snapshotId, sealedAt }])
  })
})

describe('newer snapshots', () => {
  const told: AnalyticsEvent[] = []
  const see = (newer: NewerSnapshots, projectId: string, snapshotId: string) =>
    newer.see(
      { projectId, organization: 'o' } as ProjectRecord,
      { snapshotId, manifest: { sealedAt: 's' } } as Snapshot,
    )

  beforeEach(() => void told.splice(0))

  it('are not those that a port returns to', () => {
    const newer = new NewerSnapshots(event => told.push(event))
    for (const id of ['2', '3', '2', '3', '1', '4']) see(newer, 'p', id)
    assert.deepEqual(
      told.map(event => event.type === 'snapshot' && event.snapshotId),
      ['3', '4'],
    )
  })

  it('are forgotten for the project that was read least recently of more than ten thousand', () => {
    const newer = new NewerSnapshots(event => told.push(event))
    see(newer, 'first', '1')
    for (let n = 0; n < 9_999; n++) see(newer, `p${n}`, '1')
    see(newer, 'first', '2')
    for (let n = 0; n < 10_000; n++) see(newer, `q${n}`, '1')
    see(newer, 'first', '3')
    assert.equal(told.length, 1)
  })
})
