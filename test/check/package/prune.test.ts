import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { blocksOf } from '../../house/documents.js'
import { ROOT, run } from './packed.js'

/** The last npm of the version that Node 20 contains, and of the one after. */
const VERSIONS = ['10.9.9', '11.21.2']
const QUIET = { npm_config_audit: 'false', npm_config_fund: 'false', npm_config_loglevel: 'error' }

/** The folder of a checkout after its installation, and the environment of its commands. */
interface Checkout {
  cwd: string
  env: NodeJS.ProcessEnv
}

/** Runs the commands of docs/operate.md below 'Install' that install packages, in a clone of the repository. */
describe('the installation from a checkout', () => {
  let folder: string
  let commands: string
  const checkouts = new Map<string, Promise<Checkout | null>>()
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-prune-'))
    const block = (await blocksOf('docs/operate.md')).find(({ below }) => below === 'Install')
    const lines = block?.code.split('\n').filter(line => /\bnpm\b/.test(line)) ?? []
    assert.equal(lines.length, 1)
    commands = lines.join('\n')
    // Both at once, since each mostly waits for its disk. A failure is reported by the test of its version.
    for (const version of VERSIONS) {
      const checkout = install(version)
      checkout.catch(() => {})
      checkouts.set(version, checkout)
    }
  })
  after(async () => {
    await Promise.allSettled(checkouts.values())
    await rm(folder, { recursive: true, force: true })
  })

  /** Installs from a new checkout; returns null if the registry does not provide this npm. */
  async function install(version: string): Promise<Checkout | null> {
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
      return null
    }
    assert.equal((await run('npm', ['--version'], { env: environment })).trim(), version)

    const cwd = join(folder, `checkout-${version}`)
    await run('git', ['clone', '--quiet', '--no-hardlinks', ROOT, cwd])
    const env = { ...environment, npm_config_prefer_offline: 'true' }
    await run('bash', ['-euo', 'pipefail', '-c', commands.replace('/opt/foldgate', cwd)], { cwd, env })
    return { cwd, env }
  }

  for (const version of VERSIONS) {
    it(`leaves a server that runs, and the checkout unchanged, with npm ${version}`, async function () {
      const checkout = await checkouts.get(version)
      if (!checkout) {
        console.log(`      left out: npm ${version} cannot be installed without a registry`)
        return this.skip()
      }
      assert.equal(await run('git', ['status', '--porcelain'], checkout), '')
      const foldgate = (...args: string[]) => run(join(checkout.cwd, 'server/bin/foldgate.js'), args, checkout)
      assert.match(await foldgate('--version'), /^\d+\.\d+\.\d+\n$/)
      assert.equal(await foldgate('organization', 'list', '--json', '--data', join(folder, `data-${version}`)), '[]\n')
    }).timeout(600_000)
  }
})
