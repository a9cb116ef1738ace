import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { Packed, run, writeTables } from './packed.js'

const HOST = fileURLToPath(new URL('./runtime-host.ts', import.meta.url))
const ENDS_WITHIN_MS = 60_000

/** Runtimes, where the package of their platform has its program, and how they run a script. */
const RUNTIMES = [
  { name: 'Bun', wanted: 'bun@1.4.5', platforms: '@oven', program: 'bin/bun', args: [] },
  { name: 'Deno', wanted: 'deno@2.9.6', platforms: '@deno', program: 'deno', args: ['run', '--allow-all'] },
]

describe('the library under other runtimes', () => {
  let packed: Packed
  let folder: string
  before(async () => {
    packed = await Packed.make()
    folder = await packed.host('runtimes')
    await writeTables(join(folder, 'tables'))
    const outfile = join(folder, 'host.mjs')
    await build({ entryPoints: [HOST], outfile, bundle: true, packages: 'external', platform: 'node', format: 'esm' })
  })
  after(() => packed.remove())

  for (const { name, wanted, platforms, program, args } of RUNTIMES)
    it(`seals, answers, survives a worker that runs out of memory, and ends by itself: ${name}`, async function () {
      if (!(await packed.add(folder, `the library under ${name}`, wanted))) return this.skip()
      const parent = join(folder, 'node_modules', platforms)
      const [platform = ''] = await readdir(parent)
      const printed = await run(join(parent, platform, program), [...args, join(folder, 'host.mjs')], {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder, DENO_DIR: join(folder, 'deno'), DENO_NO_UPDATE_CHECK: '1' },
        timeout: ENDS_WITHIN_MS,
        killSignal: 'SIGKILL',
      })
      const { health, list, ...rest } = JSON.parse(printed)
      assert.deepEqual(rest, {
        sealed: [
          ['cars', 2],
          ['trips', 3],
        ],
        query: [
          { city: 'Lima', km: 16 },
          { city: 'Nairobi', km: 31 },
        ],
        refused: 'INVALID_QUERY',
        tooLarge: 'QUERY_TOO_LARGE',
        afterwards: [{ km: 47 }],
      })
      assert.deepEqual(
        list.map(({ state }: { state: string }) => state),
        ['computed'],
      )
      assert.equal(health.guard, true)
      assert.ok(health.workers >= 1)
    })
})
