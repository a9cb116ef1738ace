import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'

/** Place of the file among the descriptors. */
const PLACE = 40
const CAPPED = import.meta.resolve('#lib/flow/capped.js')
/** Starts a process as the engine's are started, and prints where its file descriptors lead. */
const HOST = `
import { once } from 'node:events'
import { spawnCapped } from '${CAPPED}'
const [script, folder] = process.argv.slice(2)
const options = { script: new URL(script), folder, memoryLimitBytes: 2 ** 29 }
const child = await spawnCapped(options, 'inherit')
const [places] = await once(child.stdio[3], 'data')
process.stdout.write(places)
child.kill('SIGKILL')`
const CHILD = `
import { readdirSync, readlinkSync, writeSync } from 'node:fs'
const placeOf = descriptor => {
  try { return readlinkSync('/proc/self/fd/' + descriptor) } catch { return '' }
}
writeSync(3, JSON.stringify(readdirSync('/proc/self/fd').map(placeOf)))
setInterval(() => {}, 1000)`

describe('a process of a host that was started with open files', () => {
  it('inherits none of them', async function () {
    if (process.platform !== 'linux') return this.skip()
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'foldgate-test-')))
    try {
      const secret = join(folder, 'secret')
      const [host, script] = [join(folder, 'host.mjs'), join(folder, 'child.mjs')]
      for (const [path, content] of [
        [secret, 'secret'],
        [host, HOST],
        [script, CHILD],
      ] as const)
        await writeFile(path, content)
      const file = await open(secret)
      const args = [host, pathToFileURL(script).href, folder]
      // Node itself closes the lowest ones for what it starts, up to the first gap after 15.
      const between = Array.from({ length: PLACE - 3 }, () => 'ignore' as const)
      const stdio = ['ignore', 'pipe', 'inherit', ...between, file.fd] as const
      const child = spawn(process.execPath, args, { stdio: [...stdio] })
      const [printed] = await Promise.all([text(child.stdout as NodeJS.ReadableStream), once(child, 'close')])
      await file.close()
      const places = JSON.parse(printed) as string[]
      assert.ok(places.includes('/dev/null'))
      assert.ok(!places.includes(secret), places.join(' '))
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
