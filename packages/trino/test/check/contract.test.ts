import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { duckdbEngine } from 'foldgate'
import { trinoEngine } from 'foldgate-trino'
import { engineContract } from '../../../contracts/test/engine/engine.js'
import { type Cluster, STARTS_WITHIN_MS, sharedCluster } from './cluster.js'

describe('the contract of engines', () => {
  let trino: Cluster
  before(async function () {
    this.timeout(STARTS_WITHIN_MS)
    trino = await sharedCluster(this)
  })

  const checks = engineContract(
    async () => {
      const { url, catalog, warehouse } = trino
      const folder = await mkdtemp(join(warehouse, 'contract-'))
      const at = (path: string) => path.replace(warehouse, 'local://')
      const shared = { folder: join(folder, 'shared'), location: at(join(folder, 'shared')) }
      const duckdb = duckdbEngine({ folder: join(folder, 'duckdb'), connections: 1 })
      return {
        open: trinoEngine({
          url,
          catalog,
          duckdb,
          folder: join(folder, 'own'),
          shared,
          snapshotLocation: place => at(place.folder),
          connections: 2,
        }),
        folder,
        close: () => rm(folder, { recursive: true, force: true }),
      }
    },
    { patienceMs: 60_000 },
  )
  for (const { name, run } of checks) it(name, run).timeout(120_000)
})
