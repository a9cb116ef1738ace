import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { directorySnapshots } from 'foldgate'
import { fromFolder, openSealer } from 'foldgate/sealing'
import { ALL_SETTINGS } from '#server/settings/flags.js'
import catalogue from '../../../examples/shop/catalogue.js'
import { writeTables } from '../../../examples/shop/tables.js'
import { blocksOf, readFromRoot } from '../../house/documents.js'
import { scratchFolder } from '../../server/command.js'
import { writeTables as writeAssessedTables } from '../../server/package.js'
import { call, freePort } from '../../server/server.js'
import { until } from '../../until.js'
import { complaints, furnish } from './compile.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const SHOP = join(ROOT, 'examples/shop')
const run = promisify(execFile)

/** The blocks of README.md below a heading, in a language. */
async function blocksBelow(heading: string, language: string): Promise<string[]> {
  const blocks = (await blocksOf('README.md')).filter(block => block.below === heading && block.language === language)
  assert.ok(blocks.length > 0)
  return blocks.map(({ code }) => code)
}

describe('README.md', () => {
  const scratch = scratchFolder()
  const running: ChildProcess[] = []
  before(() => furnish(scratch.path))
  after(() => {
    for (const child of running) child.kill('SIGKILL')
  })

  it('names commands that exist', async () => {
    const commands = (await blocksBelow('The demo', 'sh')).map(code => code.trim())
    assert.deepEqual(commands, ['npm ci && npm run demo', 'npm ci && npm test'])
    assert.ok((await readFromRoot('.ci/run')).includes('npm ci && npm test'), 'CI runs it on a clean clone')
    const demo = [
      'run',
      '--silent',
      'demo',
      '--',
      '--once',
      '--json',
      '--port',
      '0',
      '--data',
      join(scratch.path, 'demo'),
    ]
    const { stdout } = await run('npm', demo, { cwd: ROOT })
    assert.ok(JSON.parse(stdout).projects > 0)
  })

  it('serves the shop by twelve lines, which compile and answer', async () => {
    const [code = '', ports = '', ...others] = await blocksBelow('Serve a shop', 'js')
    assert.deepEqual(others, [])
    const [, projectId = ''] = /^const projectId = '(.*)'$/m.exec(ports) ?? []
    assert.ok(code.trimEnd().split('\n').length <= 12)
    const port = await freePort()
    const host = code.replaceAll('8090', String(port))
    for (const name of ['catalogue.js', 'folds.js', 'queries.js', 'questions.js'])
      await copyFile(join(SHOP, name), join(scratch.path, name))
    const options = { allowJs: true }
    assert.deepEqual(await complaints(scratch.path, { 'host.ts': host, 'ports.js': ports }, options), [])

    const source = join(scratch.path, 'shop')
    writeTables({ folder: source })
    const snapshots = directorySnapshots(join(scratch.path, 'data/snapshots'))
    const sealer = await openSealer({ catalogue, snapshots, folder: join(scratch.path, 'scratch') })
    await sealer.seal({ projectId, tables: fromFolder(source) }).finally(() => sealer.close())

    const environment = { ...process.env, FOLDGATE_SECRET: 'a secret of the tests, long enough' }
    const child = spawn(process.execPath, ['--import', 'tsx', 'host.ts'], {
      cwd: scratch.path,
      env: environment,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    running.push(child)
    const asked = { projectId, sql: 'SELECT count(*) AS products FROM products' }
    const ask = () => call(`http://localhost:${port}/analytics`, 'shop-key', 'query', asked).catch(() => undefined)
    const answer = await until(ask, 'an answer of the host')
    assert.deepEqual(answer.items, [{ products: 48 }])
  })

  it('answers its question to the example of the shop, on a port that can be chosen', async () => {
    const [commands = '', ask = ''] = await blocksBelow('Serve a shop', 'sh')
    const [, ...lines] = commands.trim().split('\n')
    assert.deepEqual(lines, ['node examples/shop/generate.js', 'node examples/shop/host.js'])
    const folder = join(scratch.path, 'made')
    await run(process.execPath, ['examples/shop/generate.js', folder], { cwd: ROOT })
    const port = String(await freePort())
    const child = spawn(process.execPath, ['examples/shop/host.js', folder], {
      cwd: ROOT,
      env: { ...process.env, PORT: port },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    running.push(child)
    for await (const line of createInterface({ input: child.stdout })) if (line.endsWith(' answers')) break
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', ask.replaceAll('8090', port)])
    const [answer = ''] = await blocksBelow('Serve a shop', 'json')
    assert.equal(stdout.trim(), answer.trim())
  })

  it('names ports that do not collide', async () => {
    const text = await readFromRoot('README.md')
    assert.match(text, /listens on port 8090; set `PORT` to change it/)
    assert.match(await readFromRoot('examples/shop/host.js'), /PORT = '8090'/)
    assert.match(await readFromRoot('examples/start.ts'), /PORT: port = '8090'/)
    assert.equal(ALL_SETTINGS.find(({ flag }) => flag === 'port')?.default, '8080')
  })

  it('shows a picture that is small', async () => {
    const { size } = await stat(join(ROOT, 'docs/query-page.png'))
    assert.ok(size > 20_000 && size <= 120_000, `${size} bytes`)
  })

  it('leads from an empty folder to an answer by its commands', async () => {
    const [code = ''] = await blocksBelow('The command', 'sh')
    await writeAssessedTables(join(scratch.path, 'tables'))
    await copyFile(join(ROOT, 'package.json'), join(scratch.path, 'package.json'))
    const lines = code.trim().split('\n')
    const told = new Map<string, string>()
    for (const line of lines.slice(0, -1)) {
      const command = line.replace(/\bPROJECT\b/g, name => told.get(name) ?? assert.fail(`${name}: ${line}`))
      const { stdout, stderr } = await run('bash', ['-euo', 'pipefail', '-c', command], { cwd: scratch.path })
      assert.equal(stderr.replace(/^npm warn .*\n/gm, ''), '')
      if (/project add/.test(line)) told.set('PROJECT', stdout.trim())
      if (/key create/.test(line)) told.set('key', stdout.trim())
    }
    const serve = (lines.at(-1) ?? '').replace('8080', '0')
    assert.match(serve, /^npx foldgate serve /)
    const child = spawn('bash', ['-c', `exec ${serve} --json`], {
      cwd: scratch.path,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true, // npx forwards no signals, so the whole group is signalled
    })
    try {
      const [line] = await once(createInterface(child.stdout), 'line')
      const sql = 'SELECT count(*) AS entities FROM entities'
      const { items } = await call(JSON.parse(line).url, told.get('key') ?? '', 'query', {
        projectId: told.get('PROJECT'),
        sql,
      })
      assert.deepEqual(items, [{ entities: 2 }])
    } finally {
      const ended = once(child, 'exit')
      if (child.pid) process.kill(-child.pid, 'SIGTERM')
      await ended
    }
  })
})
