import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Connection, columnsOf } from '../../duckdb/child/duckdb.js'
import { describeFailure } from '../../duckdb/child/duckdb-failure.js'
import { linesOf } from '../../files/csv.js'
import { MalformedCsv } from '../../files/csv-scanner.js'
import { BEFORE, fileOf } from '../../files/given-names.js'
import { chunksOf, digestOfChunks, type RegularFile, UnusableFile } from '../../files/regular.js'
import { identifier } from '../../values/quote.js'
import type { SealJob, SealTable } from '../job.js'
import { checkStored, checkTypes, checkUnique, checkValues, type Finding } from './checks.js'
import { checkColumns, lookAt, type TableFile, withoutColumn } from './given-file.js'
import { fromParts, type StagedTable, stagedName } from './parts.js'
import { readingIn } from './readings.js'
import { checkSizes } from './row-size.js'
import { numberIn, textRows } from './select.js'
import type { PackageFiles, Workplace } from './workplace.js'
import { writeAsRead } from './written.js'

/** Reads one table of a package: a relation of its name has its rows. */
export async function stageTable(
  table: SealTable,
  job: Pick<SealJob, 'by'>,
  work: Workplace,
): Promise<StagedTable> {
  try {
    const opened = await work.files.open(fileOf(table.name, table.format))
    const staged = await stage(table, job, work, opened).catch(cause => unread(explain(cause, table)))
    return { ...staged, findings: await nameRows(staged.findings, table, opened.file) }
  } catch (cause) {
    return unread(explain(cause, table))
  }
}

export function unread(...findings: Finding[]): StagedTable {
  return { findings, isRead: false, written: null }
}

/**
 * Puts the place of its row before the message of each finding: the line of a CSV file, which editors show.
 */
export async function nameRows(
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
  { by }: Pick<SealJob, 'by'>,
  work: Workplace,
  opened: { file: RegularFile; path: string },
): Promise<StagedTable> {
  const { connection } = work
  const found = await lookAt(connection, table, opened, { asText: by })
  if ('unreadable' in found) return unread(found.unreadable)
  const isSeparated = by !== undefined && found.present.includes(by)
  const given = withoutColumn(found, by)
  const findings = checkColumns(table, given, by)
  if (findings.length > 0) return unread(...findings)
  const before = await openBefore(table, work.files)
  if (!Array.isArray(before)) return unread(before)
  const written = isSeparated ? null : await writeAsRead(connection, table, given, before, work.target)
  if (written) {
    if (before.length > 0 && !isDeepStrictEqual(written.columns, table.before?.columns))
      return unread(otherColumns(table))
    const all = fromParts([...before, ...written.paths])
    await connection.run(`CREATE VIEW ${identifier(table.name)} AS SELECT * FROM ${all}`)
    return { findings: [], isRead: true, written, guessed: given.guessed }
  }
  const isUnscanned = given.rows === null && !given.own
  const searched = isUnscanned
    ? await lookAt(connection, table, opened, { isSearched: true, asText: by })
    : given
  if ('unreadable' in searched) return unread(searched.unreadable)
  const mixed = isSeparated ? await checkProject(connection, table, by, searched.from) : []
  const staged = await stageRows(table, work, withoutColumn(searched, by), before)
  return { ...staged, findings: [...mixed, ...staged.findings] }
}

/** Reads a table into the staging database, and says which rows are wrong. */
export async function stageRows(
  table: SealTable,
  { connection }: Workplace,
  given: TableFile,
  before: readonly string[],
): Promise<StagedTable> {
  const { from, present, rows, types, isNumbered } = given
  const findings: Finding[] = []
  const raw = identifier(`${table.name} raw`)
  const numbered = isNumbered ? `SELECT * FROM ${from}` : `SELECT row_number() OVER () AS "#", * FROM ${from}`
  const names = types ? Object.keys(types) : present
  const typed = (isTried: boolean) =>
    names.map(name => {
      const [value, type] = [identifier(name), types?.[name]]
      return type === undefined ? value : `${readingIn(name, type, table, given).value(isTried)} AS ${value}`
    })
  // Before they are stored, since they may not fit into memory.
  const long = await checkSizes(connection, table, typed(true), given)
  if (long.length > 0) return unread(...long)
  await connection.run(`CREATE OR REPLACE TABLE ${raw} AS ${numbered}`)
  if (rows !== null && rows !== (await numberIn(connection, `SELECT coalesce(max("#"), 0) FROM ${raw}`)))
    return unread(otherRows(table))
  const keys = table.unique.map(identifier).join(', ')
  const more = before.length > 0 ? ` UNION ALL SELECT 0, ${keys} FROM ${fromParts(before)}` : ''
  const asStored = `(SELECT "#", ${keys} FROM (SELECT "#", ${typed(true).join(', ')} FROM ${raw})${more})`
  findings.push(...(await checkTypes(connection, table, raw, given)))
  findings.push(...(await checkValues(connection, table, raw)))
  findings.push(...(await checkStored(connection, table, raw, types ?? {})))
  // Texts that differ may be one value; texts that cannot be read would all be NULL.
  const isSound = findings.every(({ isWarning }) => isWarning)
  const isReadable = before.length > 0 || isSound
  findings.push(...(await checkUnique(connection, table, isReadable ? asStored : raw)))

  // With problems, the table is still read as far as it goes, so that references to and from it are checked
  // too.
  const select = typed(!isSound).join(', ')
  const order = [...(table.isOrdered ? [] : table.unique.map(identifier)), '"#"'].join(', ')
  const rowsOfTable = identifier(stagedName(table))
  await connection.run(`CREATE TABLE ${rowsOfTable} AS SELECT ${select} FROM ${raw} ORDER BY ${order}`)
  await connection.run(`DROP TABLE ${raw}`)
  const { guessed } = given
  if (before.length === 0) return { findings, isRead: true, written: null, guessed }
  if (!isDeepStrictEqual(await columnsOf(connection, rowsOfTable), table.before?.columns))
    return unread(...findings, otherColumns(table))
  const all = `SELECT * FROM ${fromParts(before)} UNION ALL SELECT * FROM ${rowsOfTable}`
  await connection.run(`CREATE VIEW ${identifier(table.name)} AS ${all}`)
  return { findings, isRead: true, written: null, guessed }
}

/** Reports a table with rows of no project, of several projects, or of another one than the tables before it. */
async function checkProject(connection: Connection, { name: table }: SealTable, by: string, from: string) {
  const seen = identifier('values that separate projects')
  await connection.run(`CREATE TABLE IF NOT EXISTS ${seen} (value VARCHAR)`)
  await connection.run(`INSERT INTO ${seen} SELECT DISTINCT CAST(${identifier(by)} AS VARCHAR) FROM ${from}`)
  const values = await textRows(connection, `SELECT DISTINCT value FROM ${seen} LIMIT 2`)
  if (values.length === 0 || (values.length === 1 && values[0]?.[0] !== null)) return []
  const message =
    values.length > 1
      ? 'the column holds several values, or another than in the tables before: seal one project at a time'
      : 'the column has no value in any row: write in each row whose it is'
  return [{ table, column: by, message }]
}

/**
 * The paths of the files of the table in the snapshot before, none when rows are not added; or what is wrong with one.
 * The new snapshot has them with the same digests, so each must still have its own.
 */
async function openBefore({ name, before }: SealTable, files: PackageFiles): Promise<string[] | Finding> {
  const paths: string[] = []
  for (const { file, sha256 } of before?.files ?? []) {
    const opened = await files.open(join(BEFORE, file))
    if ((await digestOfChunks(chunksOf(opened.file))) !== sha256) {
      const message = `${file} of the snapshot before, to which rows are to be appended, is not as it was sealed`
      return { table: name, message: `${message}: seal all rows of the table` }
    }
    paths.push(opened.path)
  }
  return paths
}

/** The problem with a CSV file of which the engine reads another number of rows than the scanner has counted. */
export function otherRows({ name }: SealTable): Finding {
  return { table: name, message: 'it cannot be read as CSV: the engine reads another number of rows' }
}

function otherColumns({ name }: SealTable): Finding {
  const message =
    'its columns are not those of the snapshot before, to which rows are to be appended: seal all rows of the table'
  return { table: name, message }
}

const UNREADABLE = ['EACCES', 'EISDIR', 'ELOOP', 'ENOENT', 'ENOTDIR', 'EPERM']
const NOT_UTF8 = /invalid unicode|invalid utf-?8|not valid utf-?8/i

/**
 * The problem with a file that cannot be read, without its path and the engine's advice; rethrows other
 * failures.
 */
export function explain(cause: unknown, table: SealTable): Finding {
  if (cause instanceof MalformedCsv) return { table: table.name, message: cause.message }
  if (cause instanceof UnusableFile)
    return { table: table.name, message: cause.about(fileOf(table.name, table.format)) }
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
