import { rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { digestOfFile } from '../../files/regular.js'
import { refusedColumn } from '../../snapshots/codecs.js'
import { identifier, literal } from '../../values/quote.js'
import type { BuildJob, BuildStep, BuiltRelation, EngineSettings, RelationFile, SourceFile } from '../jobs.js'
import { columnsOf } from './columns.js'
import type { Connection } from './duckdb.js'
import { describeFailure, KnownFailure } from './duckdb-failure.js'
import type { FreshInstances } from './fresh.js'
import { attach, lockDown } from './instance.js'

/** Builds relations in order, each into a temporary file that is renamed once it is complete. */
export async function buildRelations(
  job: BuildJob,
  settings: EngineSettings,
  fresh: FreshInstances,
  running: (connection: Connection) => void,
): Promise<BuiltRelation[]> {
  const instance = await fresh.take()
  try {
    const connection = await instance.connect()
    running(connection)
    const sources = job.steps.flatMap(step => (step.source ?? []).map(({ path }) => dirname(path)))
    await lockDown(connection, settings, [job.view.folder, settings.scratch, ...new Set(sources)])
    const attached: RelationFile[] = [...job.view.files]
    for (const file of attached) await attach(connection, file)
    const built: BuiltRelation[] = []
    for (const step of job.steps) {
      built.push(await buildStep(connection, step, attached))
      attached.push(step.file)
    }
    return built
  } finally {
    instance.closeSync()
  }
}

async function buildStep(
  connection: Connection,
  step: BuildStep,
  attached: readonly RelationFile[],
): Promise<BuiltRelation> {
  for (const file of step.source ?? []) await checkSource(connection, file)
  const { alias, path, relation } = step.file
  const unfinished = `${path}.tmp`
  await removeUnfinished(unfinished)
  const table = `${alias}.main.${identifier(relation)}`
  await connection.run(`ATTACH ${literal(unfinished)} AS ${alias}`)
  const searchPath = attached.map(file => `${file.alias}.main`).join(',') || `${alias}.main`
  await connection.run(`SET search_path = ${literal(searchPath)}`)
  await connection.run(`CREATE TABLE ${table} AS ${step.sql}`).catch(async cause => {
    await removeUnfinished(unfinished).catch(() => {}) // it may have filled the disk
    const { kind, text } = describeFailure(cause)
    // What reads stored tables fails on their files; all other SQL is the catalogue's, and fails as it is written.
    if (kind !== 'query' || step.source) throw cause
    throw new KnownFailure({ kind: 'relation', text: alias, cause: text })
  })
  const columns = await columnsOf(connection, table)
  await connection.run(`SET search_path = 'memory.main'`)
  await connection.run(`DETACH ${alias}`)
  await rename(unfinished, path)
  await attach(connection, step.file)
  return { alias, columns, bytes: (await stat(path)).size }
}

async function removeUnfinished(path: string): Promise<void> {
  for (const file of [path, `${path}.wal`]) await rm(file, { force: true })
}

async function checkSource(connection: Connection, source: SourceFile): Promise<void> {
  const damaged = (cause: string): never => {
    throw new KnownFailure({
      kind: 'snapshot',
      text: 'A stored table is damaged.',
      cause: `${source.path}: ${cause}`,
    })
  }
  const digest = await digestOfFile(source.path).catch(cause => damaged(String(cause)))
  if (digest !== source.sha256) damaged('its digest differs from the manifest')
  // Sealing writes no such file, but the manifest of a snapshot that comes from elsewhere may name one.
  const refused = await refusedColumn(connection, source.path)
  if (refused) damaged(`the column ${JSON.stringify(refused.column)} ${refused.problem}`)
}
