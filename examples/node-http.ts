import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  createAnalyticsApi,
  defineCatalogue,
  defineFold,
  defineTable,
  directoryExports,
  directorySnapshots,
  openSealer,
  toNodeHandler,
} from 'foldgate'

const catalogue = defineCatalogue({
  hierarchy: { table: 'entities', key: 'entity_key', parent: 'parent_key', id: 'entity_id', share: 'ownership_share' },
  relations: [
    defineTable({
      name: 'entities',
      columns: { entity_key: 'VARCHAR', entity_id: 'UUID', parent_key: 'VARCHAR', ownership_share: 'DOUBLE' },
      required: ['entity_key', 'entity_id', 'ownership_share'],
    }),
    defineTable({ name: 'emissions', columns: { entity_key: 'VARCHAR', tonnes: 'DOUBLE' } }),
    defineFold({
      name: 'fold_emissions',
      about: 'One row: tonnes emitted over the point of view.',
      reads: ['emissions', 'point_of_view'],
      sql: 'SELECT sum(tonnes * share) AS tonnes FROM emissions JOIN point_of_view USING (entity_key)',
    }),
  ],
  examples: [{ question: 'How much do we emit?', sql: 'SELECT tonnes FROM fold_emissions' }],
})

/** A host on `node:http` with one project and one key in memory; `source` holds the tables of its assessment. */
export async function startHost(folder: string, source: string, key: string) {
  const project = {
    projectId: randomUUID(),
    name: 'Ours',
    organization: 'us',
    sequence: 1,
    completed: true,
    running: false,
  }
  const snapshots = directorySnapshots(join(folder, 'snapshots'))
  const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
  await sealer.seal({ projectId: project.projectId, assessmentId: randomUUID(), source })
  await sealer.close()

  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const api = createAnalyticsApi({
    baseUrl,
    secrets: [randomUUID() + randomUUID()], // keep yours: cursors and links end with it
    catalogue,
    keys: { authenticate: async given => (given === key ? { keyId: '1', ownerId: '1', organizations: ['us'] } : null) },
    projects: { find: async id => (id === project.projectId ? project : null), list: async () => [project] },
    snapshots,
    exports: directoryExports(join(folder, 'exports'), { retentionMs: 86_400_000 }),
    engine: { folder: join(folder, 'engine') },
  })
  server.on('request', toNodeHandler(api))
  return { url: baseUrl, projectId: project.projectId, close: () => Promise.all([api.close(), server.close()]) }
}
