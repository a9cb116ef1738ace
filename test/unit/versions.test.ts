import assert from 'node:assert/strict'
import { KEPT_MS, shareVersions } from '#server/database/versions.js'

describe('versions of a store', () => {
  let changes: number
  let reads: number
  let now: number
  const open = () => {
    changes = 0
    reads = 0
    now = 1000
    const read = () => {
      reads += 1
      return `${changes}`
    }
    return shareVersions(read, () => now)
  }

  it('are read once for all callers of some milliseconds', () => {
    const versions = open()
    assert.equal(versions.current(), '0')
    changes = 1
    now += KEPT_MS - 1
    assert.equal(versions.current(), '0')
    assert.equal(reads, 1)
  })

  it('are read again after that, however many callers there were', () => {
    const versions = open()
    for (let ms = 0; ms < KEPT_MS; ms++, now++) versions.current()
    changes = 1
    assert.equal(versions.current(), '1')
    assert.equal(reads, 2)
  })

  it('are read again once this process has used the store', () => {
    const versions = open()
    versions.current()
    changes = 1
    versions.forget()
    assert.equal(versions.current(), '1')
  })

  it('fail for those who ask, and are read again for the next', () => {
    let isBroken = false
    const versions = shareVersions(
      () => {
        if (isBroken) throw new Error('closed')
        return 'here'
      },
      () => now,
    )
    now = 0
    assert.equal(versions.current(), 'here')
    now = KEPT_MS
    isBroken = true
    assert.throws(() => versions.current(), /closed/)
    isBroken = false
    assert.equal(versions.current(), 'here')
  })
})
