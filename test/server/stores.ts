import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Report } from '#server/store/write-behind.js'

/** A PostgreSQL for tests, in which they make and drop schemas of their own; null when none was named. */
export const postgresUrl = process.env.FOLDGATE_TEST_POSTGRES || null

/** Whether the suite has the embedded store; a second run has its stores in PostgreSQL, see `test/postgres.ts`. */
export const isEmbedded = process.env.FOLDGATE_TEST_STORE !== 'postgres'

/** For stores that can be written. */
export const unexpected: Report = (what, cause) => assert.fail(`${what}: ${cause}`)

const schemas = new Map<string, Promise<string>>()

/** Where the store is that would be this file: the file itself, or a schema of its own in PostgreSQL. */
export async function storeAt(file: string): Promise<string> {
  return isEmbedded ? file : storeInPostgres(file)
}

/** The URL of a store in PostgreSQL that is the same for the same name; {@link dropStores} removes it. */
export function storeInPostgres(name: string): Promise<string> {
  const store =
    schemas.get(name) ?? createSchema(`foldgate_${createHash('sha256').update(name).digest('hex').slice(0, 24)}`)
  schemas.set(name, store)
  return store
}

/** Removes the stores in PostgreSQL whose names begin so. */
export async function dropStores(beginning: string): Promise<void> {
  for (const [name, store] of schemas) {
    if (!name.startsWith(beginning)) continue
    schemas.delete(name)
    const schema = /search_path=(\w+)/.exec(new URL(await store).searchParams.get('options') ?? '')?.[1]
    await ask(`DROP SCHEMA "${schema}" CASCADE`)
  }
}

/** Runs a statement in the PostgreSQL of the tests. */
export async function ask(statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: postgresUrl ?? '' })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

async function createSchema(schema: string): Promise<string> {
  await ask(`CREATE SCHEMA "${schema}"`)
  const url = new URL(postgresUrl ?? '')
  url.searchParams.set('options', `-c search_path=${schema}`)
  return url.href
}
