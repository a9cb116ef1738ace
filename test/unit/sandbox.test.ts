import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import {
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchers } from '#lib/sandbox/launchers.js'
import { followed } from '#lib/sandbox/paths.js'
import { findSandbox, NO_SANDBOX, openSandbox, SandboxMissing } from '#lib/sandbox/sandbox.js'
import { WALLS } from '#lib/sandbox/walls.js'
import { World, WorldGone } from '#lib/sandbox/world.js'

const SHARED_MEMORY = '/dev/shm'
let folder: string

function inFolder(): void {
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'foldgate-test-')))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))
}

async function furnished(): Promise<World> {
  const world = new World(join(folder, 'world'))
  for (const path of [world.given, world.own]) await mkdir(path, { recursive: true })
  return world
}

describe('the folder of a process', () => {
  inFolder()

  it('is given a file as a link, which the host replaces when the file has changed', async () => {
    const world = await furnished()
    const [from, given] = [join(folder, 'rows'), join(world.given, 'a/rows')]
    await writeFile(from, 'first')
    await world.give('a/rows', from)
    assert.equal((await stat(given)).ino, (await stat(from)).ino)
    await writeFile(join(folder, 'next'), 'second')
    await rename(join(folder, 'next'), from)
    assert.equal(await readFile(given, 'utf8'), 'first')
    await world.give('a/rows', from)
    assert.equal(await readFile(given, 'utf8'), 'second')
    await world.withdraw('a/rows')
    assert.ok(!existsSync(given) && existsSync(from))
  })

  it('is given a copy of a file on another file system', async function () {
    const world = await furnished()
    const isOther = existsSync(SHARED_MEMORY) && (await stat(SHARED_MEMORY)).dev !== (await stat(folder)).dev
    if (!isOther) this.skip()
    const other = await mkdtemp(join(SHARED_MEMORY, 'foldgate-test-'))
    try {
      await writeFile(join(other, 'rows'), 'far')
      await world.give('rows', join(other, 'rows'))
      assert.equal(await readFile(join(world.given, 'rows'), 'utf8'), 'far')
      assert.equal((await stat(join(world.given, 'rows'))).nlink, 1)
      // A copy of what a supplier's link leads to would be a file of the host's in the world of the process.
      await symlink(join(folder, 'secret'), join(other, 'link'))
      await writeFile(join(folder, 'secret'), 'secret')
      await assert.rejects(world.give('link', join(other, 'link')), { code: 'ELOOP' })
      assert.equal(existsSync(join(world.given, 'link')), false)
    } finally {
      await rm(other, { recursive: true })
    }
  })

  it('is given no file that does not exist, and nothing once it is removed', async () => {
    const world = await furnished()
    await assert.rejects(world.give('rows', join(folder, 'rows')), { code: 'ENOENT' })
    await writeFile(join(folder, 'rows'), '')
    await world.check()
    await world.remove()
    await assert.rejects(world.check(), WorldGone)
    await assert.rejects(world.give('rows', join(folder, 'rows')), WorldGone)
    assert.ok(!existsSync(world.folder))
  })

  it('gives away a regular file, to where the process does not reach', async () => {
    const world = await furnished()
    await writeFile(join(world.own, 'made'), 'rows')
    const taken = await world.take('made')
    assert.equal(await readFile(taken, 'utf8'), 'rows')
    for (const reach of [world.own, world.given]) assert.ok(!taken.startsWith(`${reach}/`), taken)
    assert.ok(!existsSync(join(world.own, 'made')))
    await assert.rejects(world.take('made'), { code: 'ENOENT' })
  })

  it('gives away nothing else: no link, no folder', async () => {
    const world = await furnished()
    const store = join(folder, 'store')
    await writeFile(store, 'of the host')
    await symlink(store, join(world.own, 'symbolic'))
    await symlink(folder, join(world.own, 'to-folder'))
    await symlink('nowhere', join(world.own, 'broken'))
    await link(store, join(world.own, 'hard'))
    await mkdir(join(world.own, 'folder'))
    for (const name of ['symbolic', 'to-folder', 'broken', 'hard', 'folder'])
      await assert.rejects(world.take(name), /something else than a regular file/, name)
    assert.equal(await readFile(store, 'utf8'), 'of the host')
  })

  it('gives away nothing beyond it: by no name, and by no link in place of a folder', async () => {
    const world = await furnished()
    await mkdir(join(folder, 'other'))
    await writeFile(join(folder, 'other/store'), 'of the host')
    await writeFile(join(world.own, '.hidden'), '')
    await symlink(join(folder, 'other'), join(world.own, 'to-folder'))
    const names = ['../../other/store', 'a/../../../other/store', join(folder, 'other/store'), '', '.', '..', '.hidden']
    for (const name of [...names, 'a//b', 'a/', 'a\0b'])
      await assert.rejects(world.take(name), /made no file of such a name/, name)
    assert.ok(!existsSync(join(world.folder, 'taken')))
    await assert.rejects(world.take('to-folder/store'), { code: 'ENOTDIR' })
    assert.equal(await readFile(join(folder, 'other/store'), 'utf8'), 'of the host')
  })

  it('is empty when another process starts in it', async () => {
    const world = await furnished()
    const script = { url: new URL(import.meta.url), packages: [] }
    await writeFile(join(world.own, 'left'), '')
    await writeFile(join(world.given, 'given'), '')
    await world.furnish(script, false)
    assert.deepEqual([await readdir(world.own), await readdir(world.given)], [[], ['given']])
  })
})

describe('the paths that a process is shown', () => {
  inFolder()

  it('are real ones, with the links that lead to them', async () => {
    const at = (path: string) => join(folder, path)
    await mkdir(at('real/inner'), { recursive: true })
    await writeFile(at('real/inner/file'), '')
    await symlink(at('real'), at('absolute'))
    await symlink('real/inner', at('relative'))
    await symlink('../absolute/inner/file', at('real/up'))
    const shown = (...paths: string[]) => followed(paths.map(at))
    assert.deepEqual(shown('absolute/inner/file'), {
      real: [at('real/inner/file')],
      links: [{ path: at('absolute'), target: at('real') }],
    })
    assert.deepEqual(shown('relative/file'), {
      real: [at('real/inner/file')],
      links: [{ path: at('relative'), target: 'real/inner' }],
    })
    assert.deepEqual(shown('real/up'), {
      real: [at('real/inner/file')],
      links: [
        { path: at('real/up'), target: '../absolute/inner/file' },
        { path: at('absolute'), target: at('real') },
      ],
    })
    // What is within a folder that is shown is there, links included.
    assert.deepEqual(shown('real', 'real/inner/file', 'real/inner'), { real: [at('real')], links: [] })
    assert.deepEqual(shown('real', 'real/up'), {
      real: [at('real')],
      links: [{ path: at('absolute'), target: at('real') }],
    })
  })

  it('are none for links that lead nowhere or in a circle', async () => {
    const at = (path: string) => join(folder, path)
    await symlink(at('b'), at('a'))
    await symlink(at('a'), at('b'))
    await symlink(at('self/self'), at('self'))
    await symlink(at('missing'), at('broken'))
    assert.deepEqual(followed(['a', 'self', 'broken', 'missing'].map(at)).real, [])
  })
})

describe('a sandbox', () => {
  it('is none when it is off', async () => {
    assert.equal(await openSandbox('off'), NO_SANDBOX)
  })

  it('that is required but missing says what to install', async function () {
    if (process.platform !== 'linux') this.skip()
    const sandbox = await findSandbox([])
    assert.deepEqual([sandbox.launcher, sandbox.walls], [null, []])
    assert.equal(
      new SandboxMissing(sandbox).message,
      'The sandbox is required, but these of its walls are missing here: files, network, programs, processes, calls. ' +
        'Why: bubblewrap is not installed; setpriv is not installed. Install bubblewrap and allow user namespaces, or ' +
        'install util-linux 2.41 or later, whose setpriv needs a kernel with Landlock.',
    )
  })

  it('names the walls that a launcher lacks, and the one that does not start', async function () {
    if (process.platform !== 'linux') this.skip()
    const words = ['/bin/sh', '-c', 'echo "no user namespaces" >&2; exit 1']
    const { walls, missing } = await findSandbox([
      { name: 'bubblewrap', before: () => ({ words, fd9: null }) },
      { name: 'setpriv', before: () => ({ words: [], fd9: null }) },
    ])
    assert.deepEqual(walls, [])
    assert.match(missing ?? '', /^bubblewrap does not start: no user namespaces; setpriv does not put up: files, /)
  })

  it('has every wall behind the first launcher that holds', async function () {
    const sandbox = await findSandbox(launchers())
    if (!sandbox.launcher || sandbox.missing) this.skip()
    assert.deepEqual(sandbox.walls, WALLS)
  })
})
