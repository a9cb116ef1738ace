import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { identifier, literal } from 'foldgate/internal'
import type { TableSource } from 'foldgate/sealing'
import { fromPostgres } from 'foldgate-postgres'
import pg from 'pg'
import type { PostgresSourceOptions } from '#postgres/from-postgres.js'
import { postgresUrl } from '../../../../test/server/stores.js'

/** A pool of the database of the tests, while a suite runs. */
export function givenPool(options: pg.PoolConfig = {}): { readonly pool: pg.Pool } {
  let pool: pg.Pool
  before(() => {
    pool = new pg.Pool({ connectionString: postgresUrl ?? '', max: 4, ...options })
  })
  after(() => pool.end())
  return {
    get pool() {
      return pool
    },
  }
}

/** What a source gave. */
export interface Read {
  csv: Buffer
  types: Readonly<Record<string, string>>
}

/** Reads a source to its end, as a sealing does. */
export async function readAll(
  source: TableSource,
  { columns = null, session }: { columns?: Record<string, string> | null; session?: unknown } = {},
): Promise<Read> {
  const { signal } = new AbortController()
  const handle = session ?? (await source.session?.begin(signal))
  let isFailed = true
  try {
    const { chunks, types } = await source.read({ table: 'rows', columns, session: handle, signal })
    const read: Uint8Array[] = []
    for await (const chunk of chunks) read.push(chunk)
    isFailed = false
    return { csv: Buffer.concat(read), types: types?.() ?? {} }
  } finally {
    if (session === undefined) await source.session?.end(handle, isFailed)
  }
}

/** Reads the rows of a statement. */
export function rowsOf(pool: pg.Pool, statement: string, options?: PostgresSourceOptions): Promise<Read> {
  return readAll(fromPostgres(pool, statement, options))
}

/** Casts what was read to the types that were told, and returns the rows of `select` from it as text. */
export async function inDuckDb({ csv, types }: Read, select: string): Promise<(string | null)[][]> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-postgres-'))
  const instance = await DuckDBInstance.create(':memory:')
  try {
    const path = join(folder, 'rows.csv')
    await writeFile(path, csv)
    const connection = await instance.connect()
    const names = Object.keys(types)
    const columns = names.map(name => `${literal(name)}: 'VARCHAR'`).join(', ')
    const casts = names.map(name => `CAST(${identifier(name)} AS ${types[name]}) AS ${identifier(name)}`)
    const from = `read_csv(${literal(path)}, header = true, auto_detect = false, columns = {${columns}}, delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false)`
    await connection.run(`CREATE TABLE rows AS SELECT ${casts.join(', ')} FROM ${from}`)
    const answer = await connection.runAndReadAll(`SELECT COLUMNS(*)::VARCHAR FROM (${select})`)
    return answer.getRows() as (string | null)[][]
  } finally {
    instance.closeSync()
    await rm(folder, { recursive: true })
  }
}

/** What PostgreSQL itself writes for a statement, without this library. */
export async function inPostgres(pool: pg.Pool, statement: string): Promise<(string | null)[][]> {
  const types = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig
  return (await pool.query({ text: statement, rowMode: 'array', types })).rows
}
