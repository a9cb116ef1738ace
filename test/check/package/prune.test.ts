import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { blocksOf } from '../../house/documents.js'
import { ROOT, run } from './packed.js'

/** The last npm of the version that Node 20 contains, and of the one after. */
const VERSIONS = ['10.9.9', '11.21.2']
const QUIET = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_loglevel: 'error' }

/** Runs the commands of docs/operate.md below 'Install' that install packages, in a clone of the repository. */
describe('the installation from a checkout', () => {
  let folder: string
  let commands: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-prune-'))
    const block = (await blocksOf('docs/operate.md')).find(({ below }) => below === 'Install')
    const lines = block?.code.split('\n').filter(line => /\bnpm\b/.test(line)) ?? []
    assert.equal(lines.length, 1)
    commands = lines.join('\n')
  })
  after(() => rm(folder, { recursive: true, force: true }))

  for (const version of VERSIONS) {
    it(`leaves a server that runs, and the checkout unchanged, with npm ${version}`, async function () {
      const tools = join(folder, `npm-${version}`)
      const environment = {
        ...process.env,
        ...QUIET,
        PATH: [join(tools, 'node_modules/.bin'), process.env.PATH].join(delimiter),
      }
      await mkdir(tools)
      await writeFile(join(tools, 'package.json'), '{"private":true}')
      try {
        await run('npm', ['install', '--prefer-offline', `npm@${version}`], {
          cwd: tools,
          env: { ...process.env, ...QUIET },
        })
      } catch (cause) {
        if (!/E(NOTFOUND|AI_AGAIN|CONNREFUSED|TIMEDOUT|CONNRESET|NETUNREACH)/.test(String(cause))) throw cause
        console.log(`      left out: npm ${version} cannot be installed without a registry`)
        return this.skip()
      }
      assert.equal((await run('npm', ['--version'], { env: environment })).trim(), version)

      const checkout = join(folder, `checkout-${version}`)
      await run('git', ['clone', '--quiet', '--no-hardlinks', ROOT, checkout])
      const there = { cwd: checkout, env: { ...environment, npm_config_prefer_offline: 'true' } }
      await run('bash', ['-euo', 'pipefail', '-c', commands.replace('/opt/foldgate', checkout)], there)
      assert.equal(await run('git', ['status', '--porcelain'], there), '')
      const foldgate = (...args: string[]) => run(join(checkout, 'server/bin/foldgate.js'), args, there)
      assert.match(await foldgate('--version'), /^\d+\.\d+\.\d+\n$/)
      assert.equal(await foldgate('organization', 'list', '--json', '--data', join(folder, `data-${version}`)), '[]\n')
    }).timeout(600_000)
  }
})
