import assert from 'node:assert/strict'
import { catalogue } from '#server/catalogue/index.js'
import { assessed } from '../../server/data/assessed.js'

describe('the descriptions of the reference catalogue', () => {
  const all = assessed()
  const relations = catalogue.summaries.flatMap(({ name }) => catalogue.relations.get(name) ?? [])

  for (const { name, about, columns, meanings } of relations)
    it(`say what a row of ${name} and each of its columns is`, () => {
      assert.match(about ?? '', /^[A-Z].*\.$/)
      for (const column of Object.keys(columns ?? {}))
        assert.match(meanings[column]?.about ?? '', /^\S.*[^.]$/, `${name}.${column}`)
    })

  for (const { name, columns } of relations)
    it(`have the names, order and types of the columns of ${name}`, async () => {
      const described = await all.current.describe(all.current.project('tiny'), name)
      assert.deepEqual(
        described.columns,
        Object.entries(columns ?? {}).map(([column, type]) => ({ name: column, type })),
      )
    })

  it('leave tables without about in projects/describe', async () => {
    const { relations: summaries } = await all.current.describe(all.current.project('tiny'))
    for (const summary of summaries) assert.equal('about' in summary, summary.kind === 'fold', summary.name)
  })

  it('name only relations and columns that are there', () => {
    const known = new Set(relations.flatMap(({ name, columns }) => [name, ...Object.keys(columns ?? {})]))
    const words = relations.flatMap(({ name, about, meanings }) =>
      [about, ...Object.values(meanings).map(meaning => meaning.about)].flatMap(text =>
        (text?.match(/\b[a-z0-9]+(?:_[a-z0-9]+)+\b/g) ?? []).map(word => [name, word] as const),
      ),
    )
    assert.ok(words.length > 30)
    const others = new Set(['point_of_view', 'water_consumption', 'nature_condition', 'per_site'])
    for (const [name, word] of words) assert.ok(known.has(word) || others.has(word), `${name}: ${word}`)
  })
})
