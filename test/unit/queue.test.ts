import assert from 'node:assert/strict'
import { Queue, type Waiting } from '#lib/flow/queue.js'
import { TimeIsOver } from '#lib/flow/waiting.js'

interface Named extends Waiting {
  name: string
}

/** An entry of a group and subgroup that waits for `ms`, by default 10 s. */
const one = (
  group: string,
  name: string,
  { subgroup = '', ms = 10_000, signal = new AbortController().signal } = {},
) => ({
  group,
  subgroup,
  name,
  ms,
  signal,
})

describe('a queue', () => {
  const order: string[] = []
  let queue: Queue<Named, void>
  let isFree = true
  /** Starts the next entry if the only place is free. */
  const next = () => {
    if (isFree) isFree = !start()
  }
  const start = (mayStart: (what: Named) => boolean = () => true) =>
    queue.startNext(mayStart, ({ name }) => void order.push(name))
  const join = (what: Named) => queue.join(what, next)
  /** Starts all entries, one after the other. */
  const drain = () => {
    while (queue.length > 0) {
      isFree = true
      next()
    }
  }

  beforeEach(() => {
    order.length = 0
    isFree = true
    queue = new Queue()
  })

  it('serves groups round-robin, however many entries one of them has', async () => {
    const all = ['a1', 'a2', 'a3', 'a4'].map(name => join(one('a', name)))
    all.push(join(one('b', 'b1')), join(one('c', 'c1')), join(one('b', 'b2')))
    drain()
    await Promise.all(all)
    assert.deepEqual(order, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
  })

  it('serves the subgroups of a group round-robin, and each subgroup first in, first out', async () => {
    const all = ['x1', 'x2', 'x3', 'x4'].map(name => join(one('a', name, { subgroup: 'x' })))
    all.push(
      join(one('a', 'y1', { subgroup: 'y' })),
      join(one('b', 'z1', { subgroup: 'z' })),
      join(one('b', 'z2', { subgroup: 'z' })),
    )
    drain()
    await Promise.all(all)
    assert.deepEqual(order, ['x1', 'x2', 'z1', 'y1', 'z2', 'x3', 'x4'])
  })

  it('skips entries that may not start, and counts those that match', async () => {
    isFree = false
    const all = [join(one('a', 'a1')), join(one('b', 'b1'))]
    assert.equal(
      queue.count(({ group }) => group === 'a'),
      1,
    )
    const isOfB = ({ group }: Named) => group === 'b'
    assert.deepEqual([start(isOfB), start(isOfB)], [true, false])
    drain()
    await Promise.all(all)
    assert.deepEqual(order, ['b1', 'a1'])
  })

  it('drops entries that time out or are aborted', async () => {
    isFree = false
    const left = new AbortController()
    const waits = [
      join(one('a', 'late', { ms: 20 })),
      join(one('b', 'gone', { signal: left.signal })),
      join(one('b', 'never there', { signal: AbortSignal.abort(new Error('gone before')) })),
    ]
    left.abort(new Error('gone'))
    await assert.rejects(waits[2] as Promise<void>, /gone before/)
    await assert.rejects(waits[1] as Promise<void>, /gone/)
    await assert.rejects(waits[0] as Promise<void>, TimeIsOver)
    assert.equal(queue.length, 0)
    drain()
    assert.deepEqual(order, [])
  })

  it('rejects all waiting entries when it is cleared', async () => {
    isFree = false
    const waits = [join(one('a', 'a1')), join(one('b', 'b1'))]
    queue.clear(new Error('closed'))
    for (const wait of waits) await assert.rejects(wait, /closed/)
  })
})
