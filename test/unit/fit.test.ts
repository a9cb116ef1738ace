import assert from 'node:assert/strict'
import { availableMemory, fittingSize, neededMemory } from '#lib/duckdb/fit.js'
import { describeExit } from '#lib/flow/death.js'
import { whyNotStarted } from '#lib/flow/exit.js'

const MIB = 1024 ** 2
const GIB = 1024 * MIB

describe('the size of an engine that nobody has set', () => {
  const fitting = (bytes: number, cores: number, given = {}) => {
    const { connections, memoryLimitBytes } = fittingSize(given, { bytes }, cores)
    return `${connections} of ${memoryLimitBytes / MIB} MiB`
  }

  it('is a connection per core with 1 GiB where memory holds that', () => {
    assert.deepEqual([fitting(24 * GIB, 2), fitting(24 * GIB, 8)], ['2 of 1024 MiB', '8 of 1024 MiB'])
    assert.equal(fitting(24 * GIB, 1), '2 of 1024 MiB')
  })

  it('is smaller where memory is short: first fewer connections, then less memory for each, then one', () => {
    assert.equal(fitting(16 * GIB, 16), '9 of 1024 MiB')
    assert.equal(fitting(4 * GIB, 4), '2 of 768 MiB')
    assert.equal(fitting(2 * GIB, 4), '1 of 768 MiB')
    assert.equal(fitting(GIB, 4), '1 of 512 MiB', 'the smallest, although it does not fit')
    for (const bytes of [2, 3, 4, 8, 16, 64].map(count => count * GIB))
      assert.ok(neededMemory(fittingSize({}, { bytes }, 16)) <= bytes, `${bytes}`)
  })

  it('leaves what is given as it is', () => {
    assert.equal(fitting(2 * GIB, 4, { connections: 8 }), '8 of 512 MiB')
    assert.equal(fitting(8 * GIB, 4, { memoryLimitBytes: 4 * GIB }), '1 of 4096 MiB')
    assert.equal(fitting(GIB, 4, { connections: 3, memoryLimitBytes: GIB }), '3 of 1024 MiB')
  })

  it('is that of this machine by default', () => {
    const { bytes } = availableMemory()
    assert.ok(bytes > 0 && Number.isFinite(bytes))
    assert.deepEqual(fittingSize({}), fittingSize({}, { bytes }))
  })
})

describe('the reason why a process cannot be started', () => {
  const failed = (code: string) => Object.assign(new Error(`spawn ${code}`), { code })

  it('says which limit to raise', () => {
    assert.match(whyNotStarted(failed('EMFILE')), /^spawn EMFILE: no file descriptor is left: .*ulimit -n/)
    assert.match(whyNotStarted(failed('EINVAL')), /^spawn EINVAL: no file descriptor is left/)
    assert.match(whyNotStarted(failed('ENFILE')), /fs\.file-max/)
    assert.match(whyNotStarted(failed('EAGAIN')), /raise the limit on processes \(ulimit -u/)
    assert.match(whyNotStarted(failed('ENOMEM')), /give the machine or container more/)
    assert.equal(whyNotStarted(failed('ENOENT')), 'spawn ENOENT')
  })

  it('does not count as a statement that took too much memory', () => {
    const stderr = whyNotStarted(failed('ENOMEM'))
    assert.notEqual(describeExit(null, [1, null], { stderr, memoryLimitBytes: GIB }).endedBy, 'memory-limit')
  })
})
