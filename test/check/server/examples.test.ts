import assert from 'node:assert/strict'
import type { Row } from 'foldgate/client'
import catalogue from '#assessed/catalogue.js'
import { assessed, MADE_UP, REAL } from '../../server/data/assessed.js'

const PACKAGES = { 'made-up': MADE_UP, ...(REAL.length > 0 ? { real: REAL } : {}) }

describe('the worked examples of projects/describe', () => {
  const all = assessed()
  const runs = new Map<string, Promise<Map<string, Row[]>>>()

  /** The rows of every example in a project, by question. Each project is queried once. */
  function runExamples(key: string): Promise<Map<string, Row[]>> {
    const known = runs.get(key)
    if (known) return known
    const run = async () => {
      const project = all.current.project(key)
      const { examples } = await all.current.describe(project)
      assert.deepEqual(examples, catalogue.examples)
      const answers = examples.map(async ({ question, sql }) => {
        const rows = await all.current.rows(project, sql).catch(cause => assert.fail(`${question} ${cause}`))
        return [question, rows] as const
      })
      return new Map(await Promise.all(answers))
    }
    const started = run()
    runs.set(key, started)
    return started
  }

  it('are at least eight, with distinct questions', () => {
    const questions = catalogue.examples.map(({ question }) => question)
    assert.ok(questions.length >= 8)
    assert.equal(new Set(questions).size, questions.length)
    for (const question of questions) assert.match(question, /^[A-Z].*\?$/)
  })

  for (const key of [...MADE_UP, ...REAL])
    it(`run on ${key}, and every row has a value`, async () => {
      for (const [question, rows] of await runExamples(key))
        for (const row of rows) {
          const told = `${question} ${JSON.stringify(row)}`
          assert.ok(Object.values(row).some(cell => cell !== null) && !/"(NaN|-?Infinity)"/.test(told), told)
        }
    })

  for (const [name, keys] of Object.entries(PACKAGES))
    for (const { question } of catalogue.examples)
      it(`find rows in the ${name} projects: ${question}`, async () => {
        const found = await Promise.all(keys.map(async key => (await runExamples(key)).get(question)?.length ?? 0))
        assert.ok(Math.max(...found) > 0, 'no row in any of the projects')
      })

  for (const key of MADE_UP)
    it(`name no entity and no site outside of the point of view, in ${key}`, async () => {
      const project = all.current.project(key)
      const entities = await all.current.rows(
        project,
        'SELECT entity_id, any_value(entity_key) AS entity_key FROM entities GROUP BY entity_id ORDER BY entity_key LIMIT 4',
      )
      for (const { entity_id: entityId } of entities) {
        const ask = (sql: string) => all.current.rows(project, sql, { entityId: String(entityId) })
        const inView = new Set((await ask('SELECT entity_key FROM point_of_view')).map(row => row.entity_key))
        const sites = await ask('SELECT site_key FROM sites JOIN point_of_view USING (entity_key)')
        const sitesInView = new Set(sites.map(row => row.site_key))
        for (const { question, sql } of catalogue.examples) {
          for (const row of await ask(sql)) {
            // NULL in an exclusion of the whole project.
            if (row.entity_key != null) assert.ok(inView.has(row.entity_key), `${question} ${JSON.stringify(row)}`)
            if ('site_key' in row) assert.ok(sitesInView.has(row.site_key), `${question} ${JSON.stringify(row)}`)
          }
        }
        const without = catalogue.examples.find(({ question }) => question.includes('no dependency data'))?.sql ?? ''
        const expected = await ask(`SELECT DISTINCT entity_key FROM point_of_view
          WHERE entity_key IN (SELECT entity_key FROM sites JOIN activities USING (site_key))
            AND entity_key NOT IN (SELECT entity_key FROM dependency_rows) ORDER BY entity_key`)
        assert.deepEqual(await ask(without), expected)
      }
    })
})
