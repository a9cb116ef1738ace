import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { fromCsv } from 'foldgate/sealing'
import { NoSpace } from '#lib/files/no-space.js'
import { feedSources } from '#lib/sources/feed.js'
import { SourceFailed } from '#lib/sources/stored-chunks.js'
import { SmallDisk } from './disk.js'

describe('sources on a full disk', () => {
  let disk: SmallDisk
  before(function () {
    const mounted = SmallDisk.mount(2)
    if (!mounted) {
      process.stdout.write('    left out: this user may not mount a small disk\n')
      return this.skip()
    }
    disk = mounted
  })
  after(() => disk?.unmount())

  const feed = (chunks: AsyncIterable<string>) =>
    feedSources(new Map([['orders', { source: fromCsv(chunks), columns: null }]]), { folder: disk.folder })

  it('are ended, and their files removed; the error names the folder', async () => {
    let isEnded = false
    async function* chunks() {
      try {
        for (;;) yield 'a\n'.repeat(100_000)
      } finally {
        isEnded = true
      }
    }
    await assert.rejects(feed(chunks()), cause => {
      assert.ok(cause instanceof NoSpace)
      assert.match(cause.message, /^No space left in the folder "[^"]+": .* of 2 MiB are free/)
      return true
    })
    assert.ok(isEnded)
    assert.deepEqual(await readdir(disk.folder), [])
  })

  it('are blamed when it is a disk of theirs', async () => {
    async function* chunks() {
      yield 'a\n'
      throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
    }
    await assert.rejects(feed(chunks()), cause => {
      assert.ok(cause instanceof SourceFailed)
      assert.equal(cause.message, 'the source of "orders" failed: no space')
      return true
    })
    assert.deepEqual(await readdir(disk.folder), [])
  })
})
