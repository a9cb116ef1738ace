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

  it('keeps an entry that is set again once', () => {
    const map = new RecentMap<string, number>(2)
    for (const value of [1, 2, 3]) map.set('a', value)
    map.set('b', 4)
    assert.deepEqual([map.get('a'), map.get('b')], [3, 4])
  })

  it('forgets as many as a heavy entry needs, and keeps the heavy one whatever it weighs', () => {
    const map = new RecentMap<string, number>(10, weight => weight)
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
})
