import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { EngineSettings } from '../../duckdb/jobs.js'
import { identifier } from '../../values/quote.js'
import type { SealedTable, SealOutcome, SealTable, TenantJob, TenantsFound, TenantsJob } from '../job.js'
import { asProblem, sealStaged, withGuessed } from './seal.js'
import { type Slices, sliceTable, stageSlice } from './slices.js'
import { type StagedTable, stageTable, unread } from './staging.js'
import { storeTable, writeStaged } from './store-table.js'
import { type OpenWorkplace, STAGING, type Workplace, withEnough, withWorkplace } from './workplace.js'

/**
 * The rows of many tenants, which are sealed one tenant after the other. Each source is read once: its rows are stored
 * tenant by tenant, and mistakes in the rows of a tenant are found when that tenant is sealed.
 */
export class Tenants {
  readonly found: TenantsFound
  readonly #job: TenantsJob
  readonly #work: OpenWorkplace
  readonly #slices: ReadonlyMap<string, Slices>
  /** Tables that are the same for all, as they are stored, and the warnings about them. */
  readonly #shared: ReadonlyMap<string, StagedTable & { stored: SealedTable }>

  private constructor(
    job: TenantsJob,
    work: OpenWorkplace,
    {
      slices,
      shared,
      found,
    }: {
      slices: Map<string, Slices>
      shared: Map<string, StagedTable & { stored: SealedTable }>
      found: TenantsFound
    },
  ) {
    this.#job = job
    this.#work = work
    this.#slices = slices
    this.#shared = shared
    this.found = found
  }

  /** Reads all sources. The process that it runs in seals nothing else. */
  static stage(job: TenantsJob, settings: EngineSettings): Promise<Tenants> {
    return withWorkplace(settings, job.fileBytes, work => Tenants.#stage(job, work))
  }

  static async #stage(job: TenantsJob, work: OpenWorkplace): Promise<Tenants> {
    const { connection } = work
    await connection.run('USE memory') // which spills: what belongs to one tenant only is soon dropped
    const problems = [...job.problems]
    const tables: TenantsFound['tables'] = []
    const slices = new Map<string, Slices>()
    const shared = new Map<string, StagedTable & { stored: SealedTable }>()
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
        const stored = staged.isRead ? await storeShared(table, staged, work) : undefined
        tables.push(stored ? { shared: stored } : {})
        const findings = staged.findings.map(finding => ({ ...finding, isTold: true }))
        if (stored) shared.set(table.name, { findings, isRead: true, written: null, stored })
      }
    }
    const found = { problems: problems.length > 0 ? problems : null, tables }
    return new Tenants(job, work, { slices, shared, found })
  }

  /** Checks the rows of a tenant and writes them to a folder of their own. */
  seal(job: TenantJob): Promise<SealOutcome> {
    return withEnough(this.#work, () => this.#seal(job))
  }

  async #seal({ key, folder }: TenantJob): Promise<SealOutcome> {
    const target = { ...this.#work.target, folder: join(this.#work.target.folder, folder) }
    const work = { ...this.#work, target }
    await rm(target.folder, { recursive: true, force: true })
    await mkdir(target.folder)
    try {
      const stage = async (table: SealTable): Promise<StagedTable> => {
        const slices = this.#slices.get(table.name)
        return this.#shared.get(table.name) ?? (slices ? stageSlice(table, slices, key, work) : unread())
      }
      const outcome = await sealStaged({ ...this.#job, problems: [] }, work, stage)
      if (!('sealed' in outcome)) await rm(target.folder, { recursive: true })
      return outcome
    } finally {
      const own = [...this.#slices.keys()].flatMap(name => [name, `${name} raw`])
      await work.connection.run(own.map(name => `DROP TABLE IF EXISTS ${identifier(name)}`).join('; '))
    }
  }
}

/** Writes a table that is the same for all tenants. The host takes what was written: its rows are kept in staging. */
async function storeShared(table: SealTable, staged: StagedTable, work: Workplace): Promise<SealedTable> {
  const { connection, target } = work
  const name = identifier(table.name)
  const kept = `${STAGING}.main.${identifier(`${table.name} shared`)}`
  await connection.run(`CREATE TABLE ${kept} AS SELECT * FROM ${name}`)
  const written = staged.written ?? (await writeStaged(connection, table, target))
  const stored = await storeTable(connection, table, written, target)
  await connection.run(`DROP ${staged.written ? 'VIEW' : 'TABLE'} ${name}`)
  await connection.run(`CREATE VIEW ${name} AS SELECT * FROM ${kept}`)
  return withGuessed(stored, staged)
}
