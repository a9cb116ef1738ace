import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { OWN_NAME } from '#lib/flow/identity.js'

const run = promisify(execFile)
const ASK = `import { hasEnded } from '${new URL('../../../dist/flow/identity.js', import.meta.url)}'
console.log(JSON.stringify(process.argv.slice(1).map(hasEnded)))`

describe('the name of a process', () => {
  it('tells that it runs where /proc hides it, so that nobody removes its folder', async function () {
    if (spawnSync('bwrap', ['--version']).error) return this.skip() // it hides the process
    const [machine, , started] = String(OWN_NAME).split('-')
    const asked = [String(OWN_NAME), `${machine}-${process.pid}-${started}`, `${machine}-4194305-${started}`]
    const hiding = ['--dev-bind', '/', '/', '--tmpfs', `/proc/${process.pid}`]
    const node = [process.execPath, '--input-type=module', '--eval', ASK, ...asked]
    const { stdout } = await run('bwrap', [...hiding, ...node])
    assert.deepEqual(JSON.parse(stdout), [false, false, true])
  })
})
