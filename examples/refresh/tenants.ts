import type { ProjectPort, ProjectRecord } from 'foldgate'
import type { SnapshotManifest, SnapshotStore } from 'foldgate/sealing'
import type { Pool } from 'pg'

/** A tenant, whose rows are a project. */
export interface Tenant {
  /** What its rows have in the column `tenant_id`, as text. */
  key: string
  projectId: string
  name: string
}

interface TenantRow {
  tenant_id: number
  project_id: string
  name: string
}

/** The tenants of the database. They are kept in memory, so that calls are answered while the database is down. */
export class Tenants implements ProjectPort {
  readonly #pool: Pool
  readonly #snapshots: SnapshotStore
  #all: readonly Tenant[] = []

  constructor(pool: Pool, snapshots: SnapshotStore) {
    this.#pool = pool
    this.#snapshots = snapshots
  }

  get all(): readonly Tenant[] {
    return this.#all
  }

  /** Reads who the tenants are. */
  async load(): Promise<void> {
    const { rows } = await this.#pool.query<TenantRow>(
      'SELECT tenant_id, project_id, name FROM shop.tenants ORDER BY 1',
    )
    this.#all = rows.map(row => ({ key: String(row.tenant_id), projectId: row.project_id, name: row.name }))
  }

  async find(projectId: string, signal: AbortSignal): Promise<ProjectRecord | null> {
    const tenant = this.#all.find(each => each.projectId === projectId)
    return tenant ? this.#recordOf(tenant, signal) : null
  }

  async list(query: Parameters<ProjectPort['list']>[0], signal: AbortSignal): Promise<ProjectRecord[]> {
    const page = this.#all
      .filter(({ key }) => query.organizations.includes(key) && Number(key) > query.after)
      .slice(0, query.limit)
    return Promise.all(page.map(tenant => this.#recordOf(tenant, signal)))
  }

  /** When the newest snapshot of a project was sealed, by this process or another; null before the first. */
  async sealedAt(projectId: string, signal: AbortSignal): Promise<Date | null> {
    const [newest] = await this.#snapshots.list(projectId, signal)
    const text = newest === undefined ? null : await this.#snapshots.manifestOf(projectId, newest, signal)
    return text === null ? null : new Date((JSON.parse(text) as SnapshotManifest).sealedAt)
  }

  /** Ids of tenants only grow, so that they serve as the sequence. */
  async #recordOf({ key, projectId, name }: Tenant, signal: AbortSignal): Promise<ProjectRecord> {
    const completed = (await this.#snapshots.list(projectId, signal)).length > 0
    return { projectId, name, organization: key, sequence: Number(key), completed, running: false }
  }
}
