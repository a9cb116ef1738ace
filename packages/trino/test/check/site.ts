import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type AnalyticsApi,
  type AnalyticsEvent,
  type AnalyticsOptions,
  createAnalyticsApi,
  type DirectorySnapshots,
  defineCatalogue,
  defineFold,
  defineTable,
  directoryExports,
  directorySnapshots,
  duckdbEngine,
} from 'foldgate'
import { fromFolder, openSealer, type SnapshotStore } from 'foldgate/sealing'
import { type TrinoEngineOptions, trinoEngine } from 'foldgate-trino'
import { TestHost } from '../../../../test/service/ports.js'
import { ENTITIES, KEYS, PACKAGE } from '../../../../test/service/service.js'
import type { Cluster } from './cluster.js'

/** Two projects with the same rows, of which the first is on Trino. */
export const ON_TRINO = '44444444-4444-4444-8444-444444444444'
export const ON_DUCKDB = '55555555-5555-4555-8555-555555555555'
/** A project on Trino of another organization, which `KEYS.south` reads. */
export const FOREIGN = '66666666-6666-4666-8666-666666666666'
export { ENTITIES, KEYS }

/** A catalogue whose folds both engines read. */
export const catalogue = defineCatalogue({
  hierarchy: { table: 'entities', key: 'entity_key', parent: 'parent_key', id: 'entity_id', share: 'ownership_share' },
  relations: [
    defineTable({
      name: 'entities',
      columns: { entity_key: 'VARCHAR', entity_id: 'UUID', parent_key: 'VARCHAR', ownership_share: 'DOUBLE' },
      required: ['entity_key', 'entity_id', 'ownership_share'],
    }),
    defineTable({
      name: 'amounts',
      columns: { entity_key: 'VARCHAR', item: 'VARCHAR', amount: 'DOUBLE' },
      references: { entity_key: 'entities.entity_key' },
    }),
    defineTable({ name: 'notes', columns: { note: 'VARCHAR', written: 'TIMESTAMP', about: 'JSON' }, optional: true }),
    defineFold({
      name: 'items',
      about: 'One row an item: how many amounts there are.',
      reads: ['amounts'],
      sql: 'SELECT item, count(*) AS amounts FROM amounts GROUP BY item',
    }),
    defineFold({
      name: 'held',
      about: 'One row an amount, with the share that counts.',
      reads: ['amounts', 'point_of_view'],
      internal: true,
      sql: 'SELECT item, amount * share AS amount FROM amounts JOIN point_of_view USING (entity_key)',
    }),
    defineFold({
      name: 'fold_totals',
      about: 'One row an item: its amount over the point of view.',
      reads: ['held', 'items'],
      sql: 'SELECT item, amounts, sum(amount) AS total FROM held JOIN items USING (item) GROUP BY item, amounts',
    }),
  ],
})

/** A service whose events a test reads. */
export interface Site {
  /** Folder of the snapshots and of everything else, in the cluster's warehouse. */
  home: string
  api: AnalyticsApi
  events: AnalyticsEvent[]
  snapshots: DirectorySnapshots
  /** Folder that the cluster shares with the service. */
  shared: string
  /** Calls a method over REST. */
  call(method: string, params: unknown, options?: { key?: string; signal?: AbortSignal }): Promise<Answer>
  /** Reads a page of a statement of the project on Trino. */
  query(sql: string, more?: Record<string, unknown>): Promise<Answer>
  /** Exports a statement of a project, and downloads the file. */
  exported(projectId: string, sql: string, format?: string): Promise<Uint8Array>
  seal(projectId: string, files?: Record<string, string | Uint8Array>): Promise<string>
  close(): Promise<void>
}

/** The body of an answer of a call. */
export interface Answer {
  class?: string
  message?: string
  data?: Record<string, unknown>
  result?: { items?: Record<string, unknown>[]; nextCursor?: string; [name: string]: unknown }
}

/**
 * Starts a service with its snapshots in the cluster's warehouse, in the folders of the one `beside` it, or in a `store`.
 */
export async function startSite(
  { url, catalog, warehouse }: Cluster,
  trino: Partial<TrinoEngineOptions> = {},
  { beside, store, ...options }: Partial<AnalyticsOptions> & { beside?: Site; store?: SnapshotStore } = {},
): Promise<Site> {
  const home = beside?.home ?? (await mkdtemp(join(warehouse, 'service-')))
  const at = (path: string) => path.replace(warehouse, 'local://')
  const shared = join(home, 'shared')
  await mkdir(shared, { recursive: true })
  const host = new TestHost()
  const events: AnalyticsEvent[] = []
  const snapshots = directorySnapshots(join(home, 'snapshots'))
  const exports = directoryExports(join(home, 'exports'), { retentionMs: 86_400_000 })
  const api = createAnalyticsApi({
    baseUrl: 'http://127.0.0.1:1',
    secrets: ['a secret of the tests, long enough to seal'],
    catalogue,
    keys: host.keyPort,
    projects: host.projectPort,
    snapshots: store ?? snapshots,
    exports,
    engine: duckdbEngine({ folder: join(home, 'engine'), connections: 1 }),
    engines: {
      trino: trinoEngine({
        url,
        catalog,
        duckdb: duckdbEngine({ folder: join(home, 'duckdb'), connections: 1 }),
        folder: join(home, 'own'),
        shared: { folder: shared, location: at(shared) },
        snapshotLocation: ({ folder }) => at(folder),
        ...trino,
      }),
    },
    onEvent: event => void events.push(event),
    ...options,
  })
  host.callers.set(KEYS.north, { keyId: 'k-north', ownerId: 'o-north', organizations: ['north'] })
  host.callers.set(KEYS.south, { keyId: 'k-south', ownerId: 'o-south', organizations: ['south'] })
  host.addProject({ projectId: ON_TRINO, completed: true, engine: 'trino' })
  host.addProject({ projectId: ON_DUCKDB, completed: true })
  host.addProject({ projectId: FOREIGN, organization: 'south', completed: true, engine: 'trino' })

  const seal: Site['seal'] = async (projectId, files = PACKAGE) => {
    const source = join(home, `package-${randomUUID()}`)
    await mkdir(source)
    for (const [name, content] of Object.entries(files)) await writeFile(join(source, name), content)
    const sealer = await openSealer({
      catalogue: options.catalogue ?? catalogue,
      snapshots: store ?? snapshots,
      folder: join(home, 'seal'),
    })
    try {
      return (await sealer.seal({ projectId, assessmentId: randomUUID(), tables: fromFolder(source) })).manifest
        .snapshotId
    } finally {
      await sealer.close()
    }
  }
  const call: Site['call'] = async (method, params, { key = KEYS.north, signal } = {}) => {
    const headers = { authorization: `Bearer ${key}` }
    const init = { method: 'POST', headers, body: JSON.stringify(params), signal: signal ?? null }
    const answer = await api.fetch(new Request(`http://127.0.0.1:1/public/v1/api/${method}`, init))
    return (await answer.json()) as Answer
  }
  await api.ready()
  return {
    home,
    api,
    events,
    snapshots,
    shared,
    call,
    query: (sql, more = {}) => call('projects/query', { projectId: ON_TRINO, sql, ...more }),
    async exported(projectId, sql, format = 'parquet') {
      const { result, message } = await call('projects/export', { projectId, sql, format })
      assert.equal(typeof result?.url, 'string', message)
      const headers = { authorization: `Bearer ${KEYS.north}` }
      const file = await api.fetch(new Request(result?.url as string, { headers }))
      assert.equal(file.status, 200)
      return new Uint8Array(await file.arrayBuffer())
    },
    seal,
    async close() {
      await api.close()
      exports.close()
      if (!beside) await rm(home, { recursive: true, force: true })
    },
  }
}
