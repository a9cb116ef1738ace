import { join, resolve } from 'node:path'
import { type AnalyticsOptions, duckdbEngine } from 'foldgate'
import { Refusal } from '../input/refusal.js'
import type { ServerConfig } from '../settings/config.js'
import type { DataFolder } from '../snapshots/data-folder.js'

/**
 * The engines of a server: DuckDB, and Trino for the projects that name it if it is configured. Throws a
 * Refusal when Trino cannot reach the snapshots.
 */
export async function enginesOf(
  config: ServerConfig,
  folder: DataFolder,
): Promise<Pick<AnalyticsOptions, 'engine' | 'engines'>> {
  const { memoryLimitBytes, connections, residents, spares, sandbox } = config
  const guard = { functions: config.functions ?? [] }
  const engine = duckdbEngine({
    folder: folder.engine,
    memoryLimitBytes,
    spares,
    sandbox,
    guard,
    ...(connections === null ? {} : { connections }),
    ...(residents === null ? {} : { residents }),
  })
  if (config.trino === null) return { engine }
  if (folder.shared.what !== 'shared folder')
    throw new Refusal(
      '--trino needs snapshots in a folder that the cluster reads too: name one with --shared',
    )
  const { trinoEngine } = await import('foldgate-trino').catch(cause => {
    throw new Refusal('--trino needs the package foldgate-trino: install it beside foldgate-server', {
      cause,
    })
  })
  const { url, auth, user, catalog } = config.trino
  const shared = resolve(config.shared ?? config.data)
  const location = config.trinoLocation ?? `local://${shared}`
  const trino = trinoEngine({
    url,
    ...(user === null ? {} : { user }),
    ...(auth === null ? {} : { auth }),
    catalog,
    duckdb: duckdbEngine({
      folder: join(folder.engine, 'trino', 'duckdb'),
      memoryLimitBytes,
      sandbox,
      connections: 2,
      spares: 1,
    }),
    folder: join(folder.engine, 'trino', 'rows'),
    shared: { folder: join(shared, 'trino'), location: `${location}/trino` },
    snapshotLocation: ({ projectId, snapshotId }) => `${location}/snapshots/${projectId}/${snapshotId}`,
  })
  return { engine, engines: { trino } }
}
