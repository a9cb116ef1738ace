import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { type EngineHost, Phases, type PointOfView } from 'foldgate/engine'
import { resolveLimits } from 'foldgate/internal'
import type { Views } from '#trino/relations/views.js'
import type { Gate } from '#trino/rules/gate.js'
import { Statements } from '#trino/statements.js'

const CONNECTIONS = 16
const FLOOD = 20

describe('statements on Trino, of an organization that floods it', () => {
  const checked = { sql: 'SELECT 1', relations: [], volatile: false }
  const work = () => ({ signal: new AbortController().signal, phases: new Phases(), timeoutMs: 30_000 })
  const pointOf = (organization: string) => ({ organization, snapshot: {} }) as unknown as PointOfView

  /** Statements on a cluster whose relations are all there. */
  function statementsOver(connections: number): Statements {
    const host = { limits: resolveLimits({ connectionWaitMs: 60_000 }), onEvent() {} } as unknown as EngineHost
    const views = { ready: async () => ({ snapshot: 's_1', build: 'b_1', view: 'p_1' }) } as unknown as Views
    const gate = { pass: async () => {} } as unknown as Gate
    return new Statements(host, views, { connections, gate, shared: { hold: async () => null } as never })
  }

  it('take a quarter of the places, and leave the others to other organizations', async () => {
    const statements = statementsOver(CONNECTIONS)
    const ends: (() => void)[] = []
    const endless = () => new Promise<string>(resolve => ends.push(() => resolve('heavy')))
    const flood = Array.from({ length: FLOOD }, () => statements.run(pointOf('north'), checked, work(), endless))
    for (let turn = 0; turn < 50; turn++) await setImmediate()
    assert.deepEqual([ends.length, statements.load], [4, { busy: 4, waiting: 16 }])
    const small = ['south', 'east', 'south'].map(each =>
      statements.run(pointOf(each), checked, work(), async () => each),
    )
    assert.deepEqual(await Promise.all(small), ['south', 'east', 'south'])
    assert.equal(ends.length, 4)
    for (let ended = 0; ended < FLOOD; ended++) {
      for (let turn = 0; ends.length <= ended && turn < 50; turn++) await setImmediate()
      ends[ended]?.()
    }
    assert.deepEqual(new Set(await Promise.all(flood)), new Set(['heavy']))
    assert.deepEqual(statements.load, { busy: 0, waiting: 0 })
  })

  it('tell what they have taken so far, and in the end the time that they ran', async () => {
    const statements = statementsOver(1)
    const { phases, ...timed } = work()
    let told: ReturnType<NonNullable<typeof phases.process>['made']> | undefined
    await statements.run(pointOf('north'), checked, { phases, ...timed }, async request => {
      assert.equal(phases.process?.made().processorMs, 0, 'it waits in the queue of the cluster')
      request.onStarted?.()
      const until = performance.now() + 5
      while (performance.now() < until);
      told = phases.process?.made()
    })
    assert.ok((told?.processorMs ?? 0) >= 5 && told?.pid === null)
    assert.ok(phases.processorMs >= (told?.processorMs ?? 0))
    assert.ok(Math.abs(phases.processorMs - (phases.spentMs.query ?? 0)) < 1)
    assert.equal(phases.process, null)
  })

  it('have a place however few there are', async () => {
    const statements = statementsOver(1)
    assert.equal(await statements.run(pointOf('north'), checked, work(), async () => 'answer'), 'answer')
  })
})
