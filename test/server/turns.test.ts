import assert from 'node:assert/strict'
import { turns } from '#server/store/turns.js'

describe('turns', () => {
  it('run a limited number at a time, the others in order, and refuse work beyond the queue', async () => {
    const { take } = turns(2, 2)
    const order: string[] = []
    const ends: (() => void)[] = []
    const work = (name: string) => () =>
      new Promise<string>(resolve => {
        order.push(name)
        ends.push(() => resolve(name))
      })
    const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map(name => take(work(name)))
    assert.deepEqual([order, e], [['a', 'b'], null])
    ends[1]?.()
    assert.equal(await b, 'b')
    assert.equal(take(work('f')) === null, false)
    assert.deepEqual(order, ['a', 'b', 'c'])
    for (const end of [0, 2]) ends[end]?.()
    assert.deepEqual(await Promise.all([a, c]), ['a', 'c'])
    for (const end of ends) end()
    assert.equal(await d, 'd')
    assert.deepEqual(order, ['a', 'b', 'c', 'd', 'f'])
  })

  it('continue after work that failed', async () => {
    const { take } = turns(1, 1)
    const failing = take(() => Promise.reject(new Error('on purpose')))
    const next = take(async () => 'next')
    await assert.rejects(failing ?? Promise.resolve(), /on purpose/)
    assert.equal(await next, 'next')
  })
})
