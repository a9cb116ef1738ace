import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { SmallContainer } from './small-container.js'

const LIMIT_BYTES = 900 * 1024 ** 2
const HOST = fileURLToPath(new URL('./contained-host.ts', import.meta.url))

describe('a container with less memory than an engine process may take', () => {
  let container: SmallContainer
  before(function () {
    const made = SmallContainer.make(LIMIT_BYTES)
    if (!made) {
      process.stdout.write('    left out: this user may not make a control group with a limit of memory\n')
      return this.skip()
    }
    container = made
  })
  after(() => container?.remove())

  it('is named as the cause when the kernel kills for it, and no statement is', () => {
    const told = JSON.parse(container.run(process.execPath, '--import', 'tsx', HOST))
    assert.deepEqual([told.huge, told.small], [[503, 'UNAVAILABLE'], 200])
    for (const { reason, limitBytes, heldBytes } of told.replaced) {
      assert.deepEqual([reason, limitBytes], ['container-limit', LIMIT_BYTES])
      assert.ok(heldBytes > 0 && heldBytes < LIMIT_BYTES, `${heldBytes}`)
    }
    assert.equal(told.replaced.length, 2)
    for (const { detail } of told.died)
      assert.match(detail, /^it reached the limit of the container \(900 MiB\), of which it held \d+ MiB$/)
  })
})
