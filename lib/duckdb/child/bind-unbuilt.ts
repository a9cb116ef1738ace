import { join } from 'node:path'
import type { Column } from '../../model.js'
import type { BindJob, EngineSettings, Statement } from '../jobs.js'
import { createEmpty } from './build.js'
import type { Connection } from './duckdb.js'
import type { FreshInstances } from './fresh.js'
import { attach, lockDown, lookIn } from './instance.js'
import { describeStatement, resultColumns } from './statement.js'

/** The columns of a statement, with their types as SQL; fails as a query would that has no such result. */
export async function boundColumns(connection: Connection, statement: Statement): Promise<Column[]> {
  await resultColumns(connection, statement)
  return describeStatement(connection, statement)
}

/** The same over relations of which some are not built: they are made without rows. */
export async function bindUnbuilt(
  { view, unbuilt, reads, statement }: BindJob,
  settings: EngineSettings,
  fresh: FreshInstances,
  running: (connection: Connection) => void,
): Promise<Column[]> {
  const instance = await fresh.take()
  try {
    const connection = await instance.connect()
    running(connection)
    await lockDown(connection, settings, [settings.given])
    for (const file of view.files) await attach(connection, file, join(settings.given, view.folder))
    for (const step of unbuilt) await createEmpty(connection, step, settings)
    await lookIn(connection, reads.map(alias => `${alias}.main`).join(','))
    return await boundColumns(connection, statement)
  } finally {
    instance.closeSync()
  }
}
