import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { digestOfFile } from '../../files/regular.js'
import type { Column } from '../../model.js'
import { refusedColumn } from '../../snapshots/codecs.js'
import { identifier, literal } from '../../values/quote.js'
import type {
  BindJob,
  BuildJob,
  BuildStep,
  BuiltRelation,
  EngineSettings,
  JobStatement,
  RelationFile,
  SourceFile,
} from '../jobs.js'
import { describeStatement, resultColumns } from './bound-statement.js'
import { type Connection, columnsOf } from './duckdb.js'
import { describeFailure, KnownFailure } from './duckdb-failure.js'
import { attach, type FreshInstances, hideRowid, lockDown, lookIn, readFiles } from './instance.js'
import { rulesOff, setRules } from './optimizer.js'
import { statisticsOf } from './statistics.js'

/** What a job may interrupt. */
type OnRunning = (connection: Connection) => void

/** Builds relations in order, each into a file of its own that has its name once it is complete. */
export function buildRelations(
  { view, steps }: BuildJob,
  settings: EngineSettings,
  fresh: FreshInstances,
  running: OnRunning,
): Promise<BuiltRelation[]> {
  return inInstance(fresh, settings, settings.given, running, async connection => {
    for (const file of view.files) await attach(connection, file, join(settings.given, view.folder))
    const relations = [...view.files, ...steps.map(({ file }) => file)]
    const built: BuiltRelation[] = []
    for (const step of steps) built.push(await buildStep(connection, step, relations, settings))
    return built
  })
}

async function buildStep(
  connection: Connection,
  step: BuildStep,
  relations: readonly RelationFile[],
  { given, own }: EngineSettings,
): Promise<BuiltRelation> {
  const { file, from } = step
  const source = 'source' in from ? from.source : []
  for (const each of source) await checkSource(connection, each, given)
  const { alias, relation } = file
  if (file.form === 'sealed') {
    await attach(connection, { ...file, files: source.map(({ name }) => name) }, given)
    return { columns: await columnsOf(connection, `${alias}.main.${identifier(relation)}`) }
  }
  const path = join(own, file.files[0] as string)
  const unfinished = `${path}.tmp`
  await removeUnfinished(unfinished)
  const table = `${alias}.main.${identifier(relation)}`
  await connection.run(`ATTACH ${literal(unfinished)} AS ${alias}`)
  await lookInReads(connection, step)
  const sql = 'sql' in from ? from.sql : readSource(source, given)
  await setRules(connection, await rulesOff(connection, sql))
  const reads = relations.filter(each => step.reads.includes(each.alias))
  const views = await hideRowid(connection, sql, reads)
  await connection.run(`CREATE TABLE ${table} AS ${sql}`).catch(async cause => {
    await removeUnfinished(unfinished).catch(() => {}) // it may have filled the disk
    throw failureOf(step, cause)
  })
  for (const view of views) await connection.run(`DROP VIEW temp.${view}`)
  const columns = await columnsOf(connection, table)
  // Of stored tables, the snapshot has the statistics.
  const statistics =
    'sql' in from ? { statistics: await statisticsOf(connection, table, columns, step.units) } : {}
  await connection.run(`SET search_path = 'memory.main'`)
  await connection.run(`DETACH ${alias}`)
  await rename(unfinished, path)
  await attach(connection, file, own)
  return { columns, ...statistics }
}

/** The columns of a stored table, as its files have them, which are checked first. */
async function storedColumns(
  connection: Connection,
  source: readonly SourceFile[],
  { given }: EngineSettings,
): Promise<Column[]> {
  for (const each of source) await checkSource(connection, each, given)
  return columnsOf(connection, readSource(source, given))
}

/** Makes a relation without rows, in memory, so that statements can bind to it: with these columns, or by its SQL. */
async function createEmpty(
  connection: Connection,
  step: BuildStep,
  columns: readonly Column[],
): Promise<void> {
  const { file, from } = step
  const { alias, relation } = file
  await connection.run(`ATTACH ':memory:' AS ${alias}`)
  await lookInReads(connection, step)
  const typed = columns.map(({ name, type }) => `${identifier(name)} ${type}`).join(', ')
  const content = 'sql' in from ? `AS SELECT * FROM (\n${from.sql}\n) LIMIT 0` : `(${typed})`
  await connection.run(`CREATE TABLE ${alias}.main.${identifier(relation)} ${content}`).catch(cause => {
    throw failureOf(step, cause)
  })
}

/** No relation that another step of the job reads, or its digest would not tell what it is made from. */
async function lookInReads(connection: Connection, { file, reads }: BuildStep): Promise<void> {
  await lookIn(connection, reads.map(read => `${read}.main`).join(',') || `${file.alias}.main`)
}

/**
 * A step that reads stored tables fails on their files; all other SQL is that of the catalogue, and fails as it is
 * written.
 */
function failureOf({ file, from }: BuildStep, cause: unknown): unknown {
  const { kind, text, atBinding = false } = describeFailure(cause)
  if (kind !== 'query' || 'source' in from) return cause
  return new KnownFailure({ kind: 'relation', text: file.alias, cause: text, atBinding })
}

function readSource(source: readonly SourceFile[], given: string): string {
  const names = source.map(({ name }) => name)
  return readFiles(names, given)
}

async function removeUnfinished(path: string): Promise<void> {
  for (const file of [path, `${path}.wal`]) await rm(file, { force: true })
}

async function checkSource(connection: Connection, source: SourceFile, given: string): Promise<void> {
  const path = join(given, source.name)
  const damaged = (cause: string): never => {
    throw new KnownFailure({
      kind: 'snapshot',
      text: 'A stored table is damaged.',
      cause: `${source.name}: ${cause}`,
    })
  }
  const digest = await digestOfFile(path).catch(cause => damaged(String(cause)))
  if (digest !== source.sha256) damaged('its digest differs from the manifest')
  // Sealing writes no such file, but the manifest of a snapshot that comes from elsewhere may name one.
  const refused = await refusedColumn(connection, path)
  if (refused) damaged(`the column ${JSON.stringify(refused.column)} ${refused.problem}`)
}

/** The columns of a statement, with their types as SQL; fails as a query would that has no such result. */
export async function describedColumns(connection: Connection, statement: JobStatement): Promise<Column[]> {
  await resultColumns(connection, statement)
  return describeStatement(connection, statement)
}

/**
 * The same over relations of which some are not built: they are made without rows. The files of stored tables are read
 * in an instance of their own, since the one that binds the statement can access no more than one that runs it.
 */
export async function bindUnbuilt(
  { view, unbuilt, reads, statement }: BindJob,
  settings: EngineSettings,
  fresh: FreshInstances,
  running: OnRunning,
): Promise<Column[]> {
  const built = join(settings.given, view.folder)
  const stored = await inInstance(fresh, settings, settings.given, running, async connection => {
    const columns: Column[][] = []
    for (const { from } of unbuilt)
      columns.push('source' in from ? await storedColumns(connection, from.source, settings) : [])
    return columns
  })
  return inInstance(fresh, settings, built, running, async connection => {
    for (const file of view.files) await attach(connection, file, built)
    for (const [at, step] of unbuilt.entries()) await createEmpty(connection, step, stored[at] ?? [])
    await lookIn(connection, reads.map(alias => `${alias}.main`).join(','))
    const relations = [...view.files, ...unbuilt.map(({ file }) => file)]
    const named = relations.filter(({ alias }) => reads.includes(alias))
    await hideRowid(connection, statement.sql, named)
    return describedColumns(connection, statement)
  })
}

/** Uses a new instance, locked down to a folder and the process's own. */
async function inInstance<Value>(
  fresh: FreshInstances,
  settings: EngineSettings,
  folder: string,
  running: OnRunning,
  use: (connection: Connection) => Promise<Value>,
): Promise<Value> {
  const instance = await fresh.take()
  try {
    const connection = await instance.connect()
    running(connection)
    await lockDown(connection, settings, [folder])
    return await use(connection)
  } finally {
    instance.closeSync()
  }
}
