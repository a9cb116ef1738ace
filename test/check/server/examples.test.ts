import assert from 'node:assert/strict'
import type { Row } from 'foldgate'
import { catalogue } from '#server/catalogue/index.js'
import { assessed, MADE_UP, REAL } from '../../server/data/assessed.js'

const PACKAGES = { 'made-up': MADE_UP, ...(REAL.length > 0 ? { real: REAL } : {}) }

describe('the worked examples of projects/describe', () => {
  const all = assessed()
  const runs = new Map<string, Promise<Map<string, Row[]>>>()

  /** The rows that every example finds in a project, by its question; each project is asked once. */
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

  it('are eight at least, each a question of its own', () => {
    const questions = catalogue.examples.map(({ question }) => question)
    assert.ok(questions.length >= 8)
    assert.equal(new Set(questions).size, questions.length)
    for (const question of questions) assert.match(question, /^[A-Z].*\?$/)
  })

  for (const key of [...MADE_UP, ...REAL])
    it(`run on ${key} and tell something in every row`, async () => {
      for (const [question, rows] of await runExamples(key))
        for (const row of rows) {
          const told = `${question} ${JSON.stringify(row)}`
          assert.ok(Object.values(row).some(cell => cell !== null) && !/"(NaN|-?Infinity)"/.test(told), told)
        }
    })

  for (const [name, keys] of Object.entries(PACKAGES))
    for (const { question } of catalogue.examples)
      it(`find something in the ${name} projects: ${question}`, async () => {
        const found = await Promise.all(keys.map(async key => (await runExamples(key)).get(question)?.length ?? 0))
        assert.ok(Math.max(...found) > 0, 'no row in any of the projects')
      })
})
