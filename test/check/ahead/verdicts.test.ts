import assert from 'node:assert/strict'
import { DuckDBInstance } from '@duckdb/node-api'
import { openCheck, type Parse } from '#lib/duckdb/child/guard/check.js'
import { EXTRA_FUNCTIONS } from '#lib/guard/extras.js'
import type { Verdict } from '#lib/guard/verdict.js'
import { catalogue } from '../../service/catalogue.js'
import { readStatements } from '../../sql/statements.js'
import { NextParser } from './next-parser.js'
import { fieldsIn, onlyIn } from './shapes.js'

/** Statements that the next version reads in other ways: writes in WITH, names of four parts, backticks as quotes. */
const NEW_FORMS = [
  'WITH w AS (INSERT INTO fold_risks VALUES (1) RETURNING *) SELECT * FROM w',
  'WITH w AS (UPDATE fold_risks SET score = 1 RETURNING *) SELECT * FROM w',
  'WITH w AS (DELETE FROM fold_risks RETURNING *) SELECT * FROM w',
  "WITH w AS (COPY fold_risks TO 'x.csv') SELECT * FROM w",
  'WITH w AS (MERGE INTO fold_risks USING dash_ipbes ON true WHEN MATCHED THEN DELETE RETURNING *) SELECT * FROM w',
  'SELECT * FROM a.b.c.fold_risks',
  'SELECT * FROM a.b.fold_risks',
  'SELECT a.b.c.upper(1)',
  'SELECT 1 AS `a;b`',
  'SELECT 1 AS `a`; DROP TABLE fold_risks; --`',
  'SELECT `score` FROM `fold_risks`',
  'SELECT CAST(1 AS a.b.c.d)',
]

describe('the next version of the engine', function () {
  this.timeout(600_000)
  let instance: DuckDBInstance
  let next: NextParser | null
  let parse: Parse
  let now: (sql: string) => Promise<Verdict>
  let later: (sql: string) => Promise<Verdict>
  before(async function () {
    next = await NextParser.open()
    if (!next) {
      console.log('Left out: verdicts under the next version of DuckDB, which Python cannot get.')
      this.skip()
    }
    instance = await DuckDBInstance.create(':memory:', { threads: '1', storage_compatibility_version: 'latest' })
    const connection = await instance.connect()
    parse = async texts => {
      const found = await connection.runAndReadAll(
        'SELECT json_serialize_sql($1::VARCHAR), json_serialize_sql($2::VARCHAR)',
        texts,
      )
      const [tree, wrapped] = found.getRows()[0] ?? []
      return [String(tree), String(wrapped)]
    }
    const names = { relations: [...catalogue.relations.keys()], functions: EXTRA_FUNCTIONS }
    now = await openCheck(names, parse)
    later = await openCheck(names, next.parse)
  })
  after(async () => {
    await next?.close()
    instance?.closeSync()
  })

  it('accepts no statement that is refused today, and reads the same relations in each that both accept', async () => {
    const texts = [...readStatements('accepted'), ...readStatements('refused')].map(({ sql }) => sql)
    assert.ok(texts.length > 1_200)
    const opened: string[] = []
    const why = new Map<string, number>()
    const count = { accepted: 0, both: 0 }
    for (const sql of [...texts, ...NEW_FORMS]) {
      const [today, tomorrow] = [await now(sql), await later(sql)]
      if (today.ok) count.accepted += 1
      if (tomorrow.ok && !today.ok) opened.push(`${today.message}: ${sql.slice(0, 200)}`)
      else if (tomorrow.ok && today.ok) {
        count.both += 1
        assert.deepEqual([tomorrow.relations, tomorrow.length], [today.relations, today.length], sql)
      } else if (today.ok && !tomorrow.ok) {
        const reason = tomorrow.message.replace(/"[^"]*"/g, '"…"')
        why.set(reason, (why.get(reason) ?? 0) + 1)
      }
    }
    assert.deepEqual(opened, [])
    assert.ok(count.accepted > 300)
    const reasons = [...why].sort(([, a], [, b]) => b - a).map(([reason, times]) => `      ${times} × ${reason}`)
    const { version, settings } = (next as NextParser).about
    const told = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
    console.log(
      [
        `DuckDB ${version}: the guard accepts ${count.both} of ${count.accepted} statements. It refuses the others:`,
        ...reasons,
        `Settings of its parser, to be pinned alike in guard and engine: ${told.join(', ')}`,
      ].join('\n'),
    )
  })

  it('has fields in its trees that the guard does not know', async () => {
    const parser = next as NextParser
    assert.match(parser.about.version, /^2\./)
    const [today, tomorrow] = [new Set<string>(), new Set<string>()]
    for (const { sql } of readStatements('accepted')) {
      const trees = [await parse([sql, sql]), await parser.parse([sql, sql]).catch(() => null)]
      for (const [at, fields] of [today, tomorrow].entries())
        for (const field of trees[at] ? fieldsIn(trees[at][0]) : []) fields.add(field)
    }
    const [added, gone] = [onlyIn(tomorrow, today), onlyIn(today, tomorrow)]
    console.log(['New fields:', ...added, 'Fields that are gone:', ...gone].join('\n  '))
    assert.ok(tomorrow.has('CONSTANT.literal') && !tomorrow.has('CONSTANT.value'))
  })

  for (const sql of NEW_FORMS)
    it(`is refused ${sql}`, async () => {
      assert.equal((await later(sql)).ok, false)
    })
})
