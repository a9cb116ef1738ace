import assert from 'node:assert/strict'
import { RecentMap } from '#lib/flow/recent.js'

describe('a map of recent entries', () => {
  it('forgets the entry that was set or read least recently', () => {
    const map = new RecentMap<string, number>(2)
    map.set('a', 1)
    map.set('b', 2)
    assert.equal(map.get('a'), 1)
    map.set('c', 3)
    assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [1, undefined, 3])
  })

  it('tells a value without marking it as read', () => {
    const map = new RecentMap<string, number>(2)
    map.set('a', 1)
    map.set('b', 2)
    assert.deepEqual([map.peek('a'), map.peek('c')], [1, undefined])
    map.set('c', 3)
    assert.deepEqual([map.peek('a'), map.peek('b')], [undefined, 2])
    map.get('b')
    assert.deepEqual([map.keys(), map.values(), map.size], [['c', 'b'], [3, 2], 2])
  })

  it('keeps an entry that is set again once', () => {
    const map = new RecentMap<string, number>(2)
    for (const value of [1, 2, 3]) map.set('a', value)
    map.set('b', 4)
    assert.deepEqual([map.get('a'), map.get('b')], [3, 4])
  })

  it('forgets as many as a heavy entry needs, and keeps the heavy one whatever it weighs', () => {
    const map = new RecentMap<string, number>(10, { weigh: weight => weight })
    const there = () => ['a', 'b', 'c', 'd'].filter(key => map.get(key) !== undefined).join('')
    for (const key of ['a', 'b', 'c']) map.set(key, 3)
    assert.equal(there(), 'abc')
    map.set('d', 6)
    assert.equal(there(), 'cd')
    map.set('c', 1)
    map.set('a', 3)
    assert.equal(there(), 'acd')
    map.set('b', 11)
    assert.equal(there(), 'b')
    map.set('a', 1)
    assert.equal(there(), 'a')
  })

  it('keeps no more entries than it may, however light, and hands over each one that makes room', () => {
    const dropped: string[] = []
    const map = new RecentMap<string, number>(10, {
      weigh: weight => weight,
      mostEntries: 2,
      onDrop: (value, key) => dropped.push(`${key}${value}`),
    })
    for (const key of ['a', 'b', 'c']) map.set(key, 1)
    assert.deepEqual([dropped, map.weight], [['a1'], 2])
    map.set('b', 9)
    map.set('c', 2)
    assert.deepEqual([dropped, map.weight], [['a1', 'b9'], 2])
    assert.deepEqual([map.delete('c'), map.delete('c'), map.weight], [2, undefined, 0])
    map.set('d', 3)
    assert.deepEqual([map.clear(), map.weight], [[3], 0])
    assert.deepEqual(dropped, ['a1', 'b9'])
  })
})
