import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { openStore } from '#server/database/store.js'
import { type Chore, keepDoing, onceADay } from '#server/store/chores.js'
import { ControlStore } from './control.js'
import { unexpected } from './stores.js'

const HOUR_MS = 3_600_000

describe('the chores of a server', () => {
  const control = new ControlStore()

  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }))
  afterEach(() => mock.timers.reset())

  it('are done one after the other, at the start and every hour, whatever fails', async () => {
    const done: string[] = []
    const reported: string[] = []
    let isLast: () => void = () => {}
    const chores: Chore[] = [
      { what: 'the first', run: async () => void done.push('first') },
      { what: 'the second', run: () => Promise.reject(new Error('broken')) },
      {
        what: 'the last',
        async run() {
          done.push('last')
          isLast()
        },
      },
    ]
    const lastIsDone = () =>
      new Promise<void>(resolve => {
        isLast = resolve
      })
    const first = lastIsDone()
    const doing = keepDoing(chores, (what, cause) => void reported.push(`${what}: ${(cause as Error).message}`))
    await first
    const second = lastIsDone()
    mock.timers.tick(HOUR_MS)
    await second
    await doing.stop()
    mock.timers.tick(HOUR_MS)
    assert.deepEqual(done, ['first', 'last', 'first', 'last'])
    assert.deepEqual(reported, ['the second: broken', 'the second: broken'])
  })

  it('are left when the server stops, which waits for the one under way', async () => {
    const done: string[] = []
    const stopped: Chore = {
      what: 'the first',
      run: signal =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            done.push('first')
            reject(signal.reason)
          })
        }),
    }
    const doing = keepDoing([stopped, { what: 'the second', run: async () => void done.push('second') }], unexpected)
    await doing.stop()
    assert.deepEqual(done, ['first'])
  })

  it('are done once a day by one of several servers, and again when they failed', async () => {
    const other = await openStore(control.file, { clock: { now: () => control.now + 300 } })
    let times = 0
    const work = async () => void times++
    const ask = () => Promise.all([control.store, other].map(store => onceADay(store, 'sweep', work)))
    await ask()
    assert.equal(times, 1)
    control.now += 24 * HOUR_MS - 301
    await ask()
    assert.equal(times, 1)
    control.now += 301
    await ask()
    assert.equal(times, 2)
    await onceADay(control.store, 'another', work)
    assert.equal(times, 3)
    control.now += 24 * HOUR_MS + 300
    await assert.rejects(
      onceADay(control.store, 'sweep', () => Promise.reject(new Error('broken'))),
      /broken/,
    )
    await onceADay(control.store, 'sweep', work)
    assert.equal(times, 4)
    control.now -= 48 * HOUR_MS // the clock was wrong
    await onceADay(control.store, 'sweep', work)
    assert.equal(times, 5)
    await other.close()
  })
})
