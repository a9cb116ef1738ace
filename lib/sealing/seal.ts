import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { EngineSettings } from '../engine/jobs.js'
import { identifier, literal } from '../engine/quote.js'
import { columnsOf } from '../engine/worker/columns.js'
import { digestOf } from '../engine/worker/digest.js'
import type { Connection } from '../engine/worker/duckdb.js'
import { createInstance } from '../engine/worker/fresh.js'
import { lockDown } from '../engine/worker/instance.js'
import { checkHierarchy } from './hierarchy.js'
import type { SealedTable, SealJob, SealOutcome, SealProblem, SealTable } from './seal-job.js'
import { checkReferences, stageTable } from './staging.js'
import { streamed } from './streamed.js'

/** File with the entity ids of a snapshot: 16 bytes per id, ascending. */
const ENTITIES_FILE = 'entities.ids'

/** Checks a package and writes it as Parquet, one file per table. Writes no file when there are problems. */
export async function sealTables(
  job: SealJob,
  settings: EngineSettings,
  running: (connection: Connection) => void,
): Promise<SealOutcome> {
  const instance = await createInstance(settings)
  try {
    const connection = await instance.connect()
    running(connection)
    // Only a quarter: memory that the engine frees stays mapped, and the rest of the process needs room too.
    await connection.run(`SET memory_limit = '${Math.floor(settings.memoryLimitBytes / 4 / 1024)}KiB'`)
    await lockDown(connection, settings, [job.source, job.target, settings.scratch])
    await connection.run(`ATTACH ${literal(join(settings.scratch, 'staging.duckdb'))} AS staging; USE staging`)
    const problems: SealProblem[] = [...job.problems]
    const staged = new Set<string>()
    for (const table of job.tables) {
      const found = await stageTable(connection, table, job)
      problems.push(...found)
      if (found.length === 0) staged.add(table.name)
    }
    for (const table of job.tables) {
      if (staged.has(table.name)) problems.push(...(await checkReferences(connection, table, staged)))
    }
    if (staged.has(job.hierarchy.table)) problems.push(...(await checkHierarchy(connection, job.hierarchy)))
    if (problems.length > 0) return { ok: false, problems }
    const tables: SealedTable[] = []
    for (const table of job.tables) tables.push(await writeTable(connection, table, job.target))
    return { ok: true, tables, ...(await writeEntities(connection, job)) }
  } finally {
    instance.closeSync()
  }
}

async function writeTable(connection: Connection, table: SealTable, target: string): Promise<SealedTable> {
  const name = identifier(table.name)
  const file = `${table.name}.parquet`
  const path = join(target, file)
  const copied = await connection.run(
    `COPY (SELECT * FROM ${name} ORDER BY rowid) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd)`,
  )
  const columns = await columnsOf(connection, name)
  return { name: table.name, file, rows: copied.rowsChanged, columns, sha256: await digestOf(path) }
}

async function writeEntities(connection: Connection, job: SealJob) {
  const { table, id, parent } = job.hierarchy
  const ids = `SELECT DISTINCT CAST(CAST(${identifier(id)} AS UUID) AS VARCHAR) FROM ${identifier(table)}`
  const root = (await connection.runAndReadAll(`${ids} WHERE ${identifier(parent)} IS NULL`)).getRows()
  const path = join(job.target, ENTITIES_FILE)
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
  return { rootId: String(root[0]?.[0]), entities: { file: ENTITIES_FILE, count, sha256: await digestOf(path) } }
}
