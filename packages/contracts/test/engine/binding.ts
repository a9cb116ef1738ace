import { rm } from 'node:fs/promises'
import type { EngineFailure, Statement } from 'foldgate/engine'
import type { BoundResult } from 'foldgate/internal'
import { readParameters } from 'foldgate/internal'
import { must, mustBe, shown } from '#contracts/contract.js'
import { CATALOGUE, MILL, READINGS } from './assessment.js'
import { type Bench, linesOf, type Run, type SqlOrStatement } from './bench.js'
import { FAILING, SLOW } from './running.js'
import { mustEnd } from './statements.js'

const FOLD = 'SELECT tonnes FROM fold_tonnes'
/** Time for binding what would run for minutes, or fail on its rows. */
const BINDS_WITHIN_MS = 20_000

const NAMED: [sql: string, ...names: string[]][] = [
  ['SELECT 1 AS "MixedCase", 2 AS a, 3 AS a -- named', 'MixedCase', 'a', 'a_1'],
  ['WITH mine AS (SELECT n FROM readings) SELECT max(n) AS n FROM mine ORDER BY 1', 'n'],
  [SLOW, 'total'],
  [FAILING, 'number'],
]

export const BINDING = {
  async 'tells the columns of a statement without running it'(bench: Bench) {
    for (const [sql, ...names] of NAMED) {
      const { columns } = await bound(bench, sql, { timeoutMs: BINDS_WITHIN_MS })
      mustBe(
        `columns of ${shown(sql)}`,
        columns.map(({ name }) => name),
        names,
      )
    }
    const relations = ['fold_tonnes', 'samples', 'remarks']
    const described = await bench.answered(
      'columns()',
      bench.engine.columns(bench.point, relations, bench.prepared({})[1]),
    )
    for (const [at, relation] of relations.entries()) {
      const sql = `SELECT * FROM ${relation}`
      mustBe(`columns of ${shown(sql)}`, (await bound(bench, sql)).columns, described[at])
    }
  },

  async 'tells which relations of a statement are built, and builds none'(bench: Bench) {
    const names = CATALOGUE.summaries.map(({ name }) => name)
    const built = async (run: Run = {}) => {
      const { relations } = await bound(bench, FOLD, run)
      const strange = relations.filter(({ name }) => !names.includes(name))
      must(strange.length === 0, `bind() named ${shown(strange)}`, 'name relations of the catalogue alone')
      return relations.find(({ name }) => name === 'fold_tonnes')?.built
    }
    const first = await built()
    const did = `built of a relation that a statement reads, when it is bound`
    must(typeof first === 'boolean', `${did}, was ${shown(first)}`, 'be true or false')
    mustBe(`${did} again,`, await built(), first)
    await bench.rows(FOLD)
    mustBe(`built of a relation that has been read`, await built(), true)
    mustBe(`${did} for another subtree,`, await built({ entityId: MILL }), first)
  },

  async 'fails to bind a statement as it would fail to run'(bench: Bench) {
    for (const sql of ["SELECT 'é雪😀' AS a,\n  stranger FROM readings", 'SELECT n\n FROM readings, stranger']) {
      const checked = await bench.check(sql).catch(() => null)
      if (!checked) continue // refused before
      const failed = async (verb: string, call: Promise<unknown>) => {
        const { kind, message, offset } = await bench.failure(`${verb} of ${shown(sql)}`, call, 'query')
        return { kind, message, offset } satisfies Partial<EngineFailure>
      }
      const run = await failed('rows()', bench.page(checked))
      mustBe(`bind() of ${shown(sql)}`, await failed('bind()', bench.bind(checked)), run)
    }
  },

  async 'runs a statement with the values of its parameters, or refuses it'(bench: Bench) {
    const sql = 'SELECT n, $Word AS word FROM readings WHERE n >= $least ORDER BY n'
    if (!bench.engine.takesParameters) {
      for (const refused of [sql, 'SELECT ? AS n']) await mustEnd(bench, refused)
      return
    }
    const checked = await bench.accepted(sql)
    const names = (checked.parameters ?? []).map(name => name.toLowerCase()).sort()
    mustBe(`parameters of ${shown(sql)}`, names, ['least', 'word'])
    for (const [least, word] of [
      [READINGS - 2, "it's; -- $least"],
      [READINGS - 3, '雪'],
    ] as const) {
      const statement = withValues(checked, { least, word })
      const rows = Array.from({ length: READINGS - least }, (_, at) => ({ n: least + at, word }))
      const when = ` of ${shown(sql)} with the values ${shown({ least, word })}`
      mustBe(`rows()${when}`, await bench.rows(statement), rows)
      for (const [verb, start] of [
        [`write()${when}`, () => bench.write(statement)],
        [`export()${when}`, () => bench.export(statement, 'ndjson')],
      ] as const) {
        const { path } = await bench.answered(verb, start())
        mustBe(verb, await linesOf(verb, path), rows)
        await rm(path)
      }
    }
    const day = await bound(bench, 'SELECT day FROM samples')
    const sent = { day: { type: 'DATE', value: '2026-11-20' } }
    const typed = withValues(await bench.accepted('SELECT $day AS day'), sent)
    mustBe('columns of a value of type DATE', (await bound(bench, typed)).columns, day.columns)
  },
}

/** What a statement would return. Fails unless each column has a type. */
async function bound(bench: Bench, sql: SqlOrStatement, run: Run = {}): Promise<BoundResult> {
  const verb = `bind() of ${shown(typeof sql === 'string' ? sql : sql.sql)}`
  const result = await bench.answered(verb, bench.bind(sql, run))
  const untyped = result.columns.filter(({ type }) => typeof type !== 'string' || type === '')
  must(untyped.length === 0, `${verb} gave ${shown(untyped)}`, 'give each column its type in SQL')
  return result
}

function withValues(checked: Statement, sent: Record<string, unknown>): Statement {
  return { ...checked, values: readParameters(sent) }
}
