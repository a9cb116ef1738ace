import assert from 'node:assert/strict'
import { complete, type Vocabulary } from '#explore/script/complete.js'

const COLUMNS: Record<string, { name: string; type: string; about: string | null }[]> = {
  sites: [
    { name: 'site_key', type: 'VARCHAR', about: 'Key of the site.' },
    { name: 'Area', type: 'DOUBLE', about: null },
  ],
  entities: [
    { name: 'entity_key', type: 'VARCHAR', about: null },
    { name: 'order', type: 'INTEGER', about: null },
  ],
}
const WORDS: Vocabulary = {
  relations: [
    { name: 'sites', kind: 'table', notes: [] },
    { name: 'entities', kind: 'table', notes: [] },
    { name: 'fold_risks', kind: 'fold', about: 'A row is a risk.', notes: ['A risk may repeat.'] },
  ],
  columnsOf: async relation => COLUMNS[relation] ?? Promise.reject(new Error('unavailable')),
}

/** What is offered at the `|` of a statement, keywords and types left out. */
async function offered(written: string, isAsked = false) {
  const at = written.indexOf('|')
  const caret = { sql: written.replace('|', ''), at, isAsked }
  const result = await complete(caret, WORDS, ['count', 'sum'])
  const options = result?.options.filter(({ type }) => type !== 'keyword' && type !== 'type') ?? []
  return { result, options, labels: options.map(({ label }) => label) }
}

describe('completion', () => {
  const CASES: [string, string[]][] = [
    ['SELECT * FROM s|', ['sites', 'entities', 'fold_risks']],
    ['SELECT * FROM sites JOIN e|', ['sites', 'entities', 'fold_risks']],
    ['SELECT * FROM sites, e|', ['sites', 'entities', 'fold_risks']],
    ['WITH mine AS (SELECT 1) SELECT * FROM m|', ['mine', 'sites', 'entities', 'fold_risks']],
    ['SELECT s| FROM sites', ['site_key', 'Area', 'count', 'sum']],
    ['SELECT x FROM sites AS a JOIN entities e ON a.|', ['site_key', 'Area']],
    ['SELECT e.o| FROM sites AS a JOIN entities e ON true', ['entity_key', 'order']],
    ['SELECT sites.| FROM sites', ['site_key', 'Area']],
    ['SELECT a| FROM sites AS a', ['site_key', 'Area', 'a', 'count', 'sum']],
    ['SELECT b.| FROM sites AS a', []],
    ['WITH sites AS (SELECT 1) SELECT s| FROM sites', ['count', 'sum']],
    ['SELECT f| FROM fold_risks', ['count', 'sum']],
    ["SELECT 's|' FROM sites", []],
    ['SELECT 1 -- s|', []],
    ['SELECT 12|', []],
    ['SELECT | FROM sites', []],
  ]
  for (const [sql, expected] of CASES)
    it(`offers ${expected.join(', ') || 'nothing'} at ${sql}`, async () => {
      assert.deepEqual((await offered(sql)).labels, expected)
    })

  it('offers everything without the beginning of a word when it is asked for', async () => {
    assert.deepEqual((await offered('SELECT | FROM sites', true)).labels, ['site_key', 'Area', 'count', 'sum'])
    assert.deepEqual((await offered('SELECT * FROM |', true)).labels, ['sites', 'entities', 'fold_risks'])
  })

  it('tells types, kinds and meanings, and quotes what has to be quoted', async () => {
    const { options } = await offered('SELECT a.| FROM sites a')
    assert.deepEqual(options, [
      { label: 'site_key', type: 'property', detail: 'VARCHAR', info: 'Key of the site.', boost: 60 },
      { label: 'Area', type: 'property', detail: 'DOUBLE', apply: '"Area"', boost: 60 },
    ])
    const [, , fold] = (await offered('FROM f|')).options
    assert.deepEqual(fold, {
      label: 'fold_risks',
      type: 'class',
      detail: 'computed',
      info: 'A row is a risk. A risk may repeat.',
      boost: 20,
    })
  })

  it('adds parentheses to a function unless they are there', async () => {
    const applied = async (sql: string) => typeof (await offered(sql)).options[0]?.apply
    assert.equal(await applied('SELECT c|'), 'function')
    assert.equal(await applied('SELECT c|(1)'), 'undefined')
  })

  it('offers keywords and types last', async () => {
    const { result } = await offered('SELECT q|')
    const kinds = result?.options.map(({ type, boost = 0 }) => [type, boost] as const) ?? []
    assert.ok(kinds.every(([type, boost]) => (type === 'keyword' || type === 'type') === boost < 0))
    assert.ok(result?.options.some(({ label }) => label === 'QUALIFY'))
  })
})
