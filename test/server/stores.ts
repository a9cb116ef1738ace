import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import pg from 'pg'
import type { Report } from '#server/operation/log.js'

/** URL of a PostgreSQL database in which tests create and drop their own schemas; null if not set. */
export const postgresUrl = process.env.FOLDGATE_TEST_POSTGRES || null

/** Whether the suite uses the embedded store; a second run uses PostgreSQL, see `test/runner/suites.ts`. */
export const isEmbedded = process.env.FOLDGATE_TEST_STORE !== 'postgres'

/** Fails the test on any reported error. */
export const unexpected: Report = (what, cause) => assert.fail(`${what}: ${cause}`)

const schemas = new Map<string, Promise<string>>()

/** Location of a store: this file, or a PostgreSQL schema in its place. */
export async function storeAt(file: string): Promise<string> {
  return isEmbedded ? file : storeInPostgres(file)
}

/** URL of the PostgreSQL store of this name, created on first use; {@link dropStores} removes it. */
export function storeInPostgres(name: string): Promise<string> {
  const store =
    schemas.get(name) ?? createSchema(`foldgate_${createHash('sha256').update(name).digest('hex').slice(0, 24)}`)
  schemas.set(name, store)
  return store
}

/** Removes the PostgreSQL stores whose names begin with `beginning`. */
export async function dropStores(beginning: string): Promise<void> {
  for (const [name, store] of schemas) {
    if (!name.startsWith(beginning)) continue
    schemas.delete(name)
    const schema = /search_path=(\w+)/.exec(new URL(await store).searchParams.get('options') ?? '')?.[1]
    await ask(`DROP SCHEMA "${schema}" CASCADE`)
  }
}

/** Runs a statement in the PostgreSQL database of the tests. */
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
