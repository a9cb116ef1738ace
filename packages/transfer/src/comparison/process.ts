import { basename, join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { literal, processSettings, refusedColumn, serveJobs, withoutPattern } from 'foldgate/internal'
import { compareTable } from './compare-table.js'
import type { ComparisonJob, Difference } from './difference.js'

/** Entry point of the process that compares files that it is given. */
const { own, given } = processSettings<{ own: string; given: string }>()

// With more threads or less memory, joins of large tables fail before they spill.
const MEMORY = '1GiB'
const MOST_SPILLED = '32GiB'
const SETTINGS = {
  threads: '1',
  memory_limit: MEMORY,
  preserve_insertion_order: 'false',
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
}

async function compare({ tables, limit }: ComparisonJob): Promise<Difference[]> {
  const instance = await DuckDBInstance.create(':memory:', SETTINGS)
  try {
    const connection = await instance.connect()
    // DuckDB compares paths before it resolves patterns, so a folder is allowed as it is and escaped.
    const allowed = [given, withoutPattern(given), own].map(folder => literal(`${folder}/`))
    await connection.run(
      [
        `SET TimeZone = 'UTC'`,
        `SET temp_directory = ${literal(own)}`,
        `SET max_temp_directory_size = '${MOST_SPILLED}'`,
        `SET allowed_directories = [${allowed.join(', ')}]`,
        'SET enable_external_access = false',
        'SET lock_configuration = true',
      ].join(';'),
    )
    const path = (name: string) => join(given, name)
    const pairs = tables.map(pair => ({
      ...pair,
      from: [pair.from].flat().map(path),
      to: [pair.to].flat().map(path),
    }))
    for (const { from, to } of pairs)
      for (const each of [from, to].flat()) await refuseCodecs(connection, each)
    const found: Difference[] = []
    for (const table of pairs) found.push(await compareTable(connection, table, limit))
    return found
  } finally {
    instance.closeSync()
  }
}

async function refuseCodecs(connection: DuckDBConnection, path: string): Promise<void> {
  const refused = await refusedColumn(connection, path)
  if (refused)
    throw new Error(`the column ${JSON.stringify(refused.column)} of ${basename(path)} ${refused.problem}`)
}

serveJobs({
  run: job => compare(job as ComparisonJob),
  describe: cause => String(cause instanceof Error ? cause.message : cause),
})
