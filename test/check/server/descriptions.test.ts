import assert from 'node:assert/strict'
import catalogue from '#assessed/catalogue.js'
import { assessed, MADE_UP, REAL } from '../../server/data/assessed.js'

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

  for (const key of ['tiny', ...MADE_UP, ...REAL])
    it(`are true of ${key}: rows are as unique, and values as listed or found elsewhere, as they say`, async () => {
      const project = all.current.project(key)
      for (const { name, unique, references, values } of relations) {
        const wrong = [
          ...(unique.length > 0 ? [`SELECT 1 FROM ${name} GROUP BY ${unique.join(', ')} HAVING count(*) > 1`] : []),
          ...Object.entries(references).map(([column, target]) => {
            const [relation, there] = target.split('.')
            return `SELECT 1 FROM ${name} WHERE ${column} IS NOT NULL AND ${column} NOT IN (
              SELECT ${there} FROM ${relation} WHERE ${there} IS NOT NULL)`
          }),
          ...Object.entries(values).map(
            ([column, list]) =>
              `SELECT 1 FROM ${name} WHERE ${column} NOT IN (${list.map(value => `'${value}'`).join(', ')})`,
          ),
        ]
        if (wrong.length === 0) continue
        const counts = wrong.map((sql, at) => `(SELECT count(*) FROM (${sql}))::INTEGER AS wrong_${at}`)
        const [found] = await all.current.rows(project, `SELECT ${counts.join(', ')}`)
        assert.deepEqual(
          Object.values(found ?? {}),
          wrong.map(() => 0),
          `${name}\n${wrong.join('\n')}`,
        )
      }
    })

  it('tell the key of every fold', () => {
    for (const relation of relations) if (relation.kind === 'fold') assert.ok(relation.unique.length > 0, relation.name)
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
