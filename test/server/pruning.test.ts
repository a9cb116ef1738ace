import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { directorySnapshots } from 'foldgate'
import { FORMAT_VERSION } from '#lib/snapshots/manifest.js'
import { keepPruning } from '#server/snapshots/pruning.js'
import { addProject } from '#server/store/projects.js'
import { manifestPath } from '../stored.js'
import { until } from '../until.js'
import { ControlStore } from './control.js'

const { signal } = new AbortController()
const snapshotId = (number: number) => `${String(number).padStart(6, '0')}-11111111-1111-4111-8111-111111111111`

describe('superseded snapshots', () => {
  const control = new ControlStore()

  /** Adds a project with three snapshots, with only the files that pruning needs. */
  async function addSealed(folder: string): Promise<string> {
    const { projectId } = await addProject(control.store, { organization: 'north', name: 'One' })
    for (const number of [1, 2, 3]) {
      const path = manifestPath(folder, projectId, snapshotId(number))
      await mkdir(dirname(path), { recursive: true })
      const manifest = { formatVersion: FORMAT_VERSION, projectId, snapshotId: snapshotId(number), tables: [] }
      await writeFile(path, JSON.stringify(manifest))
    }
    return projectId
  }

  it('are removed from every project except an unreadable one, which is reported', async () => {
    await control.addOrganizations('north')
    const folder = join(control.folder, `${control.name}-snapshots`)
    const projects = [await addSealed(folder), await addSealed(folder), await addSealed(folder)]
    const [, unreadable = ''] = projects
    await writeFile(manifestPath(folder, unreadable, snapshotId(2)), 'no manifest')
    const reported: string[] = []
    const snapshots = directorySnapshots(folder)
    const places = { snapshots, exports: { remove: async () => {} } }
    const pruning = keepPruning(control.store, places, { keep: 1, exportRetentionMs: 1000 }, what =>
      reported.push(what),
    )
    const left = () => Promise.all(projects.map(async project => (await snapshots.list(project, signal)).length))
    try {
      await until(async () => (await left()).join() === '1,3,1' && reported.length > 0, 'the others pruned')
    } finally {
      await pruning.stop()
    }
    assert.deepEqual(await left(), [1, 3, 1])
    assert.deepEqual(reported, [`removing superseded snapshots of the project ${unreadable}`])
  })
})
