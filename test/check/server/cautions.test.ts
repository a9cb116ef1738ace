import assert from 'node:assert/strict'
import type { Row } from 'foldgate/client'
import catalogue from '#assessed/catalogue.js'
import { cautions } from '#assessed/examples/cautions.js'
import { assessed, MADE_UP, REAL } from '../../server/data/assessed.js'
import { ANSWERS } from '../../server/data/cautions.js'
import { alike } from '../../server/data/differences.js'
import { pointOf } from '../../server/data/reading.js'
import { workOut } from '../../server/data/worked.js'

const PROJECTS = ['tiny', ...MADE_UP, ...REAL.filter(key => key !== 'world')]

describe('the worked examples for what is easily misread', () => {
  const all = assessed()

  it('come after the others, and each has an answer that is computed from the CSV files', () => {
    assert.deepEqual(catalogue.examples.slice(-cautions.length), cautions)
    assert.deepEqual(
      Object.keys(ANSWERS),
      cautions.map(({ question }) => question),
    )
  })

  for (const key of PROJECTS)
    it(`are answered right in ${key}, net and gross, from the root and from below`, async () => {
      const worked = workOut(all.current.project(key))
      const { root, held } = worked.ownership
      const below = held.get(root)?.[0]?.entity ?? root
      for (const from of [
        { entity: root, view: 'net' },
        { entity: below, view: 'net' },
        { entity: below, view: 'gross' },
      ] as const)
        for (const { question, sql } of cautions) {
          const rows = await all.current.rows(worked.project, sql, pointOf(worked, from))
          assertRows(rows, ANSWERS[question]?.(worked, from) ?? [], `${question} (from ${from.entity}, ${from.view})`)
        }
    })

  it('differ from what a first guess finds', async () => {
    const project = all.current.project(MADE_UP[0] as string)
    const ask = async (sql: string) => Object.values((await all.current.rows(project, sql))[0] ?? {})[0] as number
    const total = await ask(`SELECT sum(net_t_co2e) FROM (${cautions[0]?.sql})`)
    const guessed = await ask("SELECT sum(net) FROM fold_pressures WHERE pressure_indicator = 'co2e'")
    assert.ok(guessed > 0 && total > 1.1 * guessed, `${guessed} of ${total}`)
    const levels = await all.current.rows(project, 'SELECT DISTINCT level FROM risk_rows ORDER BY level DESC')
    const right = await all.current.rows(project, cautions[5]?.sql ?? '')
    assert.notDeepEqual(
      levels.map(({ level }) => level),
      right.map(({ level }) => level),
    )
  })
})

function assertRows(rows: readonly Row[], expected: readonly object[], question: string): void {
  assert.equal(rows.length, expected.length, question)
  for (const [at, row] of expected.entries()) {
    assert.deepEqual(Object.keys(rows[at] ?? {}), Object.keys(row), question)
    for (const [column, value] of Object.entries(row))
      assert.ok(alike(rows[at]?.[column], value), `${question}\nrow ${at}: ${JSON.stringify([rows[at], row])}`)
  }
}
