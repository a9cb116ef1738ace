import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { EngineSettings } from '../../duckdb/jobs.js'
import { identifier } from '../../values/quote.js'
import type { SealedTable, SealOutcome, SealTable, TenantJob, TenantsFound, TenantsJob } from '../job.js'
import { type StagedTable, storeTable } from './parts.js'
import { asProblem, sealStaged } from './seal.js'
import { type Slices, sliceTable, stageSlice } from './slices.js'
import { stageTable, unread } from './staging.js'
import { STAGING, type Workplace, withEnough, withWorkplace } from './workplace.js'

/** The rows of many tenants, which are sealed one tenant after the other. */
export interface Tenants {
  found: TenantsFound
  /** Checks the rows of a tenant and writes them to a folder of their own. */
  seal(job: TenantJob): Promise<SealOutcome>
}

/** Tables that are the same for all tenants, with how they are stored unless they are only checked. */
type SharedTables = Map<string, StagedTable>

/**
 * Reads all sources, each of which is read once: its rows are stored tenant by tenant, and mistakes in the rows of a
 * tenant are found when that tenant is sealed. The process that it runs in seals nothing else.
 */
export function stageTenants(job: TenantsJob, settings: EngineSettings): Promise<Tenants> {
  return withWorkplace(settings, job.fileBytes, async work => {
    await work.connection.run('USE memory') // which spills: what belongs to one tenant only is soon dropped
    const problems = [...job.problems]
    const tables: TenantsFound['tables'] = []
    const slices = new Map<string, Slices>()
    const shared: SharedTables = new Map()
    for (const table of job.tables) {
      const sliced = await sliceTable(table, job, work)
      if (Array.isArray(sliced)) {
        problems.push(...sliced.map(asProblem))
        tables.push({})
      } else if (sliced) {
        slices.set(table.name, sliced)
        tables.push({ rows: [...sliced.byKey].map(([key, { rows, firstRow }]) => [key, [rows, firstRow]]) })
      } else {
        const staged = await stageTable(table, {}, work)
        problems.push(...staged.findings.filter(({ isWarning }) => !isWarning).map(asProblem))
        const stored = staged.isRead && !job.isCheck ? await storeShared(table, staged, work) : undefined
        tables.push(stored ? { shared: stored } : {})
        const findings = staged.findings.map(finding => ({ ...finding, isTold: true }))
        if (staged.isRead) shared.set(table.name, { ...staged, findings, ...(stored ? { stored } : {}) })
      }
    }
    const found = { problems: problems.length > 0 ? problems : null, tables }
    return { found, seal: one => withEnough(work, () => sealTenant(one, job, { slices, shared }, work)) }
  })
}

async function sealTenant(
  { key, folder }: TenantJob,
  job: TenantsJob,
  { slices, shared }: { slices: ReadonlyMap<string, Slices>; shared: SharedTables },
  given: Workplace,
): Promise<SealOutcome> {
  const target = { ...given.target, folder: join(given.target.folder, folder) }
  const work = { ...given, target }
  await rm(target.folder, { recursive: true, force: true })
  await mkdir(target.folder)
  try {
    const stage = async (table: SealTable): Promise<StagedTable> => {
      const own = slices.get(table.name)
      return shared.get(table.name) ?? (own ? stageSlice(table, own, key, work) : unread())
    }
    const outcome = await sealStaged({ ...job, problems: [] }, work, stage)
    if (!('sealed' in outcome)) await rm(target.folder, { recursive: true })
    return outcome
  } finally {
    const own = [...slices.keys()].flatMap(name => [name, `${name} raw`])
    await work.connection.run(own.map(name => `DROP TABLE IF EXISTS ${identifier(name)}`).join('; '))
  }
}

/** Writes a table that is the same for all tenants. The host takes what was written: its rows are kept in staging. */
async function storeShared(table: SealTable, staged: StagedTable, work: Workplace): Promise<SealedTable> {
  const { connection, target } = work
  const name = identifier(table.name)
  const kept = `${STAGING}.main.${identifier(`${table.name} shared`)}`
  await connection.run(`CREATE TABLE ${kept} AS SELECT * FROM ${name}`)
  const stored = await storeTable(connection, table, staged, target)
  await connection.run(`DROP ${staged.written ? 'VIEW' : 'TABLE'} ${name}`)
  await connection.run(`CREATE VIEW ${name} AS SELECT * FROM ${kept}`)
  return stored
}
