import assert from 'node:assert/strict'
import { type EntityRow, entitiesOf, named, search } from '#explore/script/entities.js'

const held = (key: string, owner: string | null, share: number, name: string | null = key): EntityRow => ({
  key,
  id: `id-${key}`,
  owner,
  name,
  share,
})

describe('the list of entities', () => {
  const entities = entitiesOf([
    held('group', null, 1, 'Gróup'),
    held('half', 'group', 0.5, 'Half of it'),
    held('joint', 'half', 0.5, 'Joint Venture'),
    held('joint', 'group', 0.25, 'Joint Venture'),
    held('leaf', 'joint', 0.8, null),
    held('other', 'group', 0.1, 'Venture'),
    held('again', 'group', 0.2, 'Venture'),
  ])
  const shareOf = (id: string) => entities.find(entity => entity.id === id)?.share
  const names = (text: string, most = 50) => search(entities, text, most).map(({ name }) => name)

  it('has each entity once, by name, with its path and what is owned over all paths', () => {
    assert.deepEqual(
      entities.map(({ name, path }) => [name, path]),
      [
        ['Gróup', ''],
        ['Half of it', 'Gróup'],
        ['Joint Venture', 'Gróup › Half of it'],
        ['leaf', 'Gróup › Half of it › Joint Venture'],
        ['Venture', 'Gróup'],
        ['Venture', 'Gróup'],
      ],
    )
    assert.deepEqual([shareOf('id-group'), shareOf('id-joint'), shareOf('id-leaf')], [1, 0.5, 0.4])
  })

  it('ends where owners own each other, or are not there', () => {
    const odd = entitiesOf([held('a', 'b', 1), held('b', 'a', 1), held('c', 'gone', 0.5)])
    assert.deepEqual(
      odd.map(({ name, path }) => [name, path]),
      [
        ['a', 'b'],
        ['b', 'a'],
        ['c', 'gone'],
      ],
    )
  })

  it('finds parts of names without accents and case, those first that begin with them', () => {
    assert.deepEqual(names('venture'), ['Venture', 'Venture', 'Joint Venture'])
    assert.deepEqual(names('  GROUP '), ['Gróup'])
    assert.deepEqual(names('venture joint'), ['Joint Venture'])
    assert.deepEqual(names('nobody'), [])
    assert.equal(names('', 2).length, 2)
  })

  it('knows the one that an id or a name stands for, unless several have the name', () => {
    assert.equal(named(entities, 'ID-LEAF')?.name, 'leaf')
    assert.equal(named(entities, ' half  of it')?.id, 'id-half')
    assert.equal(named(entities, 'Venture'), undefined)
    assert.equal(named(entities, ''), undefined)
  })
})
