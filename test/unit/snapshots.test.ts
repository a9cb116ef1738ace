import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DirectorySnapshots, directorySnapshots, type SnapshotPort } from 'foldgate'
import { FORMAT_VERSION } from '#lib/snapshots/manifest.js'
import { SnapshotReader } from '#lib/snapshots/reader.js'
import { PROJECT, publish, signal } from './objects/world.js'

describe('the latest snapshot', () => {
  let folder: string
  let snapshots: DirectorySnapshots

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    snapshots = directorySnapshots(join(folder, 'snapshots'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  const seal = async (text: string) => (await publish(snapshots, folder, [text])).snapshotId
  const readerOf = (port: SnapshotPort) => new SnapshotReader(port, () => {}, false)
  const isGone = (port: SnapshotPort, id: string): SnapshotPort => ({
    ...port,
    manifestOf: async (project, snapshotId, within) =>
      snapshotId === id ? null : port.manifestOf(project, snapshotId, within),
  })

  it('is looked up again when the listed one has since been superseded and removed', async () => {
    const first = await seal('a')
    let second = ''
    let looks = 0
    const reader = readerOf(
      isGone(
        {
          ...snapshots,
          async list(projectId) {
            const listed = await snapshots.list(projectId, signal)
            if (++looks > 1) return listed
            second = await seal('b')
            await snapshots.prune(projectId, 1)
            return listed
          },
        },
        first,
      ),
    )
    assert.equal((await reader.latest(PROJECT, signal))?.snapshotId, second)
    assert.equal(looks, 2)
  })

  it('is that of the requested project, even if the host uses the same snapshot ids in every project', async () => {
    const others = '22222222-2222-4222-8222-222222222222'
    const reader = readerOf({
      list: async () => ['1'],
      manifestOf: async projectId => {
        const sealedAt = projectId === PROJECT ? '2026-01-01T00:00:00Z' : '2026-01-02T00:00:00Z'
        return JSON.stringify({ formatVersion: FORMAT_VERSION, projectId, snapshotId: '1', sealedAt, tables: [] })
      },
      open: async () => null,
    })
    for (const projectId of [PROJECT, others])
      assert.equal((await reader.latest(projectId, signal))?.manifest.projectId, projectId)
  })

  it('is the previous one when the host lists one that it does not have', async () => {
    const first = await seal('a')
    const none = `000009-${PROJECT}`
    const reader = readerOf({ ...snapshots, list: async () => [none, first] })
    assert.equal((await reader.latest(PROJECT, signal))?.snapshotId, first)
    const nothing = readerOf({ ...snapshots, list: async () => [none] })
    assert.equal(await nothing.latest(PROJECT, signal), null)
  })
})
