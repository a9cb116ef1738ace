import assert from 'node:assert/strict'
import { Waiting } from '#lib/waiting.js'

/** A port that answers when it is told to, and remembers the signal that it was given. */
function port() {
  let answer: (value: string) => void = () => {}
  const answering = new Promise<string>(resolve => {
    answer = resolve
  })
  const call = (signal: AbortSignal) => {
    asked.signal = signal
    return answering
  }
  const asked = { call, answer: (value: string) => answer(value), signal: new AbortController().signal }
  return asked
}

const nothing = () => {}

describe('waiting for the ports of a host', () => {
  it('ends when the caller leaves, and tells the port', async () => {
    const caller = new AbortController()
    const asked = port()
    const waited = new Waiting(60_000).for(caller.signal, asked.call, nothing)
    assert.equal(asked.signal.aborted, false)
    caller.abort(new Error('gone'))
    await assert.rejects(waited, /gone/)
    assert.equal(asked.signal.aborted, true)
    await assert.rejects(new Waiting(60_000).for(caller.signal, asked.call, nothing), /gone/)
  })

  it('ends with its time, tells the port, and leaves the next wait a signal that has not fired', async () => {
    const caller = new AbortController()
    const waiting = new Waiting(5)
    const asked = port()
    await assert.rejects(waiting.for(caller.signal, asked.call, nothing), /no answer within 5 ms/)
    assert.equal(asked.signal.aborted, true)
    const next = port()
    const waited = waiting.for(caller.signal, next.call, nothing)
    assert.equal(next.signal.aborted, false)
    next.answer('here')
    assert.equal(await waited, 'here')
  })

  it('does not tell a port that is in time of one that was not, although one caller waits for both', async () => {
    const caller = new AbortController()
    const waiting = new Waiting(50)
    const slow = port()
    const first = waiting.for(caller.signal, slow.call, nothing)
    await assert.rejects(new Waiting(25).for(new AbortController().signal, port().call, nothing))
    const other = port()
    const second = waiting.for(caller.signal, other.call, nothing)
    await assert.rejects(first, /no answer within 50 ms/)
    assert.equal(other.signal.aborted, false)
    other.answer('here')
    assert.equal(await second, 'here')
    assert.equal(slow.signal.aborted, true) // now that nobody waits who would hear it too
  })

  it('gives back what comes too late', async () => {
    const asked = port()
    const given = new Promise(resolve => {
      const waited = new Waiting(5).for(new AbortController().signal, asked.call, resolve)
      waited.catch(() => asked.answer('late'))
    })
    assert.equal(await given, 'late')
  })

  it('passes on what the port throws', async () => {
    const fail = () => Promise.reject(new Error('down'))
    await assert.rejects(new Waiting(60_000).for(new AbortController().signal, fail, nothing), /down/)
  })
})
