import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { timed } from '../assessed.js'
import { LARGE_COLUMNS } from './tables.js'

/** What the same rows cost by hand. */
export interface Bare {
  copyMs: number
  writeMs: number
  cpuMs: number
}

/** Copies a table to a file of CSV, and that to Parquet, without a check, an order or a digest. */
export async function bare(url: string, folder: string, table: string, threads: number): Promise<Bare> {
  const [csv, parquet] = [join(folder, 'bare.csv'), join(folder, 'bare.parquet')]
  const before = process.cpuUsage()
  const copyMs = await timed(async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const rows = client.query(copyTo(`COPY (SELECT ${LARGE_COLUMNS} FROM ${table}) TO STDOUT (FORMAT csv, HEADER)`))
    await pipeline(rows, createWriteStream(csv))
    await client.end()
  })
  const instance = await DuckDBInstance.create(':memory:', { threads: String(threads), memory_limit: '2GB' })
  try {
    const connection = await instance.connect()
    const writeMs = await timed(() =>
      connection.run(`COPY (FROM read_csv('${csv}')) TO '${parquet}' (FORMAT parquet, COMPRESSION zstd)`),
    )
    const { user, system } = process.cpuUsage(before)
    return { copyMs, writeMs, cpuMs: (user + system) / 1000 }
  } finally {
    instance.closeSync()
    await rm(csv, { force: true })
    await rm(parquet, { force: true })
  }
}
