import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hierarchy } from '../../../catalogue/definitions.js'
import { digestOfFile } from '../../../files/regular.js'
import type { SealProblem, StoredTable } from '../../../snapshots/manifest.js'
import { identifier, literal } from '../../../values/quote.js'
import type { EngineSettings } from '../../jobs.js'
import type { SealJob, SealOutcome } from '../../seal-job.js'
import type { Connection } from '../duckdb.js'
import { createInstance } from '../fresh.js'
import { lockDown } from '../instance.js'
import { checkReferences, checkRule, type Finding } from './checks.js'
import { checkHierarchy } from './hierarchy.js'
import { PackageFiles } from './package-files.js'
import { stageTable, type Workplace } from './staging.js'
import { storeTable, writeStaged } from './store-table.js'
import { streamed } from './streamed.js'
import type { Written } from './written.js'

/** File with the entity ids of a snapshot: 16 bytes per id, ascending. */
const ENTITIES_FILE = 'entities.ids'

/** Checks a package and, unless it is only checked or has problems, writes it as Parquet. */
export async function sealTables(job: SealJob, settings: EngineSettings): Promise<SealOutcome> {
  const instance = await createInstance(settings)
  const files = new PackageFiles(settings.given)
  try {
    const connection = await instance.connect()
    // Only a quarter: memory that the engine frees stays mapped, and the rest of the process needs room too.
    await connection.run(`SET memory_limit = '${Math.floor(settings.memoryLimitBytes / 4 / 1024)}KiB'`)
    await lockDown(connection, settings, [settings.given])
    await connection.run(`ATTACH ${literal(join(settings.own, 'staging.duckdb'))} AS staging; USE staging`)
    const target = { folder: settings.own, given: settings.given, fileBytes: job.fileBytes }
    const found = await stageAll(job, { connection, files, target })
    const problems = [...job.problems, ...found.findings.filter(({ isWarning }) => !isWarning)].map(asProblem)
    if (problems.length > 0) return { problems }
    const warnings = found.findings.map(asProblem)
    if (job.isCheck) {
      const tables: { name: string; rows: number }[] = []
      for (const { name } of job.tables) tables.push({ name, rows: await countRows(connection, name) })
      return { problems: null, checked: { tables, warnings } }
    }
    // First, since the files that it reads are renamed.
    const entities = job.hierarchy ? await writeEntities(connection, job.hierarchy, settings.own) : {}
    const [tables, kept]: [StoredTable[], string[]] = [[], []]
    for (const table of job.tables) {
      const written = found.written.get(table.name) ?? (await writeStaged(connection, table, target))
      const stored = await storeTable(connection, table, written, target)
      tables.push(stored.table)
      kept.push(...stored.kept)
    }
    return { problems: null, sealed: { tables, kept, ...entities, warnings } }
  } finally {
    instance.closeSync()
    await files.close()
  }
}

/** Reads all tables, and returns whatever is wrong with them, and those that were written as they were read. */
async function stageAll(job: SealJob, work: Workplace) {
  const { connection } = work
  const findings: Finding[] = []
  const [read, sound] = [new Set<string>(), new Set<string>()]
  const written = new Map<string, Written>()
  for (const table of job.tables) {
    const staged = await stageTable(table, job, work)
    findings.push(...staged.findings)
    if (staged.isRead) read.add(table.name)
    if (staged.isRead && staged.findings.every(({ isWarning }) => isWarning)) sound.add(table.name)
    if (staged.written) written.set(table.name, staged.written)
  }
  for (const table of job.tables)
    if (read.has(table.name)) findings.push(...(await checkReferences(connection, table, read)))
  for (const rule of job.rules) findings.push(...(await checkRule(connection, rule, sound)))
  const { hierarchy } = job
  if (hierarchy && sound.has(hierarchy.table)) findings.push(...(await checkHierarchy(connection, hierarchy)))
  return { findings, written }
}

function asProblem({ table, column, message, rows }: Finding): SealProblem {
  return {
    table,
    ...(column === undefined ? {} : { column }),
    message,
    ...(rows === undefined ? {} : { rows }),
  }
}

async function countRows(connection: Connection, table: string): Promise<number> {
  return Number(
    (await connection.runAndReadAll(`SELECT count(*) FROM ${identifier(table)}`)).getRows()[0]?.[0],
  )
}

async function writeEntities(connection: Connection, { table, id, parent }: Hierarchy, target: string) {
  const ids = `SELECT DISTINCT CAST(CAST(${identifier(id)} AS UUID) AS VARCHAR) FROM ${identifier(table)}`
  const root = (await connection.runAndReadAll(`${ids} WHERE ${identifier(parent)} IS NULL`)).getRows()
  const path = join(target, ENTITIES_FILE)
  const file = await open(path, 'w')
  let count = 0
  try {
    for await (const chunk of streamed(connection, `${ids} ORDER BY 1`)) {
      await file.write(Buffer.from(chunk.getColumnValues(0).join('').replaceAll('-', ''), 'hex'))
      count += chunk.rowCount
    }
  } finally {
    await file.close()
  }
  return {
    rootId: String(root[0]?.[0]),
    entities: { file: ENTITIES_FILE, count, sha256: await digestOfFile(path) },
  }
}
