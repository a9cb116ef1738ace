import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { JobProcess, openSandbox, text, World } from 'foldgate/internal'
import { until } from '../../until.js'

const url = new URL('../../../dist/duckdb/child/guard-main.js', import.meta.url)

/** Command lines of processes that name a folder. */
async function namedIn(folder: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map(pid => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '')))
  return lines.filter(line => line.includes(folder))
}

describe('a process that is killed while it starts behind walls', () => {
  it('leaves none that waits for it', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'foldgate-test-')))
    const sandbox = await openSandbox('auto')
    for (let at = 0; at < 300; at++) {
      const world = new World(join(folder, String(at)))
      const script = { url, packages: ['@duckdb/node-api'] }
      const given = { script, world, sandbox, settings: {}, memoryLimitBytes: 512 * 1024 ** 2 }
      const started = new JobProcess({ ...given, failures: text('What has failed.') })
      await wait(6 + (at % 30) * 0.7) // each time at another step of the start
      started.kill()
      await started.exited
    }
    await until(async () => (await namedIn(folder)).length === 0, 'none is left')
    await rm(folder, { recursive: true })
  }).timeout(60_000)
})
