import { linesOf } from '../../../files/csv.js'
import { MalformedCsv } from '../../../files/csv-scanner.js'
import { chunksOf, type RegularFile, UnusableFile } from '../../../files/regular.js'
import { identifier, literal } from '../../../values/quote.js'
import type { Partition, SealJob, SealTable } from '../../seal-job.js'
import type { Connection } from '../duckdb.js'
import { describeFailure } from '../duckdb-failure.js'
import { checkTypes, checkUnique, checkValues, type Finding, wrongRows } from './checks.js'
import { checkColumns, type GivenFile, lookAt } from './given-file.js'
import type { PackageFiles } from './package-files.js'
import { fromParts, type Target } from './parts.js'
import { type Written, writeAsRead } from './written.js'

/** What is wrong with a table, and how it was read all the same. */
export interface StagedTable {
  findings: Finding[]
  /** Whether there is a relation of its name; values that could not be read are NULL. */
  isRead: boolean
  /** The files that it was written to; null when it is a table of the staging database, or was not read. */
  written: Written | null
}

/** What a job works with. */
export interface Workplace {
  connection: Connection
  files: PackageFiles
  target: Target
}

/** Reads one table of a package: a relation of its name has its rows. */
export async function stageTable(table: SealTable, job: SealJob, work: Workplace): Promise<StagedTable> {
  try {
    const opened = await work.files.open(fileOf(table))
    const staged = await stage(table, job, work, opened).catch(cause => unread(explain(cause, table)))
    return { ...staged, findings: await nameRows(staged.findings, table, opened.file) }
  } catch (cause) {
    return unread(explain(cause, table))
  }
}

/** Name of the file of a table in the folder of what the process is given. */
function fileOf({ name, format }: SealTable): string {
  return `${name}.${format === 'parquet' ? format : 'csv'}`
}

function unread(...findings: Finding[]): StagedTable {
  return { findings, isRead: false, written: null }
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
  table: SealTable,
  job: SealJob,
  work: Workplace,
  opened: { file: RegularFile; path: string },
): Promise<StagedTable> {
  const { connection } = work
  const given = await lookAt(connection, table, opened)
  if ('unreadable' in given) return unread(given.unreadable)
  const partition = job.partition && given.present.includes(job.partition.column) ? job.partition : undefined
  const stored = given.present.filter(name => name !== partition?.column)
  const findings = checkColumns(table, stored)
  if (job.partition?.known && !partition && table.isOfProject)
    findings.push({ table: table.name, column: job.partition.column, message: 'the column is missing' })
  if (findings.length > 0) return unread(...findings)
  const written = partition ? null : await writeAsRead(connection, table, given, stored, work.target)
  if (written) {
    await connection.run(`CREATE VIEW ${identifier(table.name)} AS SELECT * FROM ${fromParts(written.paths)}`)
    return { findings: [], isRead: true, written }
  }
  const searched = given.rows === null && !given.own ? await lookAt(connection, table, opened, true) : given
  if ('unreadable' in searched) return unread(searched.unreadable)
  return stageRows(table, work, searched, { stored, partition })
}

/** Reads a table into the staging database, and says which rows are wrong. */
async function stageRows(
  table: SealTable,
  { connection }: Workplace,
  { from, rows, types }: GivenFile,
  { stored, partition }: { stored: readonly string[]; partition: Partition | undefined },
): Promise<StagedTable> {
  const findings: Finding[] = []
  const raw = identifier(`${table.name} raw`)
  const numbered = `SELECT row_number() OVER () AS "#", * FROM ${from}`
  // The last row of a CSV file is read in any case, to see that the engine has counted as many as there are.
  const last = rows === null ? '' : ` OR "#" >= ${rows}`
  const kept = partition?.value === undefined ? '' : `WHERE ${isKept(partition)}${last}`
  await connection.run(`CREATE OR REPLACE TABLE ${raw} AS SELECT * FROM (${numbered}) ${kept}`)
  if (rows !== null && rows !== (await numberIn(connection, `SELECT coalesce(max("#"), 0) FROM ${raw}`)))
    return unread({
      table: table.name,
      message: 'it cannot be read as CSV: the engine reads another number of rows',
    })
  if (partition) findings.push(...(await checkPartition(connection, table, raw, partition)))
  for (const check of [checkTypes, checkValues, checkUnique])
    findings.push(...(await check(connection, table, raw)))

  // With problems, the table is still read as far as it goes, so that references to and from it are checked
  // too.
  const cast = findings.length > 0 ? 'TRY_CAST' : 'CAST'
  const select = (types ? Object.keys(types) : stored).map(name =>
    types ? `${cast}(${identifier(name)} AS ${types[name]}) AS ${identifier(name)}` : identifier(name),
  )
  const order = table.isOrdered ? [] : table.unique.map(identifier)
  await connection.run(
    `CREATE TABLE ${identifier(table.name)} AS SELECT ${select.join(', ')} FROM ${raw} ORDER BY ${[...order, '"#"'].join(', ')}`,
  )
  await connection.run(`DROP TABLE ${raw}`)
  return { findings, isRead: true, written: null }
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
  if (cause instanceof UnusableFile) return { table: table.name, message: cause.about(fileOf(table)) }
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
