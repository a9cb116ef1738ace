import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { resolveLimits } from '#lib/call/limits.js'
import { type HostPorts, timedPorts } from '#lib/call/port-calls.js'
import { TimeIsOver, waitFor, waitForWork } from '#lib/flow/waiting.js'
import { catalogue } from '../service/catalogue.js'

const { signal } = new AbortController()

describe('a wait', () => {
  it('ends with a value, a failure, its timeout or an abort, whichever comes first, and cleans up once', async () => {
    const ends: string[] = []
    const leave = (name: string) => () => void ends.push(name)
    assert.equal(await waitFor<string>({ signal, ms: 60_000 }, take => take('here'), leave('taken')), 'here')
    const failing = waitFor({ signal }, (_, fail) => fail(new Error('down')), leave('failed'))
    await assert.rejects(failing, /down/)
    await assert.rejects(
      waitFor({ signal, ms: 5 }, () => {}, leave('late')),
      TimeIsOver,
    )
    const caller = new AbortController()
    const left = waitFor({ signal: caller.signal, ms: 60_000 }, () => {}, leave('left'))
    caller.abort(new Error('gone'))
    await assert.rejects(left, /gone/)
    assert.deepEqual(ends, ['taken', 'failed', 'late', 'left'])
  })

  it('ignores a value that arrives after its end, and starts nothing if its signal is already aborted', async () => {
    let taken = (_: string) => {}
    const late = waitFor<string>({ signal, ms: 5 }, take => {
      taken = take
    })
    await assert.rejects(late, TimeIsOver)
    taken('too late')
    const gone = AbortSignal.abort(new Error('gone'))
    await assert.rejects(waitFor({ signal: gone }, assert.fail, assert.fail), /gone/)
  })
})

describe('a wait for work that continues without it', () => {
  it('leaves no unhandled rejection if the work fails after the caller has left', async () => {
    const unhandled: unknown[] = []
    const note = (cause: unknown) => void unhandled.push(cause)
    const others = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', note)
    try {
      let fail = (_: Error) => {}
      const work = new Promise<void>((_, reject) => {
        fail = reject
      })
      await assert.rejects(waitForWork({ signal: AbortSignal.abort(new Error('gone')) }, work), /gone/)
      await assert.rejects(waitForWork({ signal, ms: 1 }, work), TimeIsOver)
      fail(new Error('the build failed'))
      await setImmediate()
      assert.deepEqual(unhandled, [])
    } finally {
      process.off('unhandledRejection', note)
      for (const listener of others) process.on('unhandledRejection', listener)
    }
  })
})

describe('a call to a port of the host', () => {
  /** Calls to the key port: the signal that each received, and a function that answers it. */
  const asked: { signal: AbortSignal; answer: (value: null) => void }[] = []
  const told: string[] = []
  const ports = (dependencyTimeoutMs: number) => {
    const keys = {
      authenticate: (_: string, given: AbortSignal) =>
        new Promise<null>(resolve => void asked.push({ signal: given, answer: resolve })),
    }
    const limits = resolveLimits({ dependencyTimeoutMs })
    const host = { keys, projects: {}, snapshots: {}, exports: {}, quota: {} } as HostPorts
    return timedPorts(host, catalogue, limits, event => {
      if (event.type === 'dependency') told.push(`${event.port}: ${String(event.cause)}`)
    })
  }

  beforeEach(() => {
    asked.length = 0
    told.length = 0
  })

  it('ends when the caller leaves, and aborts the port without an event for the host', async () => {
    const caller = new AbortController()
    const waited = ports(60_000).keys.authenticate('k', caller.signal)
    assert.equal(asked[0]?.signal.aborted, false)
    caller.abort(new Error('gone'))
    await assert.rejects(waited, { class: 'UNAVAILABLE' })
    assert.deepEqual([asked[0]?.signal.aborted, told], [true, []])
  })

  it('ends after its timeout, aborts the port, tells the host, and does not affect the next call', async () => {
    const { keys } = ports(20)
    await assert.rejects(keys.authenticate('k', signal), { class: 'UNAVAILABLE' })
    assert.deepEqual([asked[0]?.signal.aborted, told], [true, ['keys: Error: no answer within 20 ms']])
    const next = keys.authenticate('k', signal)
    asked[1]?.answer(null)
    assert.equal(await next, null)
    assert.equal(asked[1]?.signal.aborted, false)
  })

  it('tells the host what the port throws or rejects with', async () => {
    for (const authenticate of [() => assert.fail('at once'), () => Promise.reject(new Error('later'))]) {
      const keys = { authenticate } as HostPorts['keys']
      const none = {} as never
      const guarded = timedPorts(
        { keys, projects: none, snapshots: none, exports: none, quota: none },
        catalogue,
        resolveLimits(),
        event => {
          if (event.type === 'dependency') told.push(String(event.cause))
        },
      )
      await assert.rejects(guarded.keys.authenticate('k', signal), { class: 'UNAVAILABLE' })
    }
    assert.match(told.join(), /at once.*later/)
  })
})
