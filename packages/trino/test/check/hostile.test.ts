import assert from 'node:assert/strict'
import { AnalyticsError } from 'foldgate'
import { checkStatement, wrapped } from '#trino/statement/check-statement.js'
import { until } from '../../../../test/until.js'
import { type AskOptions, ask, type Outcome, rowsOf } from './ask.js'
import { type Cluster, isThorough, STARTS_WITHIN_MS, sharedCluster } from './cluster.js'
import { type Ending, type Hostile, readHostile } from './hostile/statements.js'

/** A point of view, another one, and the tables below the views of both. */
const [OWN, OTHER] = ['p_00000000000000ee', 'p_0000000000000bad']
const [OWN_TABLES, OTHER_TABLES] = ['s_00000000000000ee', 's_0000000000000bad']
const SECRET = 'kept-from-others'
/** As long as a statement may take here, in milliseconds. */
const BUDGET_MS = 4_000
/** Statements that run at once. */
const AT_ONCE = 2
/** Endings that are as good as the one that a file names. */
const ALLOWED: Partial<Record<Ending, readonly Ending[]>> = {
  run: ['wrapped', 'run'],
  budget: ['wrapped', 'run', 'rows'],
}

describe('hostile statements', () => {
  let trino: Cluster
  before(async function () {
    this.timeout(STARTS_WITHIN_MS)
    trino = await sharedCluster(this)
    for (const [view, tables, word] of [
      [OWN, OWN_TABLES, 'mine'],
      [OTHER, OTHER_TABLES, SECRET],
    ]) {
      for (const schema of [tables, view]) await rowsOf(trino.url, `CREATE SCHEMA ${schema}`)
      await rowsOf(
        trino.url,
        `CREATE TABLE ${tables}.amounts AS SELECT n, '${word}' AS word FROM (VALUES 1, 2, 3) t(n)`,
      )
      await rowsOf(trino.url, `CREATE VIEW ${view}.amounts SECURITY DEFINER AS SELECT * FROM ${tables}.amounts`)
    }
  })
  after(async () => {
    for (const schema of [OWN, OTHER, OWN_TABLES, OTHER_TABLES])
      if (trino) await rowsOf(trino.url, `DROP SCHEMA ${schema} CASCADE`)
  })

  const caller: AskOptions = { user: OWN, schema: OWN, source: 'foldgate/ee', withinMs: BUDGET_MS }
  const asCaller = async (sql: string) => {
    const outcome = await ask(trino.url, sql, caller)
    const told = JSON.stringify(outcome)
    assert.ok(!told.includes(SECRET) && !told.includes(trino.warehouse), `${sql.slice(0, 200)}: ${told.slice(0, 2000)}`)
    return outcome
  }

  /** Where a statement ends, as an engine runs it. */
  async function endingOf(sql: string): Promise<{ ending: Ending; outcome?: Outcome }> {
    let statement: string
    try {
      statement = checkStatement(sql)
    } catch (error) {
      assert.ok(error instanceof AnalyticsError && error.class === 'INVALID_QUERY', String(error))
      return { ending: 'text' }
    }
    const validation = await asCaller(`EXPLAIN (TYPE VALIDATE) ${wrapped(statement)}`)
    if (validation.error) return { ending: 'wrapped', outcome: validation }
    const outcome = await asCaller(statement)
    return { ending: outcome.error ? 'run' : 'rows', outcome }
  }

  async function check({ name, sql, ending: expected }: Hostile): Promise<void> {
    const { ending, outcome } = await endingOf(sql)
    assert.ok(
      (ALLOWED[expected] ?? [expected]).includes(ending),
      `${name}: ${ending}, ${JSON.stringify(outcome?.error)?.slice(0, 500)}`,
    )
  }

  /** Runs all, some at once, and throws what the first of them threw. */
  async function each(statements: readonly Hostile[], work: (statement: Hostile) => Promise<void>): Promise<void> {
    const rest = [...statements]
    const one = async () => {
      for (let next = rest.shift(); next; next = rest.shift()) await work(next)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, one))
  }

  /** Nothing has changed, nothing runs, and others are answered. */
  async function isWell(): Promise<void> {
    await until(async () => {
      const running = `SELECT query_id FROM system.runtime.queries WHERE "user" = '${OWN}' AND state NOT IN ('FINISHED', 'FAILED')`
      return (await rowsOf(trino.url, running)).length === 0
    }, 'the end of all queries')
    const words = (user: string) =>
      rowsOf(trino.url, 'SELECT DISTINCT word FROM amounts', { user, schema: user, source: 'foldgate/ba' })
    assert.deepEqual([await words(OWN), await words(OTHER)], [[['mine']], [[SECRET]]])
    const schemas = (await rowsOf(trino.url, 'SHOW SCHEMAS'))
      .flat()
      .filter(name => /^[a-z]_0{10}\w*(ee|ef|bad|bae)$/.test(String(name)))
    assert.deepEqual(schemas.sort(), [OWN, OTHER, OWN_TABLES, OTHER_TABLES].sort())
  }

  it('that reach for what others have are refused', async () => {
    await each(readHostile('others.sql'), check)
    await isWell()
  }).timeout(120_000)

  it('that are no query are refused, and none gets out of its wrapper', async () => {
    await each(readHostile('statements.sql'), check)
    await isWell()
  }).timeout(120_000)

  it('read and change nothing of others where only the rules stand in their way', async () => {
    const all = ['others.sql', 'statements.sql'].flatMap(readHostile)
    assert.ok(all.length > 130)
    await each(all, async ({ sql }) => void (await asCaller(sql)))
    await isWell()
  }).timeout(180_000)

  it('that cost end within their budget, and others are answered', async () => {
    const bombs = readHostile('bombs.sql').filter(({ ending }) => isThorough || ending !== 'budget')
    await each(bombs, async statement => {
      const startedAt = performance.now()
      await check(statement)
      assert.ok(performance.now() - startedAt < 2 * BUDGET_MS + 10_000, statement.name)
    })
    await isWell()
  }).timeout(300_000)
})
