import assert from 'node:assert/strict'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { openSandbox, stateOf } from '#lib/sandbox/sandbox.js'
import { run, scratchFolder } from './command.js'
import { isEmbedded } from './stores.js'

const WALLS = ['files', 'network', 'programs', 'processes', 'calls']

describe('foldgate doctor', () => {
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

  interface Checked {
    check: string
    state: string
    message: string
  }

  async function examined(
    given: { environment?: NodeJS.ProcessEnv; wrapper?: readonly string[] } = {},
    ...flags: string[]
  ) {
    const { status, stdout, stderr } = await run(scratch.path, ['doctor', '--json', ...flags], given)
    const checks = new Map((JSON.parse(stdout).checks as Checked[]).map(each => [each.check, each]))
    const states = (...names: string[]) => names.map(name => checks.get(name)?.state)
    return { status, stderr, checks, states, told: (name: string) => checks.get(name)?.message ?? '' }
  }

  it('finds nothing wrong with an empty folder, and prints a line per check', async () => {
    const { walls, missing } = stateOf(await openSandbox('auto'))
    const { status, stderr, checks, states } = await examined()
    assert.deepEqual([status, stderr], [0, ''])
    const [first] = checks.keys()
    assert.equal(first, 'node')
    const sound = ['node', 'catalogue', 'data folder', 'store', 'snapshots', 'engine']
    assert.deepEqual(new Set(states(...sound)), new Set(['ok']))
    for (const what of ['memory', 'descriptors', 'processes', 'disk'])
      assert.match(states(what)[0] ?? '', /^(ok|warning)$/)
    assert.deepEqual(states('sandbox'), [missing === null ? 'ok' : 'warning'])
    const expected = WALLS.map(wall => (walls.includes(wall as 'files') ? 'ok' : 'warning'))
    assert.deepEqual(states(...WALLS.map(wall => `wall ${wall}`)), expected)
    const { stdout } = await run(scratch.path, ['doctor'])
    assert.match(stdout, /^CHECK +STATE +FOUND\n/)
    assert.match(stdout, /^engine +ok +processes start, and answer/m)
  })

  it('says why there are no walls, which fail where they are required', async () => {
    if (process.platform !== 'linux') return
    const { status, states, told } = await examined(without)
    assert.deepEqual([status, states('sandbox', 'wall network')], [0, ['warning', 'warning']])
    assert.match(
      told('sandbox'),
      /bubblewrap does not start: not allowed here; setpriv does not start: not allowed here/,
    )
    const required = await examined(without, '--sandbox', 'required')
    assert.deepEqual([required.status, required.states('sandbox', 'wall files')], [1, ['failed', 'failed']])
    assert.match(required.stderr, /^error: Checks have failed: sandbox, wall files, .*\bengine\n$/)
  })

  it('says that it cannot try walls without a temporary folder', async () => {
    if (process.platform !== 'linux') return
    const environment = { ...without.environment, TMPDIR: join(scratch.path, 'nowhere') }
    const { told } = await examined({ environment })
    assert.match(told('sandbox'), /bubblewrap does not start: ENOENT: no such file or directory, mkdtemp /)
  })

  it('finds a store that is no database, a folder for snapshots that is a file, and tells no password', async function () {
    if (!isEmbedded) return this.skip()
    await mkdir(join(scratch.path, 'damaged'))
    await writeFile(join(scratch.path, 'damaged', 'control.db'), 'no database, but a text of some length\n'.repeat(30))
    const damaged = await examined({}, '--data', 'damaged')
    assert.deepEqual([damaged.status, damaged.states('store', 'engine')], [1, ['failed', 'ok']])
    assert.match(damaged.told('store'), /is not a database: move it away/)
    await writeFile(join(scratch.path, 'shared'), '')
    const shared = await examined({}, '--data', 'other', '--shared', 'shared')
    assert.deepEqual([shared.status, shared.states('store', 'snapshots')], [1, ['ok', 'failed']])
    assert.match(
      shared.told('snapshots'),
      /The shared folder "shared" cannot be used \(E\w+\): name one that can be written/,
    )
    const unreachable = await examined({}, '--data', 'other', '--store', 'postgres://ada:hunter2@127.0.0.1:9/x')
    assert.deepEqual(unreachable.states('store'), ['failed'])
    assert.match(unreachable.told('store'), /cannot be reached \(ECONNREFUSED\): start it/)
    assert.ok(!JSON.stringify([...unreachable.checks]).includes('hunter2'))
  })

  it('finds mistakes in a catalogue, and too few descriptors', async () => {
    await writeFile(join(scratch.path, 'wrong.js'), 'export default {}\n')
    const wrong = await examined({}, '--catalogue', 'wrong.js')
    assert.deepEqual([wrong.status, wrong.states('catalogue')], [1, ['failed']])
    if (process.platform !== 'linux') return
    const few = await examined({ wrapper: ['/bin/sh', '-c', 'ulimit -n 380; exec "$@"', 'sh'] })
    assert.deepEqual([few.status, few.states('descriptors')], [1, ['failed']])
    assert.match(few.told('descriptors'), /raise the limit to \d+ or more/)
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
