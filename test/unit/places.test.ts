import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { Places } from '#lib/flow/places.js'
import { TimeIsOver } from '#lib/flow/waiting.js'

describe('places', () => {
  it('let as much work run as there are places, and the rest in its order', async () => {
    const places = new Places(2)
    const order: string[] = []
    const ends: (() => void)[] = []
    const run = (name: string) =>
      places.run({}, () => {
        order.push(name)
        return new Promise<string>(resolve => ends.push(() => resolve(name)))
      })
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(run)
    await setImmediate()
    assert.deepEqual([order, places.free, places.waiting], [['a', 'b'], 0, 2])
    ends[1]?.()
    assert.equal(await b, 'b')
    const last = run('e')
    await setImmediate()
    assert.deepEqual([order, places.waiting], [['a', 'b', 'c'], 2])
    for (const end of [0, 2]) ends[end]?.()
    assert.deepEqual(await Promise.all([a, c]), ['a', 'c'])
    await setImmediate()
    for (const end of ends) end()
    assert.deepEqual(await Promise.all([d, last]), ['d', 'e'])
    assert.deepEqual([order, places.free], [['a', 'b', 'c', 'd', 'e'], 2])
  })

  it('are held by a group up to its share, while others take theirs', async () => {
    const places = new Places(3, 2)
    const taken: string[] = []
    const take = async (group: string) => {
      const leave = await places.take({ group })
      taken.push(group)
      return leave
    }
    const [first, , third] = ['a', 'a', 'a'].map(take)
    await setImmediate()
    assert.deepEqual([taken, places.free, places.waiting], [['a', 'a'], 1, 1])
    ;(await take('b'))()
    assert.deepEqual([taken, places.free], [['a', 'a', 'b'], 1])
    ;(await first)?.()
    await third
    assert.deepEqual([taken, places.free, places.waiting], [['a', 'a', 'b', 'a'], 1, 0])
  })

  it('are free again after work that failed', async () => {
    const places = new Places(1)
    const failing = places.run({}, () => Promise.reject(new Error('on purpose')))
    const next = places.run({}, async () => 'next')
    await assert.rejects(failing, /on purpose/)
    assert.equal(await next, 'next')
  })

  it('go to groups in turns, to none that has left, and are freed once', async () => {
    const places = new Places(1)
    const leave = await places.take()
    const order: string[] = []
    const gone = new AbortController()
    const waits = ['a', 'a', 'b'].map((group, at) => places.run({ group }, async () => void order.push(group + at)))
    const left = places.take({ group: 'b', signal: gone.signal })
    const late = places.take({ group: 'b', ms: 1 })
    gone.abort(new Error('gone'))
    await assert.rejects(left, /gone/)
    await assert.rejects(late, TimeIsOver)
    leave()
    leave()
    await Promise.all(waits)
    assert.deepEqual([order, places.free], [['a0', 'b2', 'a1'], 1])
  })
})
