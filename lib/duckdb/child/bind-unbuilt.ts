import { join } from 'node:path'
import type { Statement } from '../../engine/port.js'
import type { Column } from '../../model.js'
import type { BindJob, EngineSettings } from '../jobs.js'
import { describeStatement, resultColumns } from './bound-statement.js'
import { createEmpty, storedColumns } from './build.js'
import type { Connection } from './duckdb.js'
import type { FreshInstances } from './fresh.js'
import { attach, lockDown, lookIn } from './instance.js'

/** What a job may interrupt. */
type OnRunning = (connection: Connection) => void

/** The columns of a statement, with their types as SQL; fails as a query would that has no such result. */
export async function boundColumns(connection: Connection, statement: Statement): Promise<Column[]> {
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
    return boundColumns(connection, statement)
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
