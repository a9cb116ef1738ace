import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { Admission } from '#lib/call/admission.js'
import { resolveLimits } from '#lib/call/limits.js'
import type { Ports } from '#lib/call/port-calls.js'
import { UnsentBytes } from '#lib/call/unsent.js'
import { Turn } from '#lib/flow/work.js'

describe('the end of a turn', () => {
  it('comes after what runs in the turn, once for all who wait, and again in the next', async () => {
    const turn = new Turn()
    const seen: string[] = []
    const wait = (name: string) => turn.end().then(() => void seen.push(name))
    const all = [wait('first'), wait('second')]
    assert.equal(turn.end(), turn.end())
    await Promise.resolve().then(() => void seen.push('turn'))
    await Promise.all(all)
    assert.deepEqual(seen, ['turn', 'first', 'second'])
    await wait('third')
    assert.equal(seen.at(-1), 'third')
  })
})

describe('calls that arrive together', () => {
  const { signal } = new AbortController()
  const caller = { keyId: 'one', ownerId: 'ada', organizations: ['north'] }

  it('are admitted together, in their order, each with its own key and unit of quota', async () => {
    const seen: string[] = []
    const ports = {
      keys: {
        authenticate: async (key: string) => {
          seen.push(key)
          return key === 'bad' ? null : caller
        },
      },
      quota: {
        take: async () => {
          seen.push('unit')
          return { allowed: true, limit: 9, remaining: 9, windowMs: 1, resetMs: 1 }
        },
      },
    } as unknown as Ports
    const gate = { ports, unsent: new UnsentBytes(resolveLimits()), clock: Date }
    const admission = new Admission(gate, {
      usage: undefined,
      onEvent: () => {},
      sqlInEvents: false,
      slowMs: 5_000,
      tracing: undefined,
    })
    const admit = (key: string) => admission.admit({ authorization: `Bearer ${key}`, signal })
    const sessions = ['a', 'bad', 'c'].map(admit)
    assert.deepEqual(seen, [], 'what arrives later in the turn is admitted with them')
    await setImmediate()
    assert.deepEqual(seen.slice(0, 3), ['a', 'bad', 'c'])
    const refused = (await Promise.all(sessions)).map(session => session.refused?.class ?? null)
    assert.deepEqual(refused, [null, 'UNAUTHENTICATED', null])
    assert.deepEqual(seen.slice(3), ['unit', 'unit'])
  })
})
