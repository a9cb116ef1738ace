import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Listings } from '#lib/snapshots/listings.js'

/** Runs a program to its end: another process changes the folder, and the clock of the file system moves on. */
const inAnotherProcess = (program: string, ...args: string[]) => void execFileSync(program, args)
/** As if nothing had changed for a minute. */
const aMinuteLater = () => Date.now() + 60_000

describe('listings of folders', () => {
  let folder: string
  let reads: number
  const read = async (of: string) => {
    reads += 1
    return (await readdir(of)).sort()
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    await mkdir(join(folder, 'one'))
    reads = 0
  })

  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('are kept while the folder stays as it is', async function () {
    if (process.platform !== 'linux') this.skip() // elsewhere, every call reads the folder
    const listings = new Listings(read, aMinuteLater)
    for (let call = 0; call < 3; call++) assert.deepEqual(await listings.list(folder), ['one'])
    assert.equal(reads, 1)
  })

  it('have what another process added, and not what it removed, at the very next call', async () => {
    const listings = new Listings(read, aMinuteLater)
    assert.deepEqual(await listings.list(folder), ['one'])
    inAnotherProcess('mkdir', join(folder, 'two'))
    assert.deepEqual(await listings.list(folder), ['one', 'two'])
    inAnotherProcess('rmdir', join(folder, 'one'))
    assert.deepEqual(await listings.list(folder), ['two'])
  })

  it('have what was renamed into the folder under a modification time that was set back', async () => {
    await mkdir(join(folder, 'drafts'))
    const home = join(folder, 'one')
    inAnotherProcess('mkdir', join(folder, 'drafts', 'new'))
    const listings = new Listings(read, aMinuteLater)
    const { atime, mtime } = await stat(home)
    assert.deepEqual(await listings.list(home), [])
    inAnotherProcess('mv', join(folder, 'drafts', 'new'), home)
    await utimes(home, atime, mtime)
    assert.deepEqual(await listings.list(home), ['new'])
  })

  it('are not kept of a folder that has just changed: its next change may have the same time stamp', async () => {
    const listings = new Listings(read)
    await listings.list(folder)
    await listings.list(folder)
    assert.equal(reads, 2)
  })

  it('are not kept when the folder changes while it is read', async () => {
    const listings = new Listings(async of => {
      const names = await read(of)
      if (reads === 1) inAnotherProcess('mkdir', join(folder, 'two'))
      return names
    }, aMinuteLater)
    assert.deepEqual(await listings.list(folder), ['one'])
    assert.deepEqual(await listings.list(folder), ['one', 'two'])
  })

  it('fail while the folder is missing, and not with those of the one before', async () => {
    const listings = new Listings(read, aMinuteLater)
    await listings.list(folder)
    await rm(folder, { recursive: true })
    await assert.rejects(listings.list(folder), { code: 'ENOENT' })
    await mkdir(join(folder, 'two'), { recursive: true })
    assert.deepEqual(await listings.list(folder), ['two'])
  })
})
