import type { Hierarchy } from '../../catalogue/definitions.js'
import type { Connection } from '../../duckdb/child/duckdb.js'
import type { SealProblem } from '../../model.js'
import { identifier } from '../../values/quote.js'
import { findCycle } from './cycle.js'
import { numberIn, streamed, textRows } from './select.js'

const MAX_NAMED = 10

/**
 * Checks the ownership tree: shares from 0 to 1, one id per entity, one root, existing holders and no cycle.
 * SQL does most of the work: a tree may have millions of entities, which do not fit into this process as
 * objects.
 */
export async function checkHierarchy(connection: Connection, hierarchy: Hierarchy): Promise<SealProblem[]> {
  const { table, key, parent, id, share } = hierarchy
  const problems: SealProblem[] = []
  const rows = async (sql: string) => (await textRows(connection, sql)).map(row => row.map(String))
  const say = (column: string, message: string) => problems.push({ table, column, message })
  await connection.run(`
    CREATE OR REPLACE TEMP TABLE held AS
    SELECT row_number() OVER () AS line, CAST(${identifier(key)} AS VARCHAR) AS key, CAST(${identifier(parent)} AS VARCHAR) AS parent,
      CAST(${identifier(id)} AS VARCHAR) AS id, ${identifier(share)} AS share FROM ${identifier(table)}`)

  const wrongShares = 'SELECT key, share FROM held WHERE (share BETWEEN 0 AND 1) IS NOT TRUE ORDER BY line'
  for (const [name, value] of await rows(wrongShares))
    say(share, `entity "${name}": the share ${value} is not within 0 and 1`)
  for (const [name] of await rows(SEVERAL_IDS))
    say(id, `entity "${name}": an entity has one id, and no two share it`)
  const roots = (
    await rows('SELECT key FROM held WHERE parent IS NULL GROUP BY key ORDER BY min(line)')
  ).flat()
  if (roots.length !== 1)
    say(
      parent,
      roots.length === 0
        ? 'there must be one root without a holder, and there is none'
        : `there must be one root without a holder, not ${roots.length}: ${named(roots.slice(0, MAX_NAMED), roots.length)}`,
    )
  const unknown = `SELECT key, min_by(parent, line) FROM held
    WHERE parent IS NOT NULL AND NOT EXISTS (SELECT 1 FROM held AS other WHERE other.key = held.parent)
    GROUP BY key ORDER BY min(line)`
  for (const [name, holder] of await rows(unknown))
    say(parent, `entity "${name}": its holder "${holder}" is not in the table`)
  const heldRoots = `SELECT key FROM held WHERE key IN (SELECT key FROM held WHERE parent IS NULL)
    AND parent IS NOT NULL GROUP BY key ORDER BY min(line)`
  for (const [name] of await rows(heldRoots)) say(parent, `entity "${name}": the root has no holder`)
  const cycle = await nameCycle(connection)
  if (cycle) say(parent, `these entities hold each other in a cycle: ${cycle}`)
  await connection.run('DROP TABLE held; DROP TABLE numbered')
  return problems
}

/**
 * Rows whose id differs from the entity's previous row, and first rows of an entity whose id an earlier
 * entity has.
 */
const SEVERAL_IDS = `
  WITH ordered AS (
    SELECT line, key, id, lag(id) OVER (PARTITION BY key ORDER BY line) AS before,
      row_number() OVER (PARTITION BY key ORDER BY line) AS nth, min(line) OVER (PARTITION BY id) AS first_line FROM held)
  SELECT key FROM ordered WHERE CASE WHEN nth > 1 THEN id IS DISTINCT FROM before ELSE first_line < line END ORDER BY line`

/** Names entities that hold each other in a cycle; null when there is no cycle. */
async function nameCycle(connection: Connection): Promise<string | null> {
  await connection.run(`
    CREATE OR REPLACE TEMP TABLE numbered AS
    SELECT key, CAST(row_number() OVER (ORDER BY min(line)) - 1 AS INTEGER) AS n FROM held GROUP BY key`)
  const count = await numberIn(connection, 'SELECT count(*) FROM numbered')
  const cycle = await findCycle(count, pairsOf(connection))
  if (!cycle) return null
  const keys: string[] = []
  for (const n of cycle.slice(0, MAX_NAMED))
    keys.push(String((await textRows(connection, `SELECT key FROM numbered WHERE n = ${n}`))[0]?.[0]))
  return named(keys, cycle.length)
}

async function* pairsOf(connection: Connection): AsyncGenerator<[number[], number[]]> {
  const pairs = `SELECT child.n, holder.n FROM held JOIN numbered AS child USING (key)
    JOIN numbered AS holder ON holder.key = held.parent`
  for await (const chunk of streamed(connection, pairs))
    yield [chunk.getColumnValues(0) as number[], chunk.getColumnValues(1) as number[]]
}

function named(shown: readonly string[], count: number): string {
  return (
    shown.map(key => `"${key}"`).join(', ') +
    (count > shown.length ? ` and ${count - shown.length} more` : '')
  )
}
