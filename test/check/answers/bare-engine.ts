import { type DuckDBConnection, DuckDBInstance, type DuckDBType } from '@duckdb/node-api'
import type { SealedTable } from './service.js'
import { spelled } from './spelled.js'
import { rowsOf, type Table } from './tables.js'

/** What identifies the rows of a result: how many there are, and digests of all in any order, and in theirs. */
export interface Digest {
  rows: string
  any: string
  /** Of their keys, in the order of the rows; empty without keys. */
  keys: string
}

/** The tables of an engine in this process: from a database file that is attached read-only, and from Parquet files. */
export class BareEngine {
  readonly #instance: DuckDBInstance
  readonly connection: DuckDBConnection

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance
    this.connection = connection
  }

  /** Opens tables that {@link writeTables} has written; `sealed` has the Parquet file of each. */
  static async open(
    folder: string,
    tables: readonly SealedTable[],
    sealed?: ReadonlyMap<string, string>,
  ): Promise<BareEngine> {
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    const connection = await instance.connect()
    await connection.run(`ATTACH '${folder}/tables.db' AS stored (READ_ONLY); ATTACH ':memory:' AS sealed`)
    await connection.run("SET GLOBAL TimeZone = 'UTC'")
    for (const { name, fold } of tables) {
      const file = (fold === undefined && sealed?.get(name)) || `${folder}/${name}.parquet`
      await connection.run(`CREATE VIEW sealed.${name} AS FROM read_parquet('${file}')`)
    }
    return new BareEngine(instance, connection)
  }

  /** Makes names resolve to stored tables or to sealed files. */
  async read(from: 'stored' | 'sealed'): Promise<void> {
    await this.connection.run(`SET search_path = '${from}.main'`)
  }

  /** Chooses the optimizer: all of it, none, or all rules but these. */
  async optimize(rules: 'all' | 'none' | readonly string[]): Promise<void> {
    await this.connection.run(rules === 'none' ? 'PRAGMA disable_optimizer' : 'PRAGMA enable_optimizer')
    const off = typeof rules === 'string' ? '' : rules.join(',')
    await this.connection.run(`SET disabled_optimizers = '${off}'`)
  }

  /** Stores the rows of a statement as a temporary table; interrupts it after a while. */
  async store(table: string, sql: string, withinMs = 20_000): Promise<void> {
    const timer = setTimeout(() => this.connection.interrupt(), withinMs)
    try {
      await this.connection.run(`CREATE OR REPLACE TEMP TABLE ${table} AS ${sql}`)
    } finally {
      clearTimeout(timer)
    }
  }

  /** The digest of a stored result. */
  async digest(table: string, keys: readonly string[]): Promise<Digest> {
    const texts = [...keys.map(key => `r.${key}::VARCHAR`), 'r.rowid::VARCHAR'].join(', ')
    const inOrder = keys.length > 0 ? `coalesce(sum(md5_number_lower(concat_ws('|', ${texts}))::HUGEINT), 0)` : "''"
    // As JSON of texts: the text of a row as a whole is not the same in each version.
    const every = 'SELECT coalesce(sum(md5_number_lower(to_json(t)::VARCHAR)::HUGEINT), 0)'
    const any = `(${every} FROM (SELECT COLUMNS(*)::VARCHAR FROM temp.main.${table}) AS t)`
    const sql = `SELECT count(*), ${any}, ${inOrder} FROM temp.main.${table} AS r`
    const [rows, inAny, inKeys] = (await this.connection.runAndReadAll(sql)).getRows()[0] as unknown[]
    return { rows: String(rows), any: String(inAny), keys: String(inKeys) }
  }

  /** The rows of a statement, as pages have them. */
  async rows(sql: string): Promise<unknown[][]> {
    const found = await this.connection.runAndReadAll(sql)
    const types = found.columnTypes()
    return found.getRowsJson().map(row => row.map((value, at) => spelled(value, types[at] as DuckDBType)))
  }

  close(): void {
    this.connection.closeSync()
    this.#instance.closeSync()
  }
}

/** Writes the tables into a folder: a database file, and a Parquet file for each. */
export async function writeTables(folder: string, tables: readonly Table[]): Promise<void> {
  const instance = await DuckDBInstance.create(`${folder}/tables.db`)
  const connection = await instance.connect()
  for (const table of tables) {
    await connection.run(`CREATE TABLE ${table.name} AS ${rowsOf(table)}`)
    await connection.run(`COPY ${table.name} TO '${folder}/${table.name}.parquet'`)
  }
  connection.closeSync()
  instance.closeSync()
}
