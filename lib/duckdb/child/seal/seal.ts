import { open, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Hierarchy } from '../../../catalogue/definitions.js'
import { digestOfFile } from '../../../files/regular.js'
import type { SealProblem, StoredFile, StoredTable } from '../../../snapshots/manifest.js'
import { identifier, literal } from '../../../values/quote.js'
import type { EngineSettings } from '../../jobs.js'
import type { SealJob, SealOutcome } from '../../seal-job.js'
import { columnsOf } from '../columns.js'
import type { Connection } from '../duckdb.js'
import { createInstance } from '../fresh.js'
import { lockDown } from '../instance.js'
import { checkReferences, checkRule, type Finding } from './checks.js'
import { checkHierarchy } from './hierarchy.js'
import { PackageFiles, stageTable } from './staging.js'
import { streamed } from './streamed.js'

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
    const findings = await stageAll(connection, job, files)
    const problems = [...job.problems, ...findings.filter(({ isWarning }) => !isWarning)].map(asProblem)
    if (problems.length > 0) return { problems }
    const warnings = findings.map(asProblem)
    if (job.isCheck) {
      const tables: { name: string; rows: number }[] = []
      for (const { name } of job.tables) tables.push({ name, rows: await countRows(connection, name) })
      return { problems: null, checked: { tables, warnings } }
    }
    const tables: StoredTable[] = []
    for (const { name } of job.tables)
      tables.push(await writeTable(connection, name, settings.own, job.fileBytes))
    const written = job.hierarchy ? await writeEntities(connection, job.hierarchy, settings.own) : {}
    return { problems: null, sealed: { tables, ...written, warnings } }
  } finally {
    instance.closeSync()
    await files.close()
  }
}

/** Reads all tables into the staging database, and returns whatever is wrong with them. */
async function stageAll(connection: Connection, job: SealJob, files: PackageFiles): Promise<Finding[]> {
  const findings: Finding[] = []
  const [read, sound] = [new Set<string>(), new Set<string>()]
  for (const table of job.tables) {
    const staged = await stageTable(connection, table, job, files)
    findings.push(...staged.findings)
    if (staged.isRead) read.add(table.name)
    if (staged.isRead && staged.findings.every(({ isWarning }) => isWarning)) sound.add(table.name)
  }
  for (const table of job.tables)
    if (read.has(table.name)) findings.push(...(await checkReferences(connection, table, read)))
  for (const rule of job.rules) findings.push(...(await checkRule(connection, rule, sound)))
  const { hierarchy } = job
  if (hierarchy && sound.has(hierarchy.table)) findings.push(...(await checkHierarchy(connection, hierarchy)))
  return findings
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

/**
 * Writes a table as `<table>.parquet`, or as `<table>-0001.parquet` and so on when it is larger than
 * `fileBytes`.
 */
async function writeTable(
  connection: Connection,
  name: string,
  target: string,
  fileBytes: number,
): Promise<StoredTable> {
  const parts = join(target, `${name}.parts`)
  const table = identifier(name)
  // The sealer has one thread: with several, the rows of several files would be out of order.
  const copied = await connection.runAndReadAll(
    `COPY (SELECT * FROM ${table} ORDER BY rowid) TO ${literal(parts)}
     (FORMAT parquet, COMPRESSION zstd, FILE_SIZE_BYTES ${fileBytes}, RETURN_STATS)`,
  )
  const counts = new Map(copied.getRows().map(([path, rows]) => [basename(String(path)), Number(rows)]))
  const rows = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const written = [...counts.keys()].map((_, at) => `data_${at}.parquet`)
  // The last file has no rows if the one before it had reached its size with the last row of the table.
  const kept = written.filter((file, at) => at === 0 || counts.get(file) !== 0)
  const files: StoredFile[] = []
  for (const [at, part] of kept.entries()) {
    const file = kept.length === 1 ? `${name}.parquet` : `${name}-${String(at + 1).padStart(4, '0')}.parquet`
    const path = join(target, file)
    await rename(join(parts, part), path)
    files.push({ file, sha256: await digestOfFile(path) })
  }
  await rm(parts, { recursive: true })
  const content = { rows, columns: await columnsOf(connection, table) }
  const [first, ...more] = files
  return first && more.length === 0 ? { name, ...first, ...content } : { name, files, ...content }
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
