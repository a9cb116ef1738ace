import { join, resolve } from 'node:path'
import { type AnalyticsOptions, duckdbEngine } from 'foldgate'
import type * as Trino from 'foldgate-trino'
import { installed } from '../input/installed.js'
import type { ServerConfig } from '../settings/config.js'
import type { DataFolder } from '../snapshots/data-folder.js'

/**
 * The engines of a server: DuckDB, and Trino for the projects that name it if it is configured. Throws a
 * Refusal when the package for Trino is not installed.
 */
export async function enginesOf(
  config: ServerConfig,
  folder: DataFolder,
): Promise<Pick<AnalyticsOptions, 'engine' | 'engines'>> {
  const { memoryLimitBytes, connections, residents, spares, sandbox } = config
  const guard = { functions: config.functions ?? [] }
  const memory = memoryLimitBytes === null ? {} : { memoryLimitBytes }
  const engine = duckdbEngine({
    folder: folder.engine,
    spares,
    sandbox,
    guard,
    ...memory,
    ...(connections === null ? {} : { connections }),
    ...(residents === null ? {} : { residents }),
  })
  if (config.trino === null) return { engine }
  const { trinoEngine } = await installed<Pick<typeof Trino, 'trinoEngine'>>('--trino', 'foldgate-trino')
  const { url, auth, user, catalog } = config.trino
  const trino = trinoEngine({
    url,
    ...(user === null ? {} : { user }),
    ...(auth === null ? {} : { auth }),
    catalog,
    duckdb: duckdbEngine({
      folder: join(folder.engine, 'trino', 'duckdb'),
      ...memory,
      sandbox,
      connections: 2,
      spares: 1,
    }),
    folder: join(folder.engine, 'trino', 'rows'),
    ...whatClusterReads(config, folder),
  })
  return { engine, engines: { trino } }
}

/** Where the cluster reads snapshots, and what the server writes for it. */
function whatClusterReads(
  { shared, data, trinoLocation }: ServerConfig,
  folder: DataFolder,
): Pick<Trino.TrinoEngineOptions, 'shared' | 'snapshotLocation'> {
  const { filesOfCluster } = folder.shared
  if (filesOfCluster) return { shared: filesOfCluster(trinoLocation) }
  const path = resolve(shared ?? data)
  const location = trinoLocation ?? `local://${path}`
  return {
    shared: { folder: join(path, 'trino'), location: `${location}/trino` },
    snapshotLocation: ({ projectId }) => `${location}/snapshots/tables/${projectId}`,
  }
}
