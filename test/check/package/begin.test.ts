import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { createInterface } from 'node:readline'
import { blocksOf } from '../../house/documents.js'
import { freePort } from '../../server/server.js'
import { Packed, run } from './packed.js'

/** Documents for hosts and callers; the others are about the server. */
const FOR_HOSTS = ['docs/hosting.md', 'docs/clients.md', 'docs/protocol.md', 'examples/callers/README.md']

describe('the first ten minutes of docs/hosting.md', () => {
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

  it('lead from an empty folder to answers, with the commands unchanged', async () => {
    const blocks = (await blocksOf('docs/hosting.md')).filter(({ below }) => below === 'Begin')
    const [prepare = '', ask = ''] = blocks.map(({ code }) => code)
    assert.equal(blocks.length, 2)
    const port = String(await freePort())
    const commands = prepare.replace(' foldgate ', ` ${packed.tarballs.get('foldgate')} `)
    host = spawn('bash', ['-euo', 'pipefail', '-c', commands], {
      cwd: folder,
      env: { ...process.env, PORT: port, npm_config_loglevel: 'error' },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true, // npx forwards no signals, so the whole group is signalled
    })
    const ended = once(host, 'exit')
    const told: string[] = []
    for await (const line of createInterface({ input: host.stdout as NodeJS.ReadableStream })) {
      told.push(line)
      if (line.endsWith(' answers')) break
    }
    assert.deepEqual(told.slice(-3), [
      'entities: 2 rows',
      'emissions: 2 rows',
      `http://localhost:${port}/analytics answers`,
    ])
    const answers = await run('bash', ['-euo', 'pipefail', '-c', ask.replaceAll('8080', port)])
    assert.deepEqual(
      answers
        .trim()
        .split('\n')
        .map(answer => JSON.parse(answer).result.items),
      [[{ tonnes: 40 }], [{ tonnes: 60 }]],
    )
    process.kill(-(host.pid ?? 0), 'SIGTERM')
    await ended
  })

  it('need only files that are in the package, as do the other documents for hosts', async () => {
    const root = join(folder, 'node_modules/foldgate')
    for (const document of FOR_HOSTS) {
      const text = await readFile(join(root, document), 'utf8')
      for (const [, link = ''] of text.matchAll(/\]\(([^)#\s]+)/g))
        await access(join(root, normalize(join(dirname(document), link))))
    }
  })
})
