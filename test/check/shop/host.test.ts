import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { blocksOf, readFromRoot } from '../../house/documents.js'
import { run, scratchFolder } from '../../server/command.js'
import { freePort } from '../../server/server.js'

const README = 'examples/shop/README.md'
const EXAMPLES = fileURLToPath(new URL('../../../examples', import.meta.url))
const HOST = ['examples/shop/host.js']

describe('the host of the shop', () => {
  const scratch = scratchFolder()
  const running: ChildProcess[] = []
  before(() => symlink(EXAMPLES, join(scratch.path, 'examples')))
  afterEach(() => {
    for (const child of running.splice(0)) if (child.exitCode === null) child.kill('SIGKILL')
  })

  /** Runs a command of a shell as a user of the folder does. */
  const shell = (command: string) =>
    promisify(execFile)('bash', ['-euo', 'pipefail', '-c', command], { cwd: scratch.path })

  function start(args: readonly string[], variables: NodeJS.ProcessEnv = {}) {
    const env = { PATH: process.env.PATH, ...variables }
    const child = spawn(process.execPath, args, { cwd: scratch.path, env, stdio: ['ignore', 'pipe', 'pipe'] })
    running.push(child)
    return child
  }

  async function failure(args: readonly string[], variables: NodeJS.ProcessEnv = {}) {
    const child = start(args, variables)
    const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    return { status, stderr }
  }

  it('answers as its README says, after the commands of the README', async () => {
    const blocks = (await blocksOf(README)).filter(({ below }) => below === 'A shop')
    const [prepare, ...asked] = blocks
    assert.deepEqual(
      blocks.map(({ language }) => language),
      ['sh', 'sh', 'json', 'sh', 'json'],
    )
    const [install, generate = '', host = '', ...more] = (prepare?.code ?? '').trim().split('\n')
    assert.deepEqual([install, host, more], ['npm ci', `node ${HOST}`, []])
    const { stdout } = await shell(generate)
    assert.match(stdout, /foldgate-shop\/tables\/events\.csv: 20000 rows\n$/)

    const port = String(await freePort())
    const child = start(HOST, { PORT: port })
    const told: string[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      told.push(line)
      if (line.endsWith(' answers')) break
    }
    assert.deepEqual(told.slice(-3), [
      'key: shop-key',
      'project: 5a0b0e52-6f3c-4d0e-9a57-0c1d2e3f4a5b',
      `http://localhost:${port}/analytics answers`,
    ])
    for (const at of [0, 2]) {
      const given = await shell((asked[at]?.code ?? '').replace('8090', port))
      assert.deepEqual(JSON.parse(given.stdout), JSON.parse(asked[at + 1]?.code ?? ''))
    }

    const url = `http://localhost:${port}/analytics/public/v1/api/projects/list`
    const list = async (key: string) => {
      const response = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${key}` } })
      return [response.status, await response.json()]
    }
    const project = { projectId: '5a0b0e52-6f3c-4d0e-9a57-0c1d2e3f4a5b', name: 'The shop', organization: 'shop' }
    assert.deepEqual(await list('shop-key'), [200, { result: { items: [{ ...project, state: 'computed' }] } }])
    assert.equal((await list('another'))[0], 401)
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
  })

  it('says that its port is taken, which is 8090 by default', async () => {
    const taken = createServer()
    const bound = new Promise<boolean>(resolve => {
      taken.once('error', () => resolve(false)) // another process has it, which serves as well
      taken.listen(8090, 'localhost', () => resolve(true))
    })
    await bound
    try {
      const { status, stderr } = await failure(HOST)
      assert.deepEqual([status, stderr], [1, 'Port 8090 is taken. Set PORT to another one.\n'])
    } finally {
      taken.close()
    }
  })

  it('names what is wrong with its tables, and ends', async () => {
    const { status, stderr } = await failure([...HOST, 'nothing'], { PORT: String(await freePort()) })
    assert.equal(status, 1)
    assert.match(stderr, /nothing/)
    await shell('node examples/shop/generate.js small --events 100')
    const file = join(scratch.path, 'small/tables/refunds.csv')
    await writeFile(file, `${await readFile(file, 'utf8')}999,1,2025-01-01,1.00,boredom\n`)
    const wrong = await failure([...HOST, 'small'], { PORT: String(await freePort()) })
    assert.equal(wrong.status, 1)
    assert.match(wrong.stderr, /^refunds\.reason: .*boredom/m)
  })

  it('has a generator that says which sizes it takes', async () => {
    for (const wrong of ['--events 99', '--events many', '--seed x']) {
      const { status, stderr } = await failure(['examples/shop/generate.js', 'made', ...wrong.split(' ')])
      assert.equal(status, 1)
      assert.match(stderr, /^(events|seed) must be a whole number from/)
    }
  })

  it('has a generator and a host that refuse words that they do not know', async () => {
    for (const wrong of [
      ['--size', '3'],
      ['made', 'twice'],
    ]) {
      const generator = await failure(['examples/shop/generate.js', ...wrong])
      assert.equal(generator.status, 2)
      assert.match(generator.stderr, /^Unknown option '--size'|^twice: there is one folder/)
      assert.deepEqual(await failure([...HOST, ...wrong]), { status: 2, stderr: 'Usage: node host.js [folder]\n' })
    }
  })

  it('has a README that shows it on the server as well', async () => {
    await shell('node examples/shop/generate.js')
    const blocks = (await blocksOf(README)).filter(({ below }) => below === 'On the server')
    const [command = '', ...others] = blocks.map(({ code }) => code.trim())
    assert.deepEqual([others, command.startsWith('npx foldgate demo ')], [[], true])
    const port = String(await freePort())
    const { status, stdout } = await run(scratch.path, [...command.split(' ').slice(2), '--once', '--port', port])
    assert.equal(status, 0)
    assert.match(stdout, /projects\/describe: 6 of 12 relations/)
    assert.match(stdout, /2025-01-01 +\d+ +[\d.]+ +[\d.]+ +[\d.]+/)
    assert.doesNotMatch(stdout, /assess|entit|ownership/i)
  })

  it('has at most 80 lines', async () => {
    assert.ok((await readFromRoot('examples/shop/host.js')).trimEnd().split('\n').length <= 80)
  })
})
