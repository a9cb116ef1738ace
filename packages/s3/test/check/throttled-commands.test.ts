import assert from 'node:assert/strict'
import { join } from 'node:path'
import { ask, scratchFolder } from '../../../../test/server/command.js'
import { writePackage } from '../../../../test/server/package.js'
import { ThrottlingStore } from '../throttling-store.js'

const scratch = scratchFolder()

describe('commands on a bucket whose store throttles', () => {
  let store: ThrottlingStore
  before(async () => {
    store = await ThrottlingStore.open()
    await writePackage(join(scratch.path, 'package'))
  })
  after(() => store.close())

  const command = (...args: string[]) =>
    ask(scratch.path, args, { ...store.environment, FOLDGATE_SHARED: 's3://analytics/throttled' })

  it('import and verify all the same, whichever requests are throttled', async () => {
    store.throttle('SlowDown', 429, 'broken')
    const imported = await command('import', 'package')
    assert.equal(imported.status, 0, imported.stderr)
    store.throttle('SlowDown', 429, 'broken')
    const verified = await command('snapshot', 'verify')
    assert.equal(verified.status, 0, verified.stderr)
    assert.match(verified.stdout, /^2 snapshots are as sealed/)
    for (const kind of ['GET', 'LIST']) assert.deepEqual(store.throttled.get(kind), [], kind)
  }).timeout(60_000)

  it('look whether the bucket can be written and listed, and leave nothing there', async () => {
    store.throttle()
    const { status, stdout, stderr } = await command('doctor')
    assert.equal(status, 0, stderr)
    assert.match(stdout, /^snapshots +ok +the shared bucket can be listed and written/m)
    assert.deepEqual(store.keys('clock/'), [])
  })

  it('say after half a minute that the store throttles, and advise on no settings', async () => {
    store.throttle(...Array.from({ length: 1000 }, () => 'SlowDown' as const))
    const startedAt = performance.now()
    const { status, stderr } = await command('snapshot', 'verify')
    const seconds = (performance.now() - startedAt) / 1000
    assert.equal(status, 1)
    assert.match(
      stderr,
      /^error: The shared bucket "s3:\/\/analytics\/throttled" is throttled by its store \(SlowDown\)/,
    )
    assert.doesNotMatch(stderr, /AWS_REGION/)
    assert.ok(seconds > 20 && seconds < 40, `${seconds} s`)
  }).timeout(60_000)
})
