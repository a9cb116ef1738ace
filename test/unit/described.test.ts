import assert from 'node:assert/strict'
import { defineCatalogue, defineFold, defineTable, measureOf } from 'foldgate'
import { describedCatalogue, describedRelation } from '#lib/catalogue/described.js'

const HIERARCHY = { table: 'entities', key: 'key', parent: 'parent', id: 'id', share: 'share' }
const entities = defineTable({
  name: 'entities',
  columns: { key: 'VARCHAR', parent: 'VARCHAR', id: 'UUID', share: 'DOUBLE' },
})
const sites = { name: 'sites', columns: { site: 'VARCHAR', entity: 'VARCHAR' } }
const fold = { name: 'fold', about: 'One row a site.', reads: ['entities'], sql: 'SELECT key FROM entities' }

describe('what a catalogue says', () => {
  const owners = defineTable({ ...entities, about: 'One holder of an entity.', unique: ['key', 'parent'] })
  const told = (relations: Parameters<typeof defineCatalogue>[0]['relations'], more = {}) =>
    describedCatalogue(defineCatalogue({ hierarchy: HIERARCHY, relations, ...more }), [])

  it('is the same for tables and folds: meaning, unit, values, references and key', () => {
    const area = { type: 'DOUBLE', about: 'Area within the fence', unit: 'ha' }
    const more = {
      unique: ['site'],
      references: { entity: 'entities.key' },
      values: { state: ['open', 'shut'] },
    }
    const columns = { site: 'VARCHAR', entity: 'VARCHAR', area, state: 'VARCHAR' }
    const described = told([
      owners,
      defineTable({ name: 'sites', about: 'One site.', columns, ...more }),
      defineFold({ name: 'open_sites', about: 'One site.', columns, ...more, reads: ['sites'], sql: 'FROM sites' }),
      defineFold({ ...fold, name: 'hidden', reads: [], internal: true }),
    ])
    const [openSites, entitiesTold, sitesTold] = described.relations
    assert.deepEqual(
      described.relations.map(({ name }) => name),
      ['open_sites', 'entities', 'sites'],
    )
    assert.deepEqual(openSites, {
      name: 'open_sites',
      kind: 'fold',
      about: 'One site.',
      columns: [
        { name: 'site', type: 'VARCHAR' },
        { name: 'entity', type: 'VARCHAR', references: 'entities.key' },
        { name: 'area', ...area },
        { name: 'state', type: 'VARCHAR', values: ['open', 'shut'] },
      ],
      unique: ['site'],
    })
    assert.deepEqual(sitesTold, { ...openSites, name: 'sites', kind: 'table' })
    assert.equal(entitiesTold?.about, 'One holder of an entity.')
  })

  it('has the columns of units, over what values are summed, and the order of values', () => {
    const columns = {
      paid: { type: 'DOUBLE', unit: { column: 'currency' }, additive: { over: ['site'] } },
      share: { type: 'DOUBLE', additive: false },
      level: { type: 'VARCHAR', order: ['low', 'high'] },
      ...{ site: 'VARCHAR', currency: 'VARCHAR' },
    } as const
    const { columns: described = [] } = told([owners, defineTable({ name: 'sites', columns })]).relations[1] ?? {}
    assert.deepEqual(described.slice(0, 3), [
      { name: 'paid', type: 'DOUBLE', unitColumn: 'currency', additiveOver: ['site'] },
      { name: 'share', type: 'DOUBLE', additiveOver: [] },
      { name: 'level', type: 'VARCHAR', order: ['low', 'high'] },
    ])
  })

  it('has the measures of a relation, with their SQL, which others write by measureOf', () => {
    const sites = defineTable({
      name: 'sites',
      measures: {
        total: { sql: 'sum(area)', about: 'All of it', unit: 'ha' },
        most: { sql: 'max(area)', about: 'Most' },
      },
    })
    assert.deepEqual(told([owners, sites]).relations[1]?.measures, [
      { name: 'total', sql: 'sum(area)', about: 'All of it', unit: 'ha' },
      { name: 'most', sql: 'max(area)', about: 'Most' },
    ])
    assert.equal(told([owners]).relations[0]?.measures, undefined)
    assert.equal(measureOf(sites, 'total'), '(sum(area))')
    assert.throws(() => measureOf(sites, 'least'), {
      name: 'TypeError',
      message: 'relation "sites" has no measure "least"; it has: total, most',
    })
    assert.throws(() => measureOf(owners, 'toString'), /has no measure "toString"; it has: none$/)
  })

  it('warns of columns that look like a key and repeat', () => {
    const notesOf = (relations: Parameters<typeof told>[0], name: string) =>
      told(relations).relations.find(relation => relation.name === name)?.notes
    assert.deepEqual(notesOf([owners], 'entities'), [
      'key is not unique: one row per key and parent. Joining on it multiplies rows.',
    ])
    assert.equal(notesOf([{ ...owners, unique: ['key'] }], 'entities'), undefined)
    const maybe = ['key may not be unique. Joining on it can multiply rows.']
    assert.deepEqual(notesOf([{ ...owners, unique: ['id'] }], 'entities'), maybe)
    assert.deepEqual(notesOf([entities], 'entities'), maybe)
    const referring = defineFold({ ...fold, name: 'next', references: { site: 'sites.site' } })
    assert.deepEqual(notesOf([owners, defineTable({ ...sites, unique: ['site', 'entity'] }), referring], 'sites'), [
      'site is not unique: one row per site and entity. Joining on it multiplies rows.',
    ])
    assert.equal(notesOf([owners, defineTable({ ...sites, unique: ['site'] }), referring], 'sites'), undefined)
  })

  it('has the columns of the point of view where callers may read it', () => {
    const [view] = told([owners], { pointOfView: true }).relations
    assert.deepEqual(
      [view?.name, view?.columns?.map(({ name }) => name), view?.unique],
      ['point_of_view', ['entity_key', 'share'], ['entity_key']],
    )
  })

  it('adds nothing to columns that only a snapshot tells', () => {
    const catalogue = defineCatalogue({ hierarchy: null, relations: [defineTable({ name: 'notes' })] })
    const columns = [{ name: 'toString', type: 'VARCHAR' }]
    assert.deepEqual(describedRelation(catalogue, 'notes', columns), { name: 'notes', kind: 'table', columns })
    assert.deepEqual(describedCatalogue(catalogue, []).relations, [{ name: 'notes', kind: 'table' }])
  })
})
