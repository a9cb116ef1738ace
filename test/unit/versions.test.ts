import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { shareVersions } from '#server/database/versions.js'

describe('versions of a store', () => {
  let changes: number
  let reads: number
  const open = () => {
    changes = 0
    reads = 0
    return shareVersions(() => {
      reads += 1
      return `${changes}`
    })
  }

  it('are read once for all callers of a turn of the event loop, and after all of them', async () => {
    const versions = open()
    const first = versions.next()
    changes = 1
    const second = versions.next()
    assert.deepEqual(await Promise.all([first, second]), ['1', '1'])
    assert.equal(reads, 1)
  })

  it('are read again for a caller who comes after the reading, in the same turn too', async () => {
    const versions = open()
    await versions.next()
    changes = 1
    assert.equal(await versions.next(), '1')
  })

  it('are known in the turn in which they were read, until this process uses the store', async () => {
    const versions = open()
    assert.equal(versions.latest(), null)
    await versions.next()
    assert.equal(versions.latest(), '0')
    versions.forget()
    assert.equal(versions.latest(), null)
    await versions.next()
    await setImmediate()
    await setImmediate()
    assert.equal(versions.latest(), null)
  })

  it('fail for those who wait, and are read again for the next', async () => {
    let isBroken = true
    const versions = shareVersions(() => {
      if (isBroken) throw new Error('closed')
      return 'here'
    })
    await assert.rejects(versions.next(), /closed/)
    assert.equal(versions.latest(), null)
    isBroken = false
    assert.equal(await versions.next(), 'here')
  })
})
