import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { ROOT, run } from './packed.js'

const HOST = `import { createAnalyticsApi, defineCatalogue, defineTables, duckdbEngine } from 'foldgate'
const hierarchy = { table: 'entities', key: 'k', parent: 'p', id: 'i', share: 's' }
try {
  const api = createAnalyticsApi({
    baseUrl: 'http://localhost',
    secrets: ['a secret that is long enough for it'],
    catalogue: defineCatalogue({ hierarchy, relations: defineTables('entities') }),
    keys: { authenticate: async () => null },
    projects: { find: async () => null, list: async () => [] },
    snapshots: { list: async () => [], open: async () => null },
    exports: { put: async () => {}, open: async () => null },
    engine: duckdbEngine({ folder: 'engine', connections: 1 }),
  })
  const listening = setInterval(() => {}, 1000) // as a server would keep the process
  api.ready().then(async () => {
    console.log('ready ' + (await api.health()).workers)
    await api.close()
    clearInterval(listening)
  })
} catch (error) {
  console.log(error.message)
}
`
/** Makes the running Node say that it is an older one. */
const OLDER = `data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } })",
)}`

describe('the library in a bundle or on an older Node', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    await writeFile(join(folder, 'host.mjs'), HOST)
  })
  after(() => rm(folder, { recursive: true }))

  for (const [format, end] of [
    ['esm', 'mjs'],
    ['cjs', 'cjs'],
  ] as const) {
    const bundle = async (packages: 'bundle' | 'external') => {
      const outfile = join(folder, `${packages}.${end}`)
      const entryPoints = [join(folder, 'host.mjs')]
      await build({ entryPoints, outfile, bundle: true, platform: 'node', format, packages, logLevel: 'silent' })
      return run(process.execPath, [outfile], { cwd: folder })
    }

    it(`says at construction that it cannot be bundled (${format})`, async () => {
      assert.match(await bundle('bundle'), /^Foldgate cannot be bundled: .*serverExternalPackages: \['foldgate'\]/)
    })

    it(`works beside a bundle that leaves packages out (${format})`, async () => {
      assert.equal(await bundle('external'), 'ready 1\n')
    })
  }

  it('says at construction that the engine was not copied into a build', async () => {
    const build = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    await mkdir(join(build, 'node_modules', 'foldgate'), { recursive: true })
    await cp(join(ROOT, 'dist'), join(build, 'node_modules', 'foldgate', 'dist'), { recursive: true })
    await cp(join(ROOT, 'package.json'), join(build, 'node_modules', 'foldgate', 'package.json'))
    for (const name of ['superstruct', 'json-rpc-2.0'])
      await symlink(join(ROOT, 'node_modules', name), join(build, 'node_modules', name))
    await writeFile(join(build, 'host.mjs'), HOST)
    const told = await run(process.execPath, ['host.mjs'], { cwd: build })
    await rm(build, { recursive: true })
    assert.match(told, /^Foldgate does not find the package @duckdb\/node-api, .* with outputFileTracingIncludes\.\n$/)
  })

  it('names the Node that it needs, as the command does', async () => {
    const code = "import('foldgate').catch(error => console.log(error.message))"
    const library = await run(process.execPath, ['--import', OLDER, '--input-type=module', '-e', code], { cwd: folder })
    assert.equal(library, 'Foldgate needs Node 20.19 or later, of which 24 is recommended; this is Node 18.20.8.\n')
    const command = run(process.execPath, ['--import', OLDER, join(ROOT, 'server/bin/foldgate.js'), '--version'])
    await assert.rejects(
      command,
      /error: foldgate needs Node 20\.19 or later, of which 24 is recommended; this is Node 18\.20\.8\n/,
    )
  })
})
