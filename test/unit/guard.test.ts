import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openGuard } from '#lib/duckdb/guard.js'
import { openSandbox } from '#lib/sandbox/sandbox.js'
import { CORRECTED } from '../sql/corrected.js'
import { GUARD, GuardProbe, WAIT_MS } from './guard-probe.js'

describe('guard', () => {
  const probe = new GuardProbe()
  before(() => probe.open())
  after(() => probe.close())

  describe('on a statement as sent', () => {
    it('refuses an empty one, NUL characters and lone surrogates', async () => {
      for (const [sql, message] of [
        ['', /empty/],
        [' \t\r\n', /empty/],
        ['SELECT 1\0', /NUL/],
        ["SELECT 'a\0b'", /NUL/],
        ["SELECT '\ud83c'", /surrogate/],
        ["SELECT '\udf33\ud83c'", /surrogate/],
      ] as const) {
        const found = await probe.refused(sql)
        assert.equal(found.rule, 'text')
        assert.match(found.message, message)
      }
      await probe.passed("SELECT '\ud83c\udf33'")
    })

    it('accepts 64 KiB of UTF-8 and not a byte more', async () => {
      const fill = (character: string, bytes: number) => {
        const room = bytes - Buffer.byteLength("SELECT ''")
        return `SELECT '${character.repeat(Math.floor(room / Buffer.byteLength(character)))}'`
      }
      await probe.passed(fill('x', 65_536))
      assert.match((await probe.refused(fill('x', 65_537))).message, /64 KiB/)
      await probe.passed(fill('é', 65_535))
      assert.equal((await probe.refused(fill('🌳', 65_540))).rule, 'text')
    })

    it('tells a lone surrogate from a replacement character', async () => {
      const broken = "SELECT 'x\ud800'"
      const whole = "SELECT 'x\ufffd'"
      await probe.passed(whole)
      assert.equal((await probe.refused(broken)).rule, 'text')
      await probe.passed(whole)
      assert.equal((await probe.refused("SELECT 'y\ud800'")).rule, 'text')
      await probe.passed("SELECT 'y\ufffd'")
    })

    it('gives the same answer when the statement is sent again', async () => {
      const first = await probe.refused('SELECT * FROM nowhere_known')
      assert.deepEqual(await probe.refused('SELECT * FROM nowhere_known'), first)
      assert.deepEqual(await probe.passed('FROM dash_ipbes;'), await probe.passed('FROM dash_ipbes;'))
    })

    it('cuts off only the semicolon that ends the statement', async () => {
      for (const [sql, statement] of [
        ['SELECT 1', 'SELECT 1'],
        ['SELECT 1;', 'SELECT 1'],
        ['SELECT 1 ;; -- a;b', 'SELECT 1'],
        ['SELECT 1 AS a\u00a0\u200b\n;\u200b\u3000', 'SELECT 1 AS a'],
        ['\ufeffFROM dash_ipbes\u00a0', '\ufeffFROM dash_ipbes'],
        ["SELECT ';' ; ", "SELECT ';'"],
        ['SELECT 1 AS ";"; ', 'SELECT 1 AS ";"'],
        ['SELECT 1 -- ;\n + 1;', 'SELECT 1 -- ;\n + 1'],
        ['SELECT /* ; /* ; */ ; */ 1;', 'SELECT /* ; /* ; */ ; */ 1'],
        ['SELECT $$;$$;', 'SELECT $$;$$'],
        ['SELECT $a$;$$;$a$;', 'SELECT $a$;$$;$a$'],
        ["SELECT E'\\';';", "SELECT E'\\';'"],
        ["SELECT e'it''s;';", "SELECT e'it''s;'"],
        ["SELECT 'a\\';", "SELECT 'a\\'"],
        ['SELECT "a"";""b" FROM (SELECT 1 AS "a"";""b");', 'SELECT "a"";""b" FROM (SELECT 1 AS "a"";""b")'],
        ["SELECT $é$;'$é$, 1;", "SELECT $é$;'$é$, 1"],
        ["SELECT x'41';", "SELECT x'41'"],
        ["SELECT 1,E'\\';';", "SELECT 1,E'\\';'"],
        ["SELECT a$$, ';' FROM (SELECT 1 AS a$$);", "SELECT a$$, ';' FROM (SELECT 1 AS a$$)"],
        ["SELECT\u00a0E'\\';';", "SELECT\u00a0E'\\';'"],
        ["SELECT N'a\\';", "SELECT N'a\\'"],
        ['SELECT - /* ; */-1;', 'SELECT - /* ; */-1'],
      ] as const)
        assert.equal((await probe.passed(sql)).sql, statement, sql)
    })

    it('refuses what would close the query that wraps it', async () => {
      for (const sql of [
        'SELECT 1) AS q; --',
        'SELECT 1) UNION ALL (SELECT 2',
        "SELECT 1) AS q WHERE 'a' IN ('a'",
        ') SELECT 1 (',
      ])
        assert.match((await probe.refused(sql)).rule, /syntax|one-select/)
    })

    it('counts lines from 1 and columns in characters, whatever precedes them', async () => {
      for (const [sql, line, column] of [
        ['SELECT nope(1)', 1, 8],
        ["SELECT 'é', nope(1)", 1, 13],
        ["SELECT '🌳🌳', nope(1)", 1, 14],
        ["SELECT '日本',\n  '🌳' AS a,\n  'é' || nope(1)", 3, 10],
        ['SELECT 1\r\nFROM nope', 2, 6],
        ['-- é\n/* 🌳\n */ SELECT * FROM nope', 3, 19],
        ["SELECT 'é'::nope", 1, 13],
        ["PIVOT (SELECT 'éé' AS x) ON (SELECT 1) IN ('a') USING count(*)", 1, 29],
        ["SELECT 'ééé' AS x FRM y z", 1, 19],
        ["SELECT '🌳' AS x,\n 'é' AS y ORDERBY z w", 2, 11],
        ["SELECT 'é', 'open", 1, 13],
        ['SELECT (1', 1, 10],
        ["SELECT 'é' WHERE", 1, 17],
      ] as const) {
        const found = await probe.refused(sql)
        assert.deepEqual([found.line, found.column], [line, column], `${sql}: ${found.message}`)
      }
    })
  })

  describe('on what a statement reads', () => {
    it('names the relations of the catalogue, each once and without common table expressions', async () => {
      for (const [sql, relations] of [
        ['SELECT 1', []],
        ['FROM FOLD_RISKS a, "fold_risks" b', ['fold_risks']],
        ['WITH fold_risks AS (SELECT 1) FROM fold_risks', []],
        ['WITH fold_risks AS (FROM fold_risks) FROM fold_risks', ['fold_risks']],
        ['WITH t AS (FROM risk_rows) SELECT 1', ['risk_rows']],
        ['SELECT (SELECT max(value) FROM dash_ipbes) FROM amounts', ['amounts', 'dash_ipbes']],
      ] as const)
        assert.deepEqual([...(await probe.passed(sql)).relations].sort(), relations, sql)
    })

    it('recognizes a statement whose rows differ from run to run', async () => {
      for (const [sql, volatile] of [
        ['SELECT value FROM dash_ipbes', false],
        ['SELECT random()', true],
        ['SELECT 1 FROM dash_ipbes ORDER BY random()', true],
        ['SELECT current_date', true],
        ['SELECT "localtime"', true],
        ['SELECT list_transform([1], lambda x: now())', true],
        ['SELECT age(assessed_on) FROM fold_risks', true],
        ['WITH t AS (SELECT uuid()) SELECT 1', true],
        ['SELECT * FROM dash_ipbes TABLESAMPLE 10%', true],
        ['SELECT * FROM dash_ipbes USING SAMPLE 3', true],
        ['SELECT * FROM dash_ipbes USING SAMPLE reservoir(3 ROWS) REPEATABLE (1)', false],
        ['SELECT d.current_date FROM (SELECT 1 AS "current_date") d', false],
        ["SELECT 'random()'", false],
        ["PIVOT dash_ipbes ON ipbes_pressure IN ('pollution') USING sum(value) GROUP BY current_timestamp", true],
      ] as const)
        assert.equal((await probe.passed(sql)).volatile, volatile, sql)
    })

    it('answers UNAVAILABLE while its process cannot start, and checks statements once it can', async () => {
      const folder = join(probe.folder, 'later')
      const told: unknown[] = []
      await writeFile(folder, 'a file where the folder belongs')
      const onDown = (cause: unknown) => told.push(cause)
      const sandbox = await openSandbox()
      const other = openGuard({ script: GUARD, relations: ['fold_risks'], folder, sandbox, waitMs: WAIT_MS, onDown })
      await assert.rejects(other.check('FROM fold_risks', probe.asker), { class: 'UNAVAILABLE' })
      assert.match(String(told), /process ended/)
      assert.equal(await other.answers(1), false)
      await rm(folder)
      assert.equal((await other.check('FROM fold_risks', probe.asker)).sql, 'FROM fold_risks')
      await other.close()
    })

    it('answers UNAVAILABLE once it is closed', async () => {
      const other = new GuardProbe()
      await other.open()
      await other.close()
      await assert.rejects(other.guard.check('SELECT 1', probe.asker), { class: 'UNAVAILABLE' })
    })
  })

  describe('for several organizations', () => {
    const asker = (organization: string, ownerId: string) => {
      const { signal } = new AbortController()
      return { organization, ownerId, signal }
    }

    it('keeps verdicts for the organization that asked, so that no other can tell what was sent', async () => {
      const other = new GuardProbe()
      await other.open()
      const first = await other.guard.check('SELECT 7 AS seven', asker('north', 'ada'))
      await other.close() // from here on, only what is kept can be answered
      assert.deepEqual(await other.guard.check('SELECT 7 AS seven', asker('north', 'eve')), first)
      await assert.rejects(other.guard.check('SELECT 7 AS seven', asker('south', 'ada')), { class: 'UNAVAILABLE' })
    })

    it('takes turns by organization, then by owner', async () => {
      const order: string[] = []
      const send = async (organization: string, ownerId: string, count: number) => {
        const each = Array.from({ length: count }, async (_, index) => {
          await probe.guard.check(`SELECT '${organization} ${ownerId} ${index}'`, asker(organization, ownerId))
          order.push(`${organization} ${ownerId}`)
        })
        await Promise.all(each)
      }
      await Promise.all([send('north', 'ada', 8), send('north', 'eve', 1), send('south', 'bob', 2)])
      assert.equal(order.length, 11)
      assert.ok(order.lastIndexOf('south bob') < 5, order.join(', '))
      assert.ok(order.indexOf('north eve') < 5, order.join(', '))
    })
  })

  describe('to an analyst', () => {
    it('suggests a correction, and accepts the corrected statement', async () => {
      const failures: string[] = []
      for (const { mistake, told, corrected } of CORRECTED) {
        const { message } = await probe.refused(mistake)
        if (!told.test(message)) failures.push(`${mistake}: ${message}`)
        const repaired = await probe.verdict(corrected)
        if ('rule' in repaired) failures.push(`${corrected}: ${repaired.message}`)
      }
      assert.deepEqual(failures, [])
    })

    it('suggests nothing far-fetched', async () => {
      for (const sql of [
        'SELECT foo(1)',
        'SELECT * FROM xyz',
        'SELECT 1::money',
        'SELECT * FROM "x.csv"',
        'SELECT getenv(1)',
      ])
        assert.doesNotMatch((await probe.refused(sql)).message, /Did you mean/, sql)
    })
  })
})
