import assert from 'node:assert/strict'
import { readlink } from 'node:fs/promises'
import { type Asker, NoTurn, Turns } from '#lib/guard/turns.js'
import { childrenOf } from '../../bench/bombs/watch.js'
import { GuardProbe } from './guard-probe.js'

const asker = (ownerId: string, signal = new AbortController().signal): Asker => ({ ownerId, signal })

describe('the line before the guard', () => {
  it('lets owners take turns, however many texts one of them has', async () => {
    const turns = new Turns(10_000)
    const order: string[] = []
    const take = (ownerId: string, name: string) => turns.take(asker(ownerId), async () => void order.push(name))
    const all = ['a1', 'a2', 'a3', 'a4'].map(name => take('a', name))
    all.push(take('b', 'b1'), take('c', 'c1'), take('b', 'b2'))
    await Promise.all(all)
    assert.deepEqual(order, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
  })

  it('is left by who waits too long, and by who is not wanted any more', async () => {
    const turns = new Turns(20)
    let end = () => {}
    const first = turns.take(asker('a'), () => new Promise<void>(resolve => (end = resolve)))
    const left = new AbortController()
    const waiting = [
      turns.take(asker('a'), async () => assert.fail('it was late')),
      turns.take(asker('b', left.signal), async () => assert.fail('nobody wanted it')),
      turns.take(asker('b', AbortSignal.abort()), async () => assert.fail('nobody wanted it')),
    ]
    left.abort()
    await Promise.all(waiting.map(wait => assert.rejects(wait, NoTurn)))
    end()
    await first
    assert.equal(await turns.take(asker('b'), async () => 'free again'), 'free again')
  })

  it('goes on after work that fails', async () => {
    const turns = new Turns(10_000)
    const failing = turns.take(asker('a'), () => Promise.reject(new Error('of its own')))
    const next = turns.take(asker('a'), async () => 'done')
    await assert.rejects(failing, /of its own/)
    assert.equal(await next, 'done')
  })
})

describe('a guard whose process is killed', () => {
  const probe = new GuardProbe()
  before(() => probe.open())
  after(() => probe.close())

  /** It works in a folder of its own. */
  async function processId(): Promise<number> {
    for (const pid of childrenOf(process.pid))
      if ((await readlink(`/proc/${pid}/cwd`).catch(() => '')) === probe.folder) return pid
    return assert.fail('the guard has no process')
  }

  it('blames no text for it', async function () {
    if (process.platform !== 'linux') this.skip()
    process.kill(await processId(), 'SIGKILL')
    const sql = 'SELECT count(*) FROM fold_risks'
    assert.equal((await probe.passed(sql)).statement, sql)
    assert.equal((await probe.passed(sql)).statement, sql)
  })
})
