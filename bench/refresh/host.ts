import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { directorySnapshots } from 'foldgate'
import { openSealer } from 'foldgate/sealing'
import { fromPostgres } from 'foldgate-postgres'
import pg from 'pg'
import { timed } from '../assessed.js'
import { LARGE_COLUMNS, largeCatalogue, tenantCatalogue } from './tables.js'

/** A process that seals as a host does, so that its memory is that of a host. */
export type Job =
  | { kind: 'large'; url: string; folder: string; table: string }
  | { kind: 'many'; url: string; folder: string; tenants: number }
  | { kind: 'each'; url: string; folder: string; tenants: number }

/** What a job has cost. */
export interface Spent {
  ms: number
  /** Snapshots that were sealed, and tenants that were not. */
  sealed: number
  failed: number
  bytes: number
}

const PROJECT = projectOf(0)
const TENANT_TABLES = {
  customers: 'SELECT tenant_id, customer_id, name FROM customers',
  sales: 'SELECT tenant_id, sale_id, customer_id, amount, sold_at FROM sales',
}

function projectOf(tenant: number): string {
  return `5a0b0e52-6f3c-4d0e-9a57-${String(tenant).padStart(12, '0')}`
}

async function run(job: Job): Promise<Spent> {
  const snapshots = directorySnapshots(join(job.folder, 'snapshots'))
  const catalogue = job.kind === 'large' ? largeCatalogue : tenantCatalogue
  const sealer = await openSealer({ catalogue, snapshots, folder: join(job.folder, 'scratch') })
  const pool = new pg.Pool({ connectionString: job.url })
  const counts = { sealed: 0, failed: 0 }
  try {
    const ms = await timed(async () => {
      if (job.kind === 'large') {
        const source = fromPostgres(pool, `SELECT ${LARGE_COLUMNS} FROM ${job.table}`)
        await sealer.seal({ projectId: PROJECT, tables: { orders: source } })
        counts.sealed += 1
      } else if (job.kind === 'each') {
        for (let tenant = 1; tenant <= job.tenants; tenant++) {
          const tables = sourcesOf(pool, ` WHERE tenant_id = ${tenant}`)
          await sealer.seal({ projectId: projectOf(tenant), tables })
          counts.sealed += 1
        }
      } else {
        const keys = Array.from({ length: job.tenants }, (_, index) => index + 1)
        const projects = new Map(keys.map(tenant => [String(tenant), projectOf(tenant)]))
        const { sealed, failed } = await sealer.sealMany({ tables: sourcesOf(pool), by: 'tenant_id', projects })
        Object.assign(counts, { sealed: sealed.length, failed: failed.length })
      }
    })
    return { ms, ...counts, bytes: await bytesIn(join(job.folder, 'snapshots')) }
  } finally {
    await sealer.close()
    await pool.end()
    await rm(job.folder, { recursive: true, force: true })
  }
}

function sourcesOf(pool: pg.Pool, where = '') {
  const columns = where === '' ? Object.values(TENANT_TABLES) : Object.values(TENANT_TABLES).map(withoutTenant)
  const sources = columns.map(sql => fromPostgres(pool, sql + where))
  return Object.fromEntries(
    Object.keys(TENANT_TABLES).map((table, index) => [table, sources[index] as (typeof sources)[0]]),
  )
}

const withoutTenant = (sql: string) => sql.replace('tenant_id, ', '')

/** Bytes of the files below a folder. */
async function bytesIn(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size
  return bytes
}

process.on('message', (job: Job) =>
  run(job).then(
    spent => process.send?.(spent, () => process.exit(0)),
    cause => {
      console.error(cause)
      process.exit(1)
    },
  ),
)
process.send?.('ready')
