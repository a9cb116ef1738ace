import { readdirSync, readFileSync } from 'node:fs'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Rows } from './rows.js'
import type { SealedTable } from './service.js'

const FOLDER = new URL('./reports/', import.meta.url)

/** A statement in the spirit of a report of the engine's tracker, or of an answer that was once wrong. */
export interface Report {
  /** Its file, and what it is about, with the number of the report if there is one. */
  name: string
  sql: string
  /** Its rows; or how many there are, and the first of them. */
  right: Rows | { rows: number; first: Rows }
  /** Whether the order of its rows is the only right one. */
  isSorted: boolean
  /** Whether a refusal is as good as the right answer, because no setting of the engine makes it right. */
  mayBeRefused: boolean
}

/** Reads the statements under `reports/`, which blank lines separate; comments before each say what is right. */
export function readReports(): Report[] {
  return readdirSync(FOLDER)
    .filter(file => file.endsWith('.sql') && file !== 'tables.sql')
    .flatMap(file =>
      readFileSync(new URL(file, FOLDER), 'utf8')
        .trim()
        .split(/\n{2,}/)
        .map(each => read(file, each)),
    )
}

function read(file: string, text: string): Report {
  const comments = text.split('\n').flatMap(line => (line.startsWith('-- ') ? [line.slice(3)] : []))
  const after = (key: string) => comments.find(line => line.startsWith(`${key}: `))?.slice(key.length + 2)
  const [right, rows, first = '[]'] = [after('right'), after('rows'), after('first')]
  const about = comments.filter(line => !/^(right|rows|first): |^(sorted|may be refused)$/.test(line)).join(' ')
  if ((right === undefined) === (rows === undefined)) throw new Error(`${file}: ${about} has either right or rows`)
  return {
    name: `${file}: ${about}`,
    sql: text.replace(/^(-- .*\n)+/, ''),
    right: right === undefined ? { rows: Number(rows), first: JSON.parse(first) as Rows } : (JSON.parse(right) as Rows),
    isSorted: comments.includes('sorted'),
    mayBeRefused: comments.includes('may be refused'),
  }
}

/** Writes the tables of the reports into a folder: a database file, and a Parquet file for each. */
export async function writeReportTables(folder: string): Promise<SealedTable[]> {
  const instance = await DuckDBInstance.create(`${folder}/tables.db`)
  const connection = await instance.connect()
  await connection.run(readFileSync(new URL('tables.sql', FOLDER), 'utf8'))
  const found = await connection.runAndReadAll(
    'SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal',
  )
  const tables = new Map<string, { name: string; type: string }[]>()
  for (const [table, name, type] of found.getRows() as string[][])
    tables.set(table as string, [
      ...(tables.get(table as string) ?? []),
      { name: name as string, type: type as string },
    ])
  for (const name of tables.keys()) await connection.run(`COPY ${name} TO '${folder}/${name}.parquet'`)
  connection.closeSync()
  instance.closeSync()
  return [...tables].map(([name, columns]) => ({ name, columns }))
}
