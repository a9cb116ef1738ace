import { MAX_SQL_BYTES } from 'foldgate/internal'
import { must, mustBe, shown, wanted } from '#contracts/contract.js'
import { CATALOGUE } from './assessment.js'
import { type Bench, GRACE_MS } from './bench.js'

const listOf = (text: string) => text.split('|').map(sql => sql.trim())

/** What is no SELECT, or more than one. */
const REFUSED = [
  '',
  ' \n',
  ...listOf('-- a comment | /* a comment */ | ; | SELEC 1 | ) SELECT 1 ('),
  ...listOf('SELECT 1; SELECT 2 | SELECT 1;;SELECT 2 | SELECT 1; DROP TABLE emissions'),
  ...listOf("INSERT INTO emissions VALUES ('root', 1) | UPDATE emissions SET tonnes = 0 | DELETE FROM emissions"),
  ...listOf('TRUNCATE TABLE emissions | CREATE TABLE made (a INTEGER) | CREATE TABLE made AS SELECT 1 AS a'),
  ...listOf('CREATE VIEW made AS SELECT 1 AS a | CREATE SCHEMA made | ALTER TABLE emissions RENAME TO made'),
  ...listOf('DROP TABLE emissions | DROP VIEW fold_tonnes | EXPLAIN SELECT 1 | EXPLAIN ANALYZE SELECT 1'),
  ...listOf('SHOW TABLES | DESCRIBE emissions | SET a = 1 | RESET a | SET SESSION a = 1 | USE other | CALL p()'),
  ...listOf("PREPARE p AS SELECT 1 | PREPARE p FROM SELECT 1 | EXECUTE p | EXECUTE IMMEDIATE 'SELECT 1'"),
  ...listOf("GRANT SELECT ON emissions TO ada | START TRANSACTION | COMMIT | COPY emissions TO 'copy.csv'"),
  "ATTACH 'other.db'",
  `SELECT 1 AS a -- ${'x'.repeat(MAX_SQL_BYTES)}`,
]

/** What is no statement, which some engines find only when they run it. */
const UNREADABLE = [
  ...listOf("SELECT | SELECT (1 | SELECT 'open | SELECT 1 AS a INTO made | SELECT 1 2 3"),
  ...listOf('SELECT 1) AS q, (SELECT 2 AS z | SELECT 1) UNION (SELECT 2'),
  "WITH x AS (SELECT 1) INSERT INTO emissions SELECT 'root', 1 FROM x",
]

/** Statements over what callers must not read; `fold_by_entity` is internal. */
const STRANGE = [
  ...listOf('SELECT * FROM stranger | SELECT * FROM fold_by_entity | SELECT * FROM other.emissions'),
  ...listOf('SELECT * FROM information_schema.tables | SELECT (SELECT count(*) FROM stranger) AS n'),
  'SELECT 1 AS a UNION ALL SELECT 2 FROM stranger',
  'WITH mine AS (SELECT 1 AS a FROM stranger) SELECT a FROM mine',
]

const READS: [sql: string, ...relations: string[]][] = [
  ['SELECT 1 AS a'],
  ['SELECT tonnes FROM fold_tonnes', 'fold_tonnes'],
  ['select TONNES from EMISSIONS', 'emissions'],
  ['SELECT tonnes FROM "emissions"', 'emissions'],
  ['SELECT e.tonnes FROM emissions AS e JOIN entities n ON n.entity_key = e.entity_key', 'emissions', 'entities'],
  ['WITH mine AS (SELECT n FROM readings) SELECT max(n) AS n FROM mine', 'readings'],
  ['SELECT (SELECT max(n) FROM readings) AS n, tonnes FROM fold_tonnes', 'fold_tonnes', 'readings'],
  ['SELECT n FROM readings UNION SELECT id FROM samples', 'readings', 'samples'],
  ['SELECT n FROM readings WHERE n IN (SELECT id FROM samples)', 'readings', 'samples'],
]

export const STATEMENTS = {
  async 'has worked queries that it runs, a version and a dialect'(bench: Bench) {
    const { version, dialect, examples } = bench.engine
    for (const [name, text] of Object.entries({ version, dialect }))
      must(typeof text === 'string' && text !== '', `${name} was ${shown(text)}`, 'name the engine and its SQL')
    must(examples.length > 0, 'there were no examples', 'be some, in the dialect of the engine')
    for (const { sql } of examples) await bench.rows(sql)
  },

  async 'accepts one SELECT, and names the relations that it reads'(bench: Bench) {
    const names = CATALOGUE.summaries.map(({ name }) => name)
    for (const [sql, ...reads] of READS) {
      const { relations } = await bench.accepted(sql)
      const did = `check() of ${shown(sql)} named ${relations.length > 0 ? relations : '[]'}`
      const strange = relations.filter(name => !names.includes(name))
      must(strange.length === 0, did, 'name relations of the catalogue alone')
      const missing = reads.filter(name => !relations.includes(name))
      must(missing.length === 0, did, `also name ${missing}`)
      await bench.rows(sql)
    }
    for (const sql of ['SELECT 1 AS a;', 'SELECT 1 AS a ; -- done', '/* first */ SELECT 1 AS a -- last'])
      await bench.mustGive(sql, [{ a: 1 }])
  },

  async 'recognizes rows that may differ from run to run'(bench: Bench) {
    for (const sql of ['SELECT random() AS r', 'SELECT n FROM readings ORDER BY random()'])
      mustBe(`volatile of ${shown(sql)}`, (await bench.accepted(sql)).volatile, true)
  },

  async 'refuses what is not one SELECT'(bench: Bench) {
    for (const sql of REFUSED) await bench.mustRefuse(sql)
    for (const sql of UNREADABLE) await mustEnd(bench, sql)
    await bench.mustGive('SELECT tonnes FROM fold_tonnes', [{ tonnes: 56 }], {}, ' after others were refused')
  },

  async 'lets a statement read nothing but the relations of the catalogue'(bench: Bench) {
    for (const sql of STRANGE) await mustEnd(bench, sql)
  },

  async 'lets a statement of a limited key read nothing but the relations of the key'(bench: Bench) {
    const limits = { readable: ['readings', 'fold_tonnes'] }
    await bench.mustGive('SELECT tonnes FROM fold_tonnes', [{ tonnes: 56 }])
    const refusals: string[] = []
    for (const name of ['emissions', 'stranger'])
      refusals.push((await refusalOf(bench, `SELECT * FROM ${name}`, limits)).replaceAll(name, 'it'))
    const [hidden, unknown] = refusals
    must(hidden === unknown, `a relation beyond the key was answered ${shown(hidden)}`, `be answered ${shown(unknown)}`)
    await refusalOf(bench, 'SELECT n FROM readings WHERE n IN (SELECT tonnes FROM emissions)', limits)
    const checked = await bench.check('SELECT count(*) AS n FROM fold_tonnes', wanted(), limits)
    mustBe('rows() of what the key may read', (await bench.page(checked)).rows, 1)
    await bench.mustGive(
      'SELECT count(*) > 0 AS some FROM emissions',
      [{ some: true }],
      {},
      ' for a key without limits',
    )
  },

  async 'says where a statement names a column that does not exist'(bench: Bench) {
    for (const sql of ['SELECT stranger FROM readings', "SELECT 'é雪😀' AS a,\n  stranger FROM readings"]) {
      const offset = await mustEnd(bench, sql)
      if (offset === undefined) continue // an engine need not say where
      const place = Buffer.from(sql).subarray(offset).toString()
      const did = `rows() of ${shown(sql)} failed at byte ${offset}, ${shown(place)}`
      must(place.startsWith('stranger'), did, 'fail at the byte where the name begins, or say no place')
    }
  },

  async 'checks no statement for a caller who has left'(bench: Bench) {
    const since = performance.now()
    const checking = bench.check('SELECT 1 AS a', AbortSignal.abort()).catch(() => {})
    await bench.answered('check() for a caller who has left', checking)
    const ms = Math.round(performance.now() - since)
    must(ms < GRACE_MS, `check() for a caller who has left took ${ms} ms`, 'end at once')
    await bench.mustGive('SELECT 1 AS a', [{ a: 1 }])
  },
}

/** The message with which a statement is refused, or with which it fails when it runs. */
async function refusalOf(bench: Bench, sql: string, limits: { readable: string[] }): Promise<string> {
  const checked = await bench.check(sql, wanted(), limits).catch(cause => cause as Error)
  if (checked instanceof Error) return checked.message
  const running = bench.engine.rows(bench.point, checked, { offset: 0, limit: 10 }, bench.prepared({})[1])
  return (await bench.failure(`rows() of ${shown(sql)} with the key's relations`, running, 'query')).message
}

/**
 * Fails unless a statement is refused, or fails as it is written. Returns the byte where it fails, if the
 * engine says which.
 */
export async function mustEnd(bench: Bench, sql: string): Promise<number | undefined> {
  const checked = await bench.check(sql).catch(() => null)
  if (!checked) {
    await bench.mustRefuse(sql)
    return undefined
  }
  const running = bench.engine.rows(bench.point, checked, { offset: 0, limit: 10 }, bench.prepared({})[1])
  const failed = await bench.failure(`rows() of ${shown(sql)}`, running, 'query')
  must(failed.message !== '', `rows() of ${shown(sql)} failed without a message`, 'say what is wrong')
  return failed.offset
}
