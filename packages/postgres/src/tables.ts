import type { Catalogue } from 'foldgate'
import { identifier } from 'foldgate/internal'
import type { TableSource } from 'foldgate/sealing'
import { codeOf, type PostgresTables, quoted, Refusal } from 'foldgate-server/parts'
import { fromPostgres } from './from-postgres.js'
import { readingPool } from './store/connections.js'

/** Tables, views, materialized views, partitioned and foreign tables. */
const RELATIONS = `SELECT relname AS name FROM pg_catalog.pg_class
  WHERE relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1) AND relkind = ANY ('{r,v,m,p,f}')`

/** See {@link WithTables}. */
export async function withPostgresTables<Result>(
  { relations }: Catalogue,
  { url, schema, queries }: PostgresTables,
  work: (tables: Record<string, TableSource>) => Promise<Result>,
): Promise<Result> {
  const wanted = [...relations.values()].flatMap(relation => (relation.kind === 'table' ? relation : []))
  const unknown = [...queries.keys()].find(name => !wanted.some(table => table.name === name))
  if (unknown !== undefined)
    throw new Refusal(
      `The catalogue has no table ${quoted(unknown)}: its tables are ${wanted.map(({ name }) => name).join(', ')}`,
    )
  const { pool, end } = readingPool(url)
  try {
    const { rows } = await pool.query<{ name: string }>(RELATIONS, [schema]).catch(cause => {
      throw new Refusal(`The PostgreSQL of --from cannot be read: ${reasonOf(cause)}`, { cause })
    })
    const there = new Set([...queries.keys(), ...rows.map(({ name }) => name)])
    const missing = wanted.filter(({ name, optional }) => !optional && !there.has(name))
    if (missing.length > 0)
      throw new Refusal(
        `The schema ${quoted(schema)} has neither a table nor a view ${missing.map(({ name }) => quoted(name)).join(', ')}: ` +
          'name another with --schema, or give the rows with --query TABLE=STATEMENT',
      )
    const tables = wanted.flatMap(({ name, columns }) => {
      const selected = columns ? Object.keys(columns).map(identifier).join(', ') : '*'
      const whole = `SELECT ${selected} FROM ${identifier(schema)}.${identifier(name)}`
      return there.has(name) ? [[name, fromPostgres(pool, queries.get(name) ?? whole)] as const] : []
    })
    return await work(Object.fromEntries(tables))
  } finally {
    await end()
  }
}

function reasonOf(cause: unknown): string {
  const code = codeOf(cause)
  const message = cause instanceof Error ? cause.message : ''
  return message === '' || /^E[A-Z]+$/.test(code) ? code : `${message}${code === '' ? '' : ` (${code})`}`
}
