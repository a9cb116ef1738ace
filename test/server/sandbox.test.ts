import assert from 'node:assert/strict'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { SandboxState } from '#lib/sandbox/walls.js'
import { ask, run, scratchFolder } from './command.js'

const WALLS = ['files', 'network', 'programs', 'processes', 'calls']

describe('foldgate sandbox', () => {
  const scratch = scratchFolder()
  /** A PATH on which the programs that put up walls fail, as they do where they are not allowed to. */
  let without: { environment: NodeJS.ProcessEnv }

  before(async () => {
    const folder = join(scratch.path, 'bin')
    await mkdir(folder)
    for (const name of ['bwrap', 'setpriv']) {
      await writeFile(join(folder, name), '#!/bin/sh\necho "not allowed here" >&2\nexit 1\n')
      await chmod(join(folder, name), 0o755)
    }
    without = { environment: { PATH: [folder, process.env.PATH].join(delimiter) } }
  })

  it('says which walls hold here, and fails unless all do', async () => {
    const { status, stdout } = await ask(scratch.path, ['sandbox', '--json'])
    const { launcher, walls, missing } = JSON.parse(stdout) as SandboxState
    assert.equal(status, missing === null ? 0 : 1)
    assert.deepEqual(missing === null ? walls : [], missing === null ? WALLS : [])
    assert.equal(launcher === null, walls.length === 0)
    const { stdout: text } = await run(scratch.path, ['sandbox'])
    for (const wall of WALLS)
      assert.match(text, new RegExp(`^${wall} +${walls.includes(wall as 'files') ? 'holds' : 'missing'} `, 'm'))
  })

  it('says why there are none', async () => {
    if (process.platform !== 'linux') return
    const { status, stdout, stderr } = await run(scratch.path, ['sandbox'], without)
    assert.equal(status, 1)
    assert.match(stdout, /^Nothing puts up walls here\.$/m)
    assert.match(
      stderr,
      /^error: Walls are missing: bubblewrap does not start: not allowed here; setpriv does not start: not allowed here\. Install /m,
    )
  })

  it('says that it cannot try any without a temporary folder', async () => {
    if (process.platform !== 'linux') return
    const environment = { ...without.environment, TMPDIR: join(scratch.path, 'nowhere') }
    const { status, stderr } = await run(scratch.path, ['sandbox'], { environment })
    assert.equal(status, 1)
    assert.match(stderr, /bubblewrap does not start: ENOENT: no such file or directory, mkdtemp /)
  })

  it('is what a server needs that requires it', async () => {
    const { status, stderr } = await run(scratch.path, ['serve', '--port', '0', '--sandbox', 'required'], without)
    assert.equal(status, 1)
    assert.match(stderr, /^error: The sandbox is required, but these of its walls are missing here: files, network, /m)
    assert.match(stderr, /Install bubblewrap and allow user namespaces, or install util-linux 2\.41 or later/)
  })

  it('has a mode of its name', async () => {
    const { status, stderr } = await run(scratch.path, ['serve', '--sandbox', 'on'])
    assert.equal(status, 1)
    assert.match(stderr, /--sandbox .*auto, required or off/)
  })
})
