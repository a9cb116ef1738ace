import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Ended, scratchFolder } from '../../server/command.js'

const ENTRY = fileURLToPath(new URL('../../../server/bin/foldgate.js', import.meta.url))
/** A command that takes longer hangs. */
const TIMEOUT_MS = 20_000
const LIST = ['organization', 'list']

describe('the command line on places that cannot be used', () => {
  const scratch = scratchFolder()

  function foldgate(args: readonly string[]): Promise<Ended> {
    const options = { cwd: scratch.path, env: { PATH: process.env.PATH }, timeout: TIMEOUT_MS }
    return new Promise(resolve => {
      const child = execFile(process.execPath, [ENTRY, ...args], options, (_error, stdout, stderr) =>
        resolve({ status: child.exitCode, stdout, stderr }),
      )
    })
  }

  async function refuses(args: readonly string[], message: string): Promise<void> {
    assert.deepEqual(await foldgate(args), { status: 1, stdout: '', stderr: `error: ${message}\n` })
  }

  describe('as a folder', () => {
    before(async () => {
      await writeFile(join(scratch.path, 'file'), '')
      await symlink('nowhere', join(scratch.path, 'dangling'))
    })

    const folders: [name: string, code: string][] = [
      ['/proc/foldgate', 'ENOENT'],
      ['/proc/foldgate/data', 'ENOENT'],
      ['/dev/null/foldgate', 'ENOTDIR'],
      ['file', 'ENOTDIR'],
      ['./file/below', 'ENOTDIR'],
      ['dangling', 'EEXIST'],
    ]
    for (const [name, code] of folders) {
      it(`refuses ${name}`, async function () {
        if (name.startsWith('/') && process.platform !== 'linux') return this.skip()
        await refuses([...LIST, '--data', name], refusal('data', name, code))
      })
    }

    it('refuses it for the folder that servers share, and for the demonstration', async () => {
      await refuses([...LIST, '--shared', 'file'], refusal('shared', 'file', 'ENOTDIR'))
      await refuses(['demo', '--once', '--data', 'file'], refusal('data', 'file', 'ENOTDIR'))
    })
  })
})

function refusal(what: 'data' | 'shared', name: string, code: string): string {
  return `The ${what} folder "${name}" cannot be used (${code}): name one that can be written to`
}
