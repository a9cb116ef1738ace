import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fromFolder, openSealer } from 'foldgate/sealing'
import { PROJECT, type Service, startService } from '../../../../test/service/service.js'
import { VENDOR } from '../../../../test/service/vendors.js'
import { faultySnapshots } from './faulty.js'

const { single, files } = VENDOR
const { sql, column } = single
const { signal } = new AbortController()

describe('a snapshot in S3 that calls name', () => {
  const world = faultySnapshots('snapshots in S3 that calls name')
  let service: Service
  let sealed: string[]

  beforeEach(async () => {
    service = await startService({ snapshots: world.snapshots })
    const sealer = await openSealer({
      catalogue: VENDOR.catalogue,
      snapshots: world.snapshots,
      folder: join(service.folder, 'scratch-of-s3'),
    })
    for (const value of [6, 7, 8]) {
      const source = join(service.folder, randomUUID())
      await mkdir(source)
      for (const [name, text] of Object.entries({ ...files, ...single.files(value) }))
        await writeFile(join(source, name), text)
      await sealer.seal({ projectId: PROJECT, assessmentId: randomUUID(), tables: fromFolder(source) })
    }
    await sealer.close()
    sealed = [...(await world.snapshots.list(PROJECT, signal))].reverse()
  })
  afterEach(async () => {
    world.store.heal()
    await service.close()
  })

  const query = (params: object) => service.call('projects/query', { projectId: PROJECT, sql, ...params })
  const listed = async () => {
    const { body } = await service.call('projects/describe', { projectId: PROJECT, include: ['snapshots'] })
    return (body.result as { snapshots?: { snapshot: string }[] }).snapshots?.map(({ snapshot }) => snapshot)
  }

  it('is listed with the others, of which no file is copied', async () => {
    world.store.seen = []
    assert.deepEqual(await listed(), sealed.toReversed())
    const [newest] = await world.snapshots.manifests(PROJECT)
    const ids = newest?.entities
    const copied = world.store.readKeys().filter(key => key.includes('/tables/'))
    assert.deepEqual(copied, [`${world.prefix}tables/${PROJECT}/${ids?.file}`], 'of the latest one alone')
    world.store.seen = []
    await listed()
    assert.deepEqual(
      world.store.readKeys().filter(key => key.includes('/snapshots/')),
      [],
      'when they were sealed is known',
    )
  })

  it('is read as long as it is kept, although its copy and its relations stay', async () => {
    for (const [at, value] of [6, 7, 8].entries())
      assert.deepEqual((await query({ snapshot: sealed[at] })).body.result?.items, [{ [column]: value }])
    await world.snapshots.prune(PROJECT, 1)
    for (const at of [0, 1]) {
      const { status, body } = await query({ snapshot: sealed[at] })
      assert.deepEqual([status, body.class, body.data?.path], [400, 'INVALID_PARAMS', 'snapshot'])
    }
    assert.deepEqual((await query({ snapshot: sealed[2] })).body.result?.items, [{ [column]: 8 }])
    assert.deepEqual(await listed(), [sealed[2]])
  })

  it('is UNAVAILABLE while the store is', async () => {
    assert.equal((await query({ snapshot: sealed[0] })).status, 200)
    world.store.fate = () => 'unavailable'
    for (const snapshot of [sealed[0], 'none']) {
      const { body } = await query({ snapshot })
      assert.equal(body.class, 'UNAVAILABLE')
    }
  })
})
