import { join } from 'node:path'
import { linesOf, shapeOf } from '../../../files/csv.js'
import { MalformedCsv } from '../../../files/csv-scanner.js'
import { chunksOf, openRegular, type RegularFile, UnusableFile } from '../../../files/regular.js'
import { refusedColumn } from '../../../snapshots/codecs.js'
import { fileLiteral, identifier, literal } from '../../../values/quote.js'
import type { Partition, SealJob, SealTable } from '../../seal-job.js'
import { columnsOf } from '../columns.js'
import type { Connection } from '../duckdb.js'
import { describeFailure } from '../duckdb-failure.js'
import { checkTypes, checkUnique, checkValues, clip, type Finding, wrongRows } from './checks.js'

/** `strict_mode` would refuse line ends that differ; whatever else it refuses has been refused before. */
const DIALECT =
  "header = true, delim = ',', quote = '\"', escape = '\"', nullstr = '', comment = '', skip = 0, strict_mode = false, " +
  'hive_partitioning = false'

/**
 * What is wrong with a table, and whether it was read all the same, with NULL for values that cannot be read.
 */
export interface StagedTable {
  findings: Finding[]
  isRead: boolean
}

/** The files of a package. They stay open until all is read, so that the engine reads what was checked. */
export class PackageFiles {
  readonly #folder: string
  readonly #opened: RegularFile[] = []

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Opens a file, and returns it with the path under which the engine opens it too. */
  async open(name: string): Promise<{ file: RegularFile; path: string }> {
    const path = join(this.#folder, name)
    const file = await openRegular(path)
    this.#opened.push(file)
    // On Linux, the path of the open file: another file may take its place in the folder.
    return { file, path: process.platform === 'linux' ? `/proc/self/fd/${file.handle.fd}` : path }
  }

  async close(): Promise<void> {
    for (const { handle } of this.#opened.splice(0)) await handle.close()
  }
}

/** Reads one table of a package into the staging database under its own name. */
export async function stageTable(
  connection: Connection,
  table: SealTable,
  job: SealJob,
  files: PackageFiles,
): Promise<StagedTable> {
  const name = `${table.name}.${table.format}`
  try {
    const { file, path } = await files.open(name)
    const staged = await stage(connection, table, job, { file, path }).catch(cause =>
      unread(explain(cause, table)),
    )
    return { ...staged, findings: await nameRows(staged.findings, table, file) }
  } catch (cause) {
    return unread(explain(cause, table))
  }
}

function unread(...findings: Finding[]): StagedTable {
  return { findings, isRead: false }
}

/**
 * Puts the place of its row before the message of each finding: the line of a CSV file, which editors show.
 */
async function nameRows(
  findings: readonly Finding[],
  table: SealTable,
  file: RegularFile,
): Promise<Finding[]> {
  const rows = new Set(findings.flatMap(({ row }) => row ?? []))
  const lines = table.format === 'csv' && rows.size > 0 ? await linesOf(chunksOf(file), rows) : null
  return findings.map(({ row, ...finding }) => {
    if (row === undefined) return finding
    return { ...finding, message: `${lines ? `line ${lines.get(row)}` : `row ${row}`}: ${finding.message}` }
  })
}

async function stage(
  connection: Connection,
  table: SealTable,
  job: SealJob,
  { file, path }: { file: RegularFile; path: string },
): Promise<StagedTable> {
  const csv = table.format === 'csv' ? await shapeOf(chunksOf(file)) : null
  const refused = csv ? null : await refusedColumn(connection, path)
  if (refused)
    return unread({
      table: table.name,
      column: clip(refused.column),
      message: `${table.name}.parquet ${refused.problem}`,
    })
  const from = csv
    ? readCsv(path, table, csv.header)
    : `read_parquet(${fileLiteral(path)}, hive_partitioning = false)`
  const present =
    csv?.header ?? (await columnsOf(connection, `SELECT * FROM ${from}`)).map(column => column.name)
  const partition = job.partition && present.includes(job.partition.column) ? job.partition : undefined
  const stored = present.filter(name => name !== partition?.column)
  const findings = checkColumns(table, stored)
  if (job.partition?.known && !partition && table.isOfProject)
    findings.push({ table: table.name, column: job.partition.column, message: 'the column is missing' })
  if (findings.length > 0) return unread(...findings)

  const raw = identifier(`${table.name} raw`)
  const numbered = `SELECT row_number() OVER () AS "#", * FROM ${from}`
  // The last row of a CSV file is read in any case, to see that the engine has counted as many as there are.
  const last = csv ? ` OR "#" >= ${csv.rows}` : ''
  const kept = partition?.value === undefined ? '' : `WHERE ${isKept(partition)}${last}`
  await connection.run(`CREATE OR REPLACE TABLE ${raw} AS SELECT * FROM (${numbered}) ${kept}`)
  if (csv && csv.rows !== (await numberIn(connection, `SELECT coalesce(max("#"), 0) FROM ${raw}`)))
    return unread({
      table: table.name,
      message: 'it cannot be read as CSV: the engine reads another number of rows',
    })
  if (partition) findings.push(...(await checkPartition(connection, table, raw, partition)))
  for (const check of [checkTypes, checkValues, checkUnique])
    findings.push(...(await check(connection, table, raw)))

  // With problems, the table is still read as far as it goes, so that references to and from it are checked
  // too.
  const types = table.columns
  const cast = findings.length > 0 ? 'TRY_CAST' : 'CAST'
  const select = (types ? Object.keys(types) : stored).map(name =>
    types ? `${cast}(${identifier(name)} AS ${types[name]}) AS ${identifier(name)}` : identifier(name),
  )
  await connection.run(
    `CREATE TABLE ${identifier(table.name)} AS SELECT ${select.join(', ')} FROM ${raw} ORDER BY "#"`,
  )
  await connection.run(`DROP TABLE ${raw}`)
  return { findings, isRead: true }
}

/** Without declared types, the engine finds them; nothing else is left to its detection. */
function readCsv(path: string, table: SealTable, header: readonly string[]): string {
  const columns = table.columns
    ? `auto_detect = false, columns = {${header.map(name => `${literal(name)}: 'VARCHAR'`).join(', ')}}`
    : `sample_size = -1, names = [${header.map(literal).join(', ')}]`
  return `read_csv(${fileLiteral(path)}, ${DIALECT}, ${columns})`
}

function isKept({ column, value = '', known }: Partition): string {
  const part = `CAST(${identifier(column)} AS VARCHAR)`
  const isStray = known ? ` OR ${isStrayOf(part, known)}` : ''
  return `${part} = ${literal(value)}${isStray}`
}

function isStrayOf(part: string, known: readonly string[]): string {
  return `${part} IS NULL OR ${part} NOT IN (${known.map(literal).join(', ')})`
}

/** Reports rows of no project, or of several, and removes those of other projects. */
async function checkPartition(connection: Connection, table: SealTable, raw: string, partition: Partition) {
  const { column, value, known } = partition
  const part = `CAST(${identifier(column)} AS VARCHAR)`
  if (value === undefined) {
    // Of all tables: the values of those before this one are in the table of values.
    const values = identifier('values of the partition')
    await connection.run(`CREATE TABLE IF NOT EXISTS ${values} (value VARCHAR)`)
    await connection.run(`INSERT INTO ${values} SELECT DISTINCT ${part} FROM ${raw}`)
    if ((await numberIn(connection, `SELECT count(*) FROM (SELECT DISTINCT value FROM ${values})`)) <= 1)
      return []
    const message =
      'the column holds several values, or another than in the tables before: seal one project at a time'
    return [{ table: table.name, column, message }]
  }
  const strays = known
    ? await wrongRows(connection, table, raw, {
        column,
        wrong: isStrayOf(part, known),
        what: shown => (shown === '' ? 'the value is missing' : 'is the key of no project'),
      })
    : []
  await connection.run(`DELETE FROM ${raw} WHERE (${part} = ${literal(value)}) IS NOT TRUE`)
  return strays
}

function checkColumns(table: SealTable, present: readonly string[]): Finding[] {
  const known = table.columns && Object.keys(table.columns)
  const missing = (known ?? table.named).filter(name => !present.includes(name))
  const unknown = known ? present.filter(name => !known.includes(name)) : []
  return [
    ...missing.map(column => ({ table: table.name, column, message: 'the column is missing' })),
    ...unknown.map(column => ({
      table: table.name,
      column: clip(column),
      message: 'the table has no such column',
    })),
    // Rows are numbered under this name.
    ...(known === null && present.includes('#')
      ? [{ table: table.name, column: '#', message: 'a column cannot have this name: give it another' }]
      : []),
  ]
}

async function numberIn(connection: Connection, sql: string): Promise<number> {
  return Number((await connection.runAndReadAll(sql)).getRows()[0]?.[0])
}

const UNREADABLE = ['EACCES', 'EISDIR', 'ELOOP', 'ENOENT', 'ENOTDIR', 'EPERM']
const NOT_UTF8 = /invalid unicode|invalid utf-?8|not valid utf-?8/i

/**
 * The problem with a file that cannot be read, without its path and the engine's advice; rethrows other
 * failures.
 */
function explain(cause: unknown, table: SealTable): Finding {
  if (cause instanceof MalformedCsv) return { table: table.name, message: cause.message }
  if (cause instanceof UnusableFile)
    return { table: table.name, message: cause.about(`${table.name}.${table.format}`) }
  const { code = '' } = cause as NodeJS.ErrnoException
  if (UNREADABLE.includes(code)) return { table: table.name, message: `it cannot be read (${code})` }
  const failure = describeFailure(cause)
  if (failure.kind !== 'query' && failure.kind !== 'fault') throw cause
  const text = String(cause)
  const line = /CSV Error on Line: (\d+)/.exec(text)?.[1]
  const reason = NOT_UTF8.test(text)
    ? 'it holds text that is not UTF-8'
    : 'the file is damaged or of another format'
  return { table: table.name, message: `${line ? `line ${line}: ` : ''}it cannot be read: ${reason}` }
}
