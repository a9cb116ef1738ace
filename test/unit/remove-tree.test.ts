import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHome } from '#lib/duckdb/home.js'
import { removeTree } from '#lib/sandbox/remove-tree.js'

const LONG_NAME = 'n'.repeat(250)
let folder: string

/** Works in a folder, since a path to what it makes there may be too long. */
function inside(path: string, make: () => void): void {
  const before = process.cwd()
  process.chdir(path)
  try {
    make()
  } finally {
    process.chdir(before)
  }
}

/** Folders in each other, each with a file. */
function nest(name: string, levels: number): void {
  for (let level = 0; level < levels; level++) {
    mkdirSync(name)
    writeFileSync('file', '')
    process.chdir(name)
  }
}

/** Makes a file that even the administrator cannot remove; false where that cannot be had. */
function isImmutable(path: string, isSet = true): boolean {
  try {
    execFileSync('chattr', [isSet ? '+i' : '-i', path], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Gives each test of a suite a folder, which is removed after it. */
function inFolders(): void {
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'foldgate-test-')))
  })
  afterEach(() => {
    execFileSync('rm', ['-rf', folder]) // by other means than what is tested
  })
}

describe('the removal of what a process has made', () => {
  inFolders()
  it('takes paths that are longer than any that the system opens', async () => {
    const tree = join(folder, 'tree')
    mkdirSync(tree)
    inside(tree, () => nest(LONG_NAME, 40))
    inside(tree, () => nest('x', 300))
    const deepest = join(tree, ...Array.from({ length: 40 }, () => LONG_NAME))
    assert.throws(() => lstatSync(deepest), { code: 'ENAMETOOLONG' })
    await removeTree(tree)
    assert.deepEqual(readdirSync(folder), [])
  })

  it('takes names that are no text, and folders without rights', async () => {
    const tree = join(folder, 'tree')
    mkdirSync(join(tree, 'a/b/c'), { recursive: true })
    writeFileSync(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0x66, 0xff, 0xfe, 0x0a])]), '')
    writeFileSync(join(tree, 'a/b/file'), '')
    for (const path of ['a/b', 'a', '.']) chmodSync(join(tree, path), 0)
    await removeTree(tree)
    assert.deepEqual(readdirSync(folder), [])
  })

  it('follows no link, neither inside nor in its place', async () => {
    const kept = join(folder, 'kept')
    mkdirSync(kept)
    writeFileSync(join(kept, 'file'), '')
    mkdirSync(join(folder, 'tree/inner'), { recursive: true })
    for (const path of ['tree/link', 'tree/inner/link', 'link']) symlinkSync(kept, join(folder, path))
    for (const path of ['tree', 'link', 'nothing']) await removeTree(join(folder, path))
    assert.deepEqual(readdirSync(folder), ['kept'])
    assert.deepEqual(readdirSync(kept), ['file'])
  })

  it('takes everything else, and says why, when something cannot be removed', async function () {
    const [tree, fixed] = [join(folder, 'tree'), join(folder, 'tree/a/fixed')]
    mkdirSync(join(tree, 'a/b'), { recursive: true })
    for (const path of [fixed, join(tree, 'a/b/file'), join(tree, 'file')]) writeFileSync(path, '')
    if (!isImmutable(fixed)) this.skip()
    try {
      await assert.rejects(removeTree(tree), { code: 'EPERM' })
      assert.deepEqual(readdirSync(tree, { recursive: true }), ['a', 'a/fixed'])
    } finally {
      isImmutable(fixed, false)
    }
    await removeTree(tree)
    assert.ok(!existsSync(tree))
  })
})

describe('the start of an engine in a folder that a process has filled', () => {
  inFolders()
  const told: string[] = []
  const open = () => openHome(folder, ({ message }) => told.push(message))
  beforeEach(() => told.splice(0))

  it('succeeds, and removes what was left', async () => {
    const own = join(folder, 'scratch/0/own')
    mkdirSync(own, { recursive: true })
    inside(own, () => nest(LONG_NAME, 40))
    const home = await open()
    assert.deepEqual(readdirSync(home.scratch), [])
    await home.leave()
    assert.deepEqual([readdirSync(folder).sort(), told], [['.locks', 'outbox', 'results', 'scratch'], []])
  })

  it('succeeds when something cannot be removed, tells it, and tries again at the next', async function () {
    const fixed = join(folder, 'scratch/0/own/fixed')
    mkdirSync(join(fixed, '..'), { recursive: true })
    writeFileSync(fixed, '')
    if (!isImmutable(fixed)) this.skip()
    const leftIn = () => readdirSync(folder).filter(name => name.startsWith('left-'))
    let found = ''
    try {
      for (let start = 1; start <= 2; start++) {
        const home = await open()
        assert.deepEqual(readdirSync(home.scratch), [])
        await home.leave()
        assert.match(told.at(-1) ?? '', /^Files that earlier processes left in .* cannot be removed: EPERM/)
        assert.deepEqual([told.length, leftIn().length], [start, 1])
      }
    } finally {
      found = execFileSync('find', [folder, '-name', 'fixed'], { encoding: 'utf8' }).trim()
      isImmutable(found, false)
    }
    const home = await open()
    await home.leave()
    assert.deepEqual([told.length, leftIn()], [2, []])
  })
})
