import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { defineCatalogue, defineTable, directorySnapshots } from 'foldgate'
import { openSealer } from 'foldgate/sealing'
import { scratchFolder } from '../../server/command.js'

const SCRIPT = fileURLToPath(new URL('./dying-sealer.ts', import.meta.url))
const catalogue = defineCatalogue({ relations: [defineTable({ name: 'sites', columns: { site: 'INTEGER' } })] })

describe('a sealer that is killed', () => {
  const scratch = scratchFolder()
  const folders = async () => (await readdir(scratch.path)).filter(name => /^(seal|check)-/.test(name))
  const open = () =>
    openSealer({ catalogue, snapshots: directorySnapshots(`${scratch.path}/snapshots`), folder: scratch.path })

  it('leaves files that the next sealer removes, which leaves those of running ones', async function () {
    if (process.platform !== 'linux') return this.skip() // where processes have names
    const child = spawn(process.execPath, ['--import', 'tsx', SCRIPT, scratch.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      await once(child.stdout, 'data')
      const sealing = await folders()
      await (await open()).close()
      assert.deepEqual(await folders(), sealing, 'the process is still there')
      child.kill('SIGKILL')
      await once(child, 'exit')
      assert.deepEqual(await folders(), sealing, 'nobody removes them')
      const sealer = await open()
      const now = await folders()
      await sealer.close()
      assert.equal(now.length, 1)
      assert.deepEqual(
        now.filter(name => sealing.includes(name)),
        [],
      )
      assert.deepEqual(await folders(), [])
    } finally {
      child.kill('SIGKILL')
    }
  })
})
