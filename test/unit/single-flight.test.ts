import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { SingleFlight } from '#lib/flow/single-flight.js'

const { signal } = new AbortController()

describe('work that concurrent callers share', () => {
  it('runs once for all callers that ask while it runs, and again for later ones', async () => {
    const shared = new SingleFlight<number>()
    let runs = 0
    const begin = async () => {
      await setImmediate()
      return ++runs
    }
    assert.deepEqual(await Promise.all([1, 2, 3].map(() => shared.join('a', { signal }, begin))), [1, 1, 1])
    assert.deepEqual(await Promise.all(['a', 'b'].map(name => shared.join(name, { signal }, begin))), [2, 3])
  })

  it('continues while a caller is left, and is aborted when the last one leaves', async () => {
    const shared = new SingleFlight<string>({ isAbortedWhenLeft: true })
    const callers = [new AbortController(), new AbortController()]
    let over = signal
    let end = (_: string) => {}
    const begin = (given: AbortSignal) => {
      over = given
      return new Promise<string>(resolve => (end = resolve))
    }
    const [one, two] = callers.map(caller => shared.join('a', { signal: caller.signal }, begin))
    callers[0]?.abort(new Error('gone'))
    await assert.rejects(one ?? assert.fail(), /gone/)
    assert.equal(over.aborted, false)
    callers[1]?.abort(new Error('gone too'))
    await assert.rejects(two ?? assert.fail(), /gone too/)
    assert.equal(over.aborted, true)
    const anew = shared.join('a', { signal }, begin)
    end('anew')
    assert.equal(await anew, 'anew')
  })

  it('fails for all its callers', async () => {
    const shared = new SingleFlight<string>({ isAbortedWhenLeft: true })
    const begin = () => Promise.reject(new Error('down'))
    for (const wanted of [1, 2].map(() => shared.join('a', { signal }, begin))) await assert.rejects(wanted, /down/)
  })

  it('continues without callers unless it is to be aborted, and others may join it', async () => {
    const shared = new SingleFlight<string>()
    let end = (_: string) => {}
    const begin = () => new Promise<string>(resolve => (end = resolve))
    const gone = AbortSignal.abort(new Error('gone'))
    await assert.rejects(shared.join('a', { signal: gone }, begin), /gone/)
    const joined = shared.join('a', {}, () => assert.fail())
    assert.notEqual(shared.underWay('a'), undefined)
    end('one')
    assert.deepEqual([await joined, shared.underWay('a')], ['one', undefined])
  })

  it('has its result released once it has ended and nobody uses it', async () => {
    const released: string[] = []
    const shared = new SingleFlight<string>({ release: value => void released.push(value) })
    let leave = () => {}
    const using = new Promise<void>(resolve => (leave = resolve))
    const users = [1, 2].map(() =>
      shared.use(
        'a',
        {},
        async () => 'held',
        () => using,
      ),
    )
    const gone = AbortSignal.abort(new Error('gone'))
    await assert.rejects(
      shared.join('b', { signal: gone }, async () => 'unused'),
      /gone/,
    )
    await setImmediate()
    assert.deepEqual(released, ['unused'])
    leave()
    await Promise.all(users)
    await setImmediate()
    assert.deepEqual(released, ['unused', 'held'])
  })
})

describe('work that must begin after the call', () => {
  /** Work by its number, with the function that ends it, and whether it was aborted. */
  const begun: { end: () => void; signal: AbortSignal }[] = []
  const begin = (given: AbortSignal) =>
    new Promise<number>(resolve => {
      const number = begun.length
      begun.push({ end: () => resolve(number), signal: given })
    })
  beforeEach(() => {
    begun.length = 0
  })

  it('is shared by all who call while other work is under way, and begins when that has ended', async () => {
    const shared = new SingleFlight<number>()
    const first = shared.joinNext('a', {}, begin)
    const later = [1, 2].map(() => shared.joinNext('a', {}, begin))
    await setImmediate()
    assert.equal(begun.length, 1)
    begun[0]?.end()
    assert.equal(await first, 0)
    await setImmediate()
    const last = shared.joinNext('a', {}, begin)
    begun[1]?.end()
    assert.deepEqual(await Promise.all(later), [1, 1])
    await setImmediate()
    begun[2]?.end()
    assert.equal(await last, 2)
    assert.equal(begun.length, 3)
  })

  it('begins also after work that failed, and not when all who called have left', async () => {
    const shared = new SingleFlight<number>({ isAbortedWhenLeft: true })
    let fail = () => {}
    const failing = shared.joinNext(
      'a',
      {},
      () => new Promise<number>((_, reject) => (fail = () => reject(new Error('down')))),
    )
    const caller = new AbortController()
    const left = shared.joinNext('a', { signal: caller.signal }, begin)
    caller.abort(new Error('gone'))
    await assert.rejects(left, /gone/)
    const next = shared.joinNext('a', {}, begin)
    fail()
    await assert.rejects(failing, /down/)
    await setImmediate()
    begun[0]?.end()
    assert.deepEqual([await next, begun.length], [0, 1])
  })

  it('begins at once when the work before it is aborted', async () => {
    const shared = new SingleFlight<number>({ isAbortedWhenLeft: true })
    const caller = new AbortController()
    const left = shared.joinNext('a', { signal: caller.signal }, begin)
    const next = shared.joinNext('a', {}, begin)
    caller.abort(new Error('gone'))
    await assert.rejects(left, /gone/)
    begun[1]?.end()
    assert.deepEqual([begun[0]?.signal.aborted, await next], [true, 1])
  })
})
