import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openStore } from '#server/database/store.js'
import { openDataFolder } from '#server/snapshots/data-folder.js'
import { requireSharedFolder } from '#server/snapshots/marker.js'
import { addOrganization } from '#server/store/organizations.js'
import { addProject } from '#server/store/projects.js'
import { ControlStore } from './control.js'

describe('a new shared folder', () => {
  const control = new ControlStore()

  it('is marked once when servers of a store that has projects start together', async () => {
    await addOrganization(control.store, { key: 'north', name: 'North' })
    await addProject(control.store, { organization: 'north', name: 'One' })
    const shared = join(control.folder, 'shared')
    const folder = await openDataFolder(join(control.folder, 'data'), { shared })
    const stores = await Promise.all(Array.from({ length: 2 }, () => openStore(control.file)))
    try {
      const ids = await Promise.all(stores.map(store => requireSharedFolder(store, folder)))
      const marker = await readFile(join(shared, 'snapshots', '.store'), 'utf8')
      assert.deepEqual(new Set(ids), new Set([marker.trim()]))
    } finally {
      await Promise.all(stores.map(store => store.close()))
    }
  })
})
