import assert from 'node:assert/strict'
import { PROJECT, type Service, startService } from '../service/service.js'
import { VENDOR } from '../service/vendors.js'

describe('a snapshot that is opened too late', () => {
  let service: Service
  before(async () => {
    service = await startService({ limits: { dependencyTimeoutMs: 200 } })
  })
  after(() => service.close())

  it('is released, since the call has already timed out', async () => {
    const { open } = service.snapshots
    let goOn = () => {}
    const waiting = new Promise<void>(resolve => {
      goOn = resolve
    })
    const released = new Promise<void>(resolve => {
      service.snapshots.open = async (...asked) => {
        await waiting
        const [projectId, snapshotId, files] = asked
        const lease = await open(projectId, snapshotId, files, AbortSignal.timeout(10_000))
        assert.ok(lease)
        return { ...lease, release: () => lease.release().then(resolve) }
      }
    })
    const call = { projectId: PROJECT, sql: `SELECT count(*) AS n FROM ${VENDOR.table.name}` }
    const { status } = await service.call('projects/query', call)
    assert.equal(status, 503)
    goOn()
    await released
    service.snapshots.open = open
    assert.equal((await service.call('projects/query', call)).status, 200)
  })
})
