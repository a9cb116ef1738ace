import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hierarchy } from '../../catalogue/definitions.js'
import type { Connection } from '../../duckdb/child/duckdb.js'
import type { EngineSettings } from '../../duckdb/jobs.js'
import { ENTITIES_FILE } from '../../files/given-names.js'
import type { SealProblem } from '../../model.js'
import { identifier } from '../../values/quote.js'
import type { Sealed, SealJob, SealOutcome, SealTable } from '../job.js'
import { checkReferences, checkRule, type Finding } from './checks.js'
import { checkHierarchy } from './hierarchy.js'
import { type StagedTable, storeTable } from './parts.js'
import { numberIn, streamed } from './select.js'
import { stageTable } from './staging.js'
import { type Workplace, withWorkplace } from './workplace.js'

/** Checks a package and, unless it is only checked or has problems, writes it as Parquet. */
export async function sealTables(job: SealJob, settings: EngineSettings): Promise<SealOutcome> {
  return withWorkplace(settings, job.fileBytes, async work => {
    const outcome = await sealStaged(job, work, table => stageTable(table, job, work))
    await work.close()
    return outcome
  })
}

/** As {@link sealTables}, for tables that are staged one after the other. */
export async function sealStaged(
  job: Pick<SealJob, 'isCheck' | 'tables' | 'rules' | 'hierarchy' | 'problems'>,
  work: Workplace,
  stage: (table: SealTable) => Promise<StagedTable>,
): Promise<SealOutcome> {
  const { connection, target } = work
  const found = await stageAll(job, connection, stage)
  const problems = [
    ...job.problems,
    ...found.findings.filter(({ isWarning, isTold }) => !isWarning && !isTold).map(asProblem),
  ]
  if (problems.length > 0) return { problems }
  const warnings = found.findings.filter(({ isWarning }) => isWarning).map(asProblem)
  if (job.isCheck) {
    const rows: number[] = []
    for (const { name } of job.tables)
      rows.push(
        found.staged.get(name)?.isRead
          ? await numberIn(connection, `SELECT count(*) FROM ${identifier(name)}`)
          : 0,
      )
    return { problems: null, checked: { rows, warnings } }
  }
  // First, since the files that it reads are renamed.
  const root = job.hierarchy ? await writeEntities(connection, job.hierarchy, target.folder) : {}
  const tables: Sealed['tables'] = []
  for (const table of job.tables) {
    const staged = found.staged.get(table.name) as StagedTable
    tables.push(staged.stored ? null : await storeTable(connection, table, staged, target))
  }
  return { problems: null, sealed: { tables, ...root, warnings } }
}

/** Reads all tables, and returns whatever is wrong with them. */
async function stageAll(
  job: Pick<SealJob, 'tables' | 'rules' | 'hierarchy'>,
  connection: Connection,
  stage: (table: SealTable) => Promise<StagedTable>,
) {
  const findings: Finding[] = []
  const [read, sound] = [new Set<string>(), new Set<string>()]
  const staged = new Map<string, StagedTable>()
  for (const table of job.tables) {
    const found = await stage(table)
    findings.push(...found.findings)
    if (found.isRead) read.add(table.name)
    if (found.isRead && found.findings.every(({ isWarning }) => isWarning)) sound.add(table.name)
    staged.set(table.name, found)
  }
  for (const table of job.tables)
    if (read.has(table.name)) findings.push(...(await checkReferences(connection, table, read)))
  for (const rule of job.rules) findings.push(...(await checkRule(connection, rule, sound)))
  const { hierarchy } = job
  if (hierarchy && sound.has(hierarchy.table)) findings.push(...(await checkHierarchy(connection, hierarchy)))
  return { findings, staged }
}

/** A finding without what only this process needs. */
export function asProblem({ table, column, message, rows }: Finding): SealProblem {
  return {
    table,
    ...(column === undefined ? {} : { column }),
    message,
    ...(rows === undefined ? {} : { rows }),
  }
}

async function writeEntities(connection: Connection, { table, id, parent }: Hierarchy, target: string) {
  const ids = `SELECT DISTINCT CAST(CAST(${identifier(id)} AS UUID) AS VARCHAR) FROM ${identifier(table)}`
  const root = (await connection.runAndReadAll(`${ids} WHERE ${identifier(parent)} IS NULL`)).getRows()
  const file = await open(join(target, ENTITIES_FILE), 'w')
  try {
    for await (const chunk of streamed(connection, `${ids} ORDER BY 1`))
      await file.write(Buffer.from(chunk.getColumnValues(0).join('').replaceAll('-', ''), 'hex'))
  } finally {
    await file.close()
  }
  return { rootId: String(root[0]?.[0]) }
}
