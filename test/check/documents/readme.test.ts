import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sealAssessment } from '../../../examples/seal.js'
import { blocksOf, readFromRoot } from '../../house/documents.js'
import { scratchFolder } from '../../server/command.js'
import { writeTables } from '../../server/package.js'
import { call, freePort } from '../../server/server.js'
import { until } from '../../until.js'
import { complaints, furnish } from './compile.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PROJECT = 'd2b0ab4e-0f43-4c47-9a3a-3d6e0a1c5b10'
const PORTS = `import type { KeyPort, ProjectPort, ProjectRecord } from 'foldgate'
const ours: ProjectRecord =
  { projectId: '${PROJECT}', name: 'Ours', organization: 'us', sequence: 1, completed: true, running: false }
export const keys: KeyPort = {
  authenticate: async key => (key === 'a-key' ? { keyId: '1', ownerId: 'ada', organizations: ['us'] } : null),
}
export const projects: ProjectPort = {
  find: async projectId => (projectId === PROJECT_ID ? ours : null),
  list: async ({ after }) => (after < 1 ? [ours] : []),
}
const PROJECT_ID = ours.projectId
`
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
    const commands = (await blocksBelow('Try it', 'sh')).map(code => code.trim())
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

  it('mounts the API in a host that compiles and answers', async () => {
    const [code = ''] = await blocksBelow('Two packages', 'ts')
    const port = await freePort()
    const catalogue = await readFile(join(ROOT, 'examples/catalogue.ts'), 'utf8')
    const host = code.replaceAll('8080', String(port))
    assert.deepEqual(
      await complaints(scratch.path, { 'host.ts': host, 'catalogue.ts': catalogue, 'ports.ts': PORTS }),
      [],
    )

    const source = join(scratch.path, 'assessed')
    await mkdir(source)
    const entity = 'group,d2b0ab4e-0000-4000-8000-000000000001,,1'
    await writeFile(join(source, 'entities.csv'), `entity_key,entity_id,parent_key,ownership_share\n${entity}\n`)
    await writeFile(join(source, 'emissions.csv'), 'entity_key,tonnes\ngroup,10\n')
    await sealAssessment(join(scratch.path, 'data'), PROJECT, source)

    const environment = { ...process.env, FOLDGATE_SECRET: 'a secret of the tests, long enough' }
    const child = spawn(process.execPath, ['--import', 'tsx', 'host.ts'], {
      cwd: scratch.path,
      env: environment,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    running.push(child)
    const asked = { projectId: PROJECT, sql: 'SELECT tonnes FROM fold_emissions' }
    const ask = () => call(`http://localhost:${port}`, 'a-key', 'query', asked).catch(() => undefined)
    const answer = await until(ask, 'an answer of the host')
    assert.deepEqual(answer.items, [{ tonnes: 10 }])
  })

  it('leads from an empty folder to an answer by its commands', async () => {
    const [code = ''] = await blocksBelow('The command', 'sh')
    await writeTables(join(scratch.path, 'tables'))
    await copyFile(join(ROOT, 'package.json'), join(scratch.path, 'package.json'))
    const lines = code.trim().split('\n')
    const told = new Map<string, string>()
    for (const line of lines.slice(0, -1)) {
      const command = line.replace(
        /\b(PROJECT|ASSESSMENT)\b/g,
        name => told.get(name) ?? assert.fail(`${name}: ${line}`),
      )
      const { stdout, stderr } = await run('bash', ['-euo', 'pipefail', '-c', command], { cwd: scratch.path })
      assert.equal(stderr.replace(/^npm warn .*\n/gm, ''), '')
      if (/project add/.test(line)) told.set('PROJECT', stdout.trim())
      if (/assessment start/.test(line)) told.set('ASSESSMENT', stdout.trim())
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
