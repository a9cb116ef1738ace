import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import {
  type AnalyticsApi,
  createAnalyticsApi,
  defineCatalogue,
  defineFold,
  defineTable,
  directoryExports,
  directorySnapshots,
  duckdbEngine,
} from 'foldgate'
import type { ExportFormat } from 'foldgate/client'
import { fromFolder, openSealer, tableFiles } from 'foldgate/sealing'
import { TestHost } from '../../service/ports.js'
import { tablesOf } from '../../stored.js'

const KEY = 'key-of-the-answers'
const projectId = '11111111-1111-4111-8111-111111111111'
const authorization = `Bearer ${KEY}`

/** A page, as callers get it. */
export interface Page {
  items: Record<string, unknown>[]
  nextCursor?: string
  columns?: { name: string; type: string }[]
}

/** A table to seal, or a fold over others. */
export interface SealedTable {
  name: string
  columns: readonly { name: string; type: string }[]
  fold?: string
}

/** A service over the generated tables. */
export interface AnswersService {
  /** The Parquet files of its sealed tables, by table. */
  sealed: ReadonlyMap<string, string>
  page(sql: string, page: { limit: number; cursor?: string }): Promise<Page>
  exported(sql: string, format: ExportFormat): Promise<Uint8Array>
  close(): Promise<void>
}

/** Seals the Parquet files of a folder, one per table that is no fold, and starts a service over them. */
export async function serve(folder: string, tables: readonly SealedTable[]): Promise<AnswersService> {
  const catalogue = defineCatalogue({
    relations: tables.map(({ name, columns, fold }) =>
      fold === undefined
        ? defineTable({ name, columns: Object.fromEntries(columns.map(column => [column.name, column.type])) })
        : defineFold({ name, about: 'One row per value of its id.', reads: ['big'], sql: fold }),
    ),
  })
  const snapshots = directorySnapshots(join(folder, 'snapshots'))
  const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
  const { manifest } = await sealer.seal({ projectId, assessmentId: randomUUID(), tables: fromFolder(folder) })
  await sealer.close()
  const host = new TestHost()
  host.callers.set(KEY, { keyId: 'key', ownerId: 'ada', organizations: ['north'] })
  host.addProject({ projectId, completed: true })
  const place = tablesOf(join(folder, 'snapshots'), projectId)
  const sealed = new Map(manifest.tables.map(table => [table.name, join(place, tableFiles(table)[0]?.file ?? '')]))
  const exports = directoryExports(join(folder, 'exports'), { retentionMs: 86_400_000 })
  const api: AnalyticsApi = createAnalyticsApi({
    baseUrl: 'http://127.0.0.1:1',
    secrets: ['a secret of the tests, long enough to seal'],
    catalogue,
    keys: host.keyPort,
    projects: host.projectPort,
    snapshots,
    exports,
    quota: { take: async () => ({ allowed: true, limit: 600, remaining: 599, windowMs: 60_000, resetMs: 60_000 }) },
    engine: duckdbEngine({ connections: 1, spares: 1, folder: join(folder, 'engine') }),
  })
  await api.ready()
  return {
    sealed,
    async page(sql, page) {
      const { result } = await api.call(
        'projects/query',
        { projectId, sql, page, include: ['columns'] },
        { authorization },
      )
      return result as unknown as Page
    },
    async exported(sql, format) {
      const { result } = await api.call('projects/export', { projectId, sql, format }, { authorization })
      const request = new Request((result as { url: string }).url, { headers: { authorization } })
      return new Uint8Array(await (await api.fetch(request)).arrayBuffer())
    },
    async close() {
      await api.close()
      exports.close()
    },
  }
}
