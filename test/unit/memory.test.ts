import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { heldBytes } from '#lib/process/memory.js'

const MIB = 1024 ** 2
/** Field of `/proc/self/statm`: pages of data and stack. */
const DATA_FIELD = 5

describe('the memory that counts towards the limit of a process', () => {
  it('is its data and stack in bytes, whatever the page size', function () {
    if (process.platform !== 'linux') this.skip()
    const before = heldBytes()
    const taken = Buffer.alloc(64 * MIB, 1)
    const grown = heldBytes() - before
    assert.ok(grown > 60 * MIB && grown < 100 * MIB, `${grown} bytes for ${taken.length}`)
    const pageBytes = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }))
    const pages = Number(readFileSync('/proc/self/statm', 'latin1').split(' ')[DATA_FIELD])
    assert.ok(Math.abs(pages * pageBytes - heldBytes()) < 16 * MIB, `${pages} pages of ${pageBytes} bytes`)
  })
})
