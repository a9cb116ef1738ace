import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const MIB = 1024 ** 2
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Field of `/proc/self/statm`: pages of data and stack. */
const DATA_FIELD = 5
/** Run in a process of its own, whose garbage collector has nothing else to free meanwhile. */
const SCRIPT = `
import { readFileSync } from 'node:fs'
import { heldBytes } from '#lib/sandbox/memory.js'
const before = heldBytes()
const taken = Buffer.alloc(${64 * MIB}, 1)
const held = heldBytes()
const pages = Number(readFileSync('/proc/self/statm', 'latin1').split(' ')[${DATA_FIELD}])
process.stdout.write(JSON.stringify({ grown: held - before, held, pages, taken: taken.length }))`

describe('the memory that counts towards the limit of a process', () => {
  it('is its data and stack in bytes, whatever the page size', function () {
    if (process.platform !== 'linux') this.skip()
    const options = { cwd: ROOT, encoding: 'utf8' } as const
    const told = execFileSync(process.execPath, ['--input-type=module', '-e', SCRIPT], options)
    const { grown, held, pages, taken } = JSON.parse(told) as Record<'grown' | 'held' | 'pages' | 'taken', number>
    assert.ok(grown > 60 * MIB && grown < 100 * MIB, `${grown} bytes for ${taken}`)
    const pageBytes = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }))
    assert.ok(Math.abs(pages * pageBytes - held) < 16 * MIB, `${pages} pages of ${pageBytes} bytes`)
  })
})
