import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { scratchFolder } from '../../server/command.js'
import { limitsIn, stop } from '../../server/server.js'

const run = promisify(execFile)
const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url))
const FOLDER = '/var/log/foldgate'
const scratch = scratchFolder()

describe('deploy/logrotate.conf', () => {
  let rotate: (...flags: string[]) => Promise<string>
  let log: string

  before(async function () {
    if (!(await run('logrotate', ['--version']).catch(() => null))) {
      console.log('      left out: logrotate is not installed')
      return this.skip()
    }
    const logs = join(scratch.path, 'logs')
    await mkdir(logs, { mode: 0o750 })
    log = join(logs, 'foldgate.log')
    const own = await readFile(at('deploy/logrotate.conf'), 'utf8')
    const [user, group] = await Promise.all(['-un', '-gn'].map(async flag => (await run('id', [flag])).stdout.trim()))
    const config = own.replaceAll(`${FOLDER}/`, `${logs}/`).replace('su foldgate foldgate', `su ${user} ${group}`)
    assert.ok(!config.includes(`\n${FOLDER}`) && !config.includes('su foldgate'))
    const file = join(scratch.path, 'logrotate.conf')
    await writeFile(file, config, { mode: 0o644 })
    rotate = async (...flags) => (await run('logrotate', ['-s', join(scratch.path, 'state'), ...flags, file])).stderr
  })

  it('is a configuration without errors', async () => {
    const told = await rotate('--debug')
    assert.match(told, /considering log .*foldgate\.log/s)
    assert.doesNotMatch(told, /error/i)
  })

  it('moves the lines of a running server away, and the server writes on in the emptied file', async () => {
    const file = await open(log, 'a')
    const limits = await limitsIn(scratch.path, { connections: 1 })
    const flags = ['serve', '--port', '0', ...limits, '--data', join(scratch.path, 'data')]
    const server = spawn(process.execPath, [at('server/bin/foldgate.js'), ...flags], {
      stdio: ['ignore', 'pipe', file.fd],
      env: { PATH: process.env.PATH },
    })
    assert.ok(server.stdout)
    try {
      await once(createInterface(server.stdout), 'line')
      await rotate('--force')
      assert.equal(await stop(server), 0)
    } finally {
      server.kill('SIGKILL')
      await file.close()
    }
    const types = async (path: string) =>
      (await readFile(path, 'utf8'))
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line).type)
    assert.ok((await types(`${log}.1`)).includes('started'))
    assert.deepEqual(await types(log), ['stopping', 'stopped'])
  })
})
