import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { blocksOf } from './documents.js'

const DEPLOY = fileURLToPath(new URL('../../deploy', import.meta.url))
/** Programs that would change the machine; stubs record their arguments instead. */
const RECORDED = ['npm', 'useradd', 'systemctl']
const run = promisify(execFile)

/** Runs the commands of docs/operate.md below 'Install' with a temporary folder as the root of the file system. */
describe('the installation as a unit of systemd', () => {
  let root: string
  let told: string[]
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'foldgate-root-'))
    for (const folder of ['bin', 'opt/foldgate', 'etc/systemd/system'])
      await mkdir(join(root, folder), { recursive: true })
    await cp(DEPLOY, join(root, 'opt/foldgate/deploy'), { recursive: true })
    for (const name of RECORDED)
      await writeFile(join(root, 'bin', name), `#!/bin/sh\necho "${name} $*" >>${root}/told\n`, { mode: 0o755 })
    const block = (await blocksOf('docs/operate.md')).find(({ below }) => below === 'Install')
    const commands = (block?.code ?? '').replace(/ \/(opt|etc)\//g, ` ${root}/$1/`)
    const environment = { ...process.env, PATH: `${join(root, 'bin')}:${process.env.PATH}` }
    await run('bash', ['-euo', 'pipefail', '-c', commands], { env: environment })
    told = (await readFile(join(root, 'told'), 'utf8')).trim().split('\n')
  })
  after(() => rm(root, { recursive: true, force: true }))

  it('puts the unit in place, and the settings in a folder that only their owner can read', async () => {
    const unit = await readFile(join(root, 'etc/systemd/system/foldgate.service'), 'utf8')
    assert.equal(unit, await readFile(join(DEPLOY, 'foldgate.service'), 'utf8'))
    const [, namespace] = /^LogNamespace=(.*)$/m.exec(unit) ?? []
    const journal = await readFile(join(root, `etc/systemd/journald@${namespace}.conf`), 'utf8')
    assert.match(journal, /^\[Journal\]\n(?=[^[]*^SystemMaxUse=)/m)
    assert.equal((await stat(join(root, 'etc/foldgate'))).mode & 0o777, 0o700)
    assert.match(unit, /^EnvironmentFile=-\/etc\/foldgate\/environment$/m)
    assert.equal(await readFile(join(root, 'etc/foldgate/environment'), 'utf8'), '')
  })

  it('adds the user that the unit names, and starts the unit', async () => {
    const unit = await readFile(join(DEPLOY, 'foldgate.service'), 'utf8')
    const [, user] = /^User=(.*)$/m.exec(unit) ?? []
    const [, home] = /^WorkingDirectory=(.*)$/m.exec(unit) ?? []
    assert.match(unit, /^ExecStart=\S+ \/opt\/foldgate\/server\/bin\/foldgate\.js serve$/m)
    assert.deepEqual(told, [
      'npm ci',
      'npm prune --omit=dev --ignore-scripts --no-save',
      `useradd --system --home-dir ${home} --shell /usr/sbin/nologin ${user}`,
      'systemctl daemon-reload',
      'systemctl enable --now foldgate',
    ])
  })
})
