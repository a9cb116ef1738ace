import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { blocksOf } from '../../house/documents.js'
import { freePort } from '../../server/server.js'
import { Packed, ROOT, run } from './packed.js'

const PAGE = 'docs/guides/begin.md'

describe(`the first ten minutes, as ${PAGE} says`, () => {
  let packed: Packed
  let folder: string
  let host: ChildProcess | undefined
  before(async () => {
    packed = await Packed.make()
    folder = await mkdtemp(join(packed.folder, 'begin-'))
  })
  after(async () => {
    if (host?.pid && host.exitCode === null) process.kill(-host.pid, 'SIGKILL')
    await packed.remove()
  })

  const blockBelow = async (heading: string, language: string, nth = 0) => {
    const blocks = (await blocksOf(PAGE)).filter(block => block.below === heading && block.language === language)
    return blocks[nth]?.code ?? assert.fail(`${PAGE} has no such block below "${heading}"`)
  }

  it('make a tarball from a clone', async () => {
    const commands = await blockBelow('Get the package', 'sh')
    assert.match(commands, /^git clone https:\/\/github\.com\/foldgate\/foldgate\ncd foldgate\nnpm ci\nnpm pack /)
    const { repository, version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
    assert.equal(repository.url, 'git+https://github.com/foldgate/foldgate.git')
    // What is packed is built already: see packed.ts.
    const [, pack = ''] = /^npm (pack .*)$/m.exec(commands) ?? []
    const args = [...pack.split(' '), '--ignore-scripts']
    await run(
      'npm',
      args.map(arg => (arg === '..' ? folder : arg)),
      { cwd: ROOT },
    )
    await access(join(folder, `foldgate-${version}.tgz`))
  })

  it('lead from an empty folder to an answer, with the commands unchanged', async () => {
    const prepare = await blockBelow('Serve two tables', 'sh')
    const ask = await blockBelow('Serve two tables', 'sh', 1)
    const port = String(await freePort())
    const cwd = await mkdtemp(join(folder, 'empty-'))
    host = spawn('bash', ['-euo', 'pipefail', '-c', prepare.replace('PORT=8090', `PORT=${port}`)], {
      cwd,
      env: { ...process.env, npm_config_loglevel: 'error' },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true, // npx forwards no signals, so the whole group is signalled
    })
    const ended = once(host, 'exit')
    const told: string[] = []
    for await (const line of createInterface({ input: host.stdout as NodeJS.ReadableStream })) {
      told.push(line)
      if (line.endsWith(' answers')) break
    }
    assert.deepEqual(told.slice(-3), ['cars: 2 rows', 'trips: 3 rows', `http://localhost:${port}/analytics answers`])
    const answer = await run('bash', ['-euo', 'pipefail', '-c', ask.replaceAll('8090', port)])
    assert.deepEqual(JSON.parse(answer), JSON.parse(await blockBelow('Serve two tables', 'json')))
    process.kill(-(host.pid ?? 0), 'SIGTERM')
    await ended
  })
})
