import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, chown, cp, mkdir, readdir, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Ended, scratchFolder } from '../../server/command.js'
import { SmallDisk } from '../faults/disk.js'

const ENTRY = fileURLToPath(new URL('../../../server/bin/foldgate.js', import.meta.url))
/** A command that takes longer hangs. */
const TIMEOUT_MS = 20_000
/** Root may write everywhere, so its tests of permissions run as "nobody". */
const OTHER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : null
const ADD = ['organization', 'add', 'north', '--name', 'The North']
const LIST = ['organization', 'list']

describe('the command line on places that cannot be used', () => {
  const scratch = scratchFolder()

  function foldgate(args: readonly string[], user = {}): Promise<Ended> {
    const options = { cwd: scratch.path, env: { PATH: process.env.PATH }, timeout: TIMEOUT_MS, ...user }
    return new Promise(resolve => {
      const child = execFile(process.execPath, [ENTRY, ...args], options, (_error, stdout, stderr) =>
        resolve({ status: child.exitCode, stdout, stderr }),
      )
    })
  }

  async function refuses(args: readonly string[], message: string, user = {}): Promise<void> {
    assert.deepEqual(await foldgate(args, user), { status: 1, stdout: '', stderr: `error: ${message}\n` })
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
      await refuses(['snapshot', 'verify', '--shared', 'file'], refusal('shared', 'file', 'ENOTDIR'))
      await refuses(['demo', '--once', '--data', 'file'], refusal('data', 'file', 'ENOTDIR'))
    })
  })

  describe('as a control store', () => {
    before(async () => {
      await foldgate([...ADD, '--data', 'whole'])
      await chmod(scratch.path, 0o755)
    })

    const copy = (name: string) => cp(join(scratch.path, 'whole'), join(scratch.path, name), { recursive: true })

    async function give(name: string, user: { uid: number; gid: number }): Promise<void> {
      const folder = join(scratch.path, name)
      for (const each of ['.', ...(await readdir(folder))]) await chown(join(folder, each), user.uid, user.gid)
    }

    const permitted = 'this user must be allowed to'
    const opened = `cannot be opened: it must be a file, and ${permitted} read and write it and its folder`
    const written = `cannot be written: ${permitted} write to it and to its folder`
    const damaged =
      'is damaged: restore it from a backup as docs/operate.md says, or move it away to start with an empty one'

    const files: [what: string, spoil: (file: string) => Promise<void>, told: string][] = [
      ['is a folder', file => mkdir(file), opened],
      [
        'is not a database',
        file => writeFile(file, 'this is no database at all\n'.repeat(100)),
        'is not a database: move it away, or name another folder',
      ],
      ['is cut off', file => truncate(file, 8192), damaged],
    ]
    for (const [what, spoil, told] of files) {
      it(`refuses a file that ${what}`, async () => {
        const name = what.replaceAll(' ', '-')
        if (what === 'is a folder') await mkdir(join(scratch.path, name))
        else await copy(name)
        await spoil(join(scratch.path, name, 'control.db'))
        for (const command of [LIST, ['serve', '--port', '0']])
          await refuses([...command, '--data', name], `The control store "${name}/control.db" ${told}`)
      })
    }

    const permissions: [what: string, part: string, mode: number, told: string][] = [
      ['file that cannot be read', 'control.db', 0o000, opened],
      ['file that cannot be written', 'control.db', 0o400, written],
      ['folder that cannot be written', '.', 0o500, written],
    ]
    for (const [what, part, mode, told] of permissions) {
      it(`refuses a ${what}`, async function () {
        if ((await foldgate(['--version'], OTHER ?? {})).status !== 0) {
          console.log('      left out: another user may not read this checkout')
          return this.skip()
        }
        const name = what.replaceAll(' ', '-')
        await copy(name)
        if (OTHER) await give(name, OTHER)
        await chmod(join(scratch.path, name, part), mode)
        const message = `The control store "${name}/control.db" ${told}`
        await refuses([...ADD, '--data', name], message, OTHER ?? {})
      })
    }

    it('says when the disk is full', async function () {
      const disk = SmallDisk.mount(4)
      if (!disk) {
        console.log('      left out: this user may not mount a small disk')
        return this.skip()
      }
      try {
        // With no room at all, and with too little for the tables.
        for (const leftKiB of [0, 64]) {
          await disk.empty()
          await disk.fill(leftKiB)
          const { status, stderr } = await foldgate([...LIST, '--data', disk.folder])
          assert.equal(status, 1)
          assert.ok(stderr.startsWith(`error: The control store "${disk.folder}/control.db" `), stderr)
          assert.match(
            stderr,
            /(has no room left on its disk: free some|check that its disk works and has room) \(\d+ KiB are free\)\n$/,
          )
        }
        await disk.empty()
        assert.equal((await foldgate([...ADD, '--data', disk.folder])).status, 0)
      } finally {
        await disk.unmount()
      }
    })
  })
})

function refusal(what: 'data' | 'shared', name: string, code: string): string {
  return `The ${what} folder "${name}" cannot be used (${code}): name one that can be written to`
}
