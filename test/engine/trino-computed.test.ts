import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { directorySnapshots, duckdbEngine, type SnapshotLease } from 'foldgate'
import type { OwnershipView } from 'foldgate/client'
import type { Snapshot } from 'foldgate/engine'
import { fromFolder, openSealer } from 'foldgate/sealing'
import catalogue from '#assessed/catalogue.js'
import { resolveLimits } from '#lib/call/limits.js'
import type { DuckdbEngine } from '#lib/duckdb/engine.js'
import { SharedFiles } from '#trino/relations/shared-files.js'
import { inFolder } from '#trino/relations/shared-places.js'
import { readPackage } from '../server/data/package.js'
import { TINY_ENTITIES, writeTinyPackage } from '../server/data/tiny.js'
import { readParquetRows } from '../types/arrow.js'

describe('what DuckDB computes for a cluster', () => {
  let folder: string
  let engine: DuckdbEngine
  let snapshot: Snapshot
  let files: SharedFiles
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    await writeTinyPackage(join(folder, 'tiny'))
    const [{ id = '' } = {}] = readPackage(join(folder, 'tiny'))
    const snapshots = directorySnapshots(join(folder, 'snapshots'))
    const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
    const source = join(folder, 'tiny')
    const { manifest } = await sealer.seal({ projectId: id, assessmentId: randomUUID(), tables: fromFolder(source) })
    await sealer.close()
    const { snapshotId } = manifest
    const open = async (files: readonly string[]) =>
      (await snapshots.open(id, snapshotId, files, new AbortController().signal)) as SnapshotLease
    snapshot = { projectId: id, snapshotId, manifest, open, hasEntity: () => true }
    engine = duckdbEngine({ folder: join(folder, 'engine') })({ catalogue, limits: resolveLimits(), onEvent() {} })
    const shared = { folder: join(folder, 'shared'), location: 'local:///shared' }
    files = new SharedFiles(
      engine,
      inFolder(shared, ({ snapshotId }) => `local:///${snapshotId}`),
    )
  })
  after(async () => {
    await engine?.close()
    await rm(folder, { recursive: true })
  })

  async function computed(relation: string, ownershipView: OwnershipView) {
    const point = { snapshot, organization: 'o', entityId: TINY_ENTITIES.half, ownershipView }
    const { locations, columns } = await files.computed(point, 'fg_b_1', relation)
    const path = join(folder, locations[0]?.slice('local:///'.length) ?? '')
    const types = columns.map(({ name, rewritten }) => `${name} ${rewritten}`)
    return { types, rows: readParquetRows(await readFile(path)).map(row => Object.values(row)) }
  }

  it('is the point of view, as the caller asks for it', async () => {
    const types = ['entity_key varchar', 'share double']
    const net = [
      ['half', 1],
      ['joint', 0.4],
      ['leaf', 0.2],
    ]
    assert.deepEqual(await computed('point_of_view', 'net'), { types, rows: net })
    assert.deepEqual(await computed('point_of_view', 'gross'), { types, rows: net.map(([entity]) => [entity, 1]) })
  })

  it('is a recursive fold, from the same point of view', async () => {
    assert.deepEqual(await computed('ownership_paths', 'net'), {
      types: ['ancestor_key varchar', 'entity_key varchar', 'depth integer', 'share double'],
      rows: [
        ['half', 'half', 0, 1],
        ['half', 'joint', 1, 0.4],
        ['half', 'leaf', 2, 0.2],
        ['joint', 'joint', 0, 1],
        ['joint', 'leaf', 1, 0.5],
        ['leaf', 'leaf', 0, 1],
      ],
    })
  })
})
