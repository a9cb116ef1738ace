import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineCatalogue, defineTables } from 'foldgate'
import { fromRows, openSealer, type Sealer, snapshotFiles } from 'foldgate/sealing'
import { MemoryStore } from './memory-store.js'

describe('rows that are appended to a table of a snapshot in S3', () => {
  const catalogue = defineCatalogue({ relations: defineTables('events', 'countries') })
  let folder: string
  let sealer: Sealer | null = null
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-copies-'))
  })
  after(async () => {
    await sealer?.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('are a file of their own, and one of two that are appended at once is refused', async () => {
    const store = new MemoryStore()
    const snapshots = store.open(join(folder, 'copies'))
    sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
    const seal = sealer.seal
    const projectId = randomUUID()
    const countries = () => fromRows([{ code: 'CH' }])
    const events = (...days: number[]) => fromRows(days.map(day => ({ day })))
    const { manifest: before } = await seal({ projectId, tables: { events: events(1, 2), countries: countries() } })
    const append = (day: number) =>
      seal({ projectId, tables: { events: events(day), countries: countries() }, append: ['events'] })
    store.requests = []
    const { manifest: after } = await append(3)
    const known = snapshotFiles(before).map(({ file }) => file)
    const files = snapshotFiles(after).map(({ file }) => file)
    assert.ok(known.every(file => files.includes(file)))
    assert.equal(files.length, known.length + 1)
    assert.equal(store.requests.filter(request => request.startsWith('PUT tables/')).length, 1)
    assert.deepEqual(await snapshots.verify(projectId, after.snapshotId), [])

    const ends = await Promise.allSettled([append(4), append(5)])
    const manifests = await snapshots.manifests(projectId)
    const published = ends.flatMap(end => (end.status === 'fulfilled' ? [end.value.manifest.snapshotId] : []))
    assert.equal(manifests.length, 2 + published.length)
    for (const end of ends)
      if (end.status === 'rejected') assert.match(String(end.reason), /sealed meanwhile|outdated/i)
    const rows = manifests[0]?.tables.find(({ name }) => name === 'events')?.rows
    assert.equal(rows, 3 + published.length, 'none is lost')
  }).timeout(60_000)
})
