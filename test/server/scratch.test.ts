import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sweepScratch, withScratch } from '#server/snapshots/scratch.js'
import { scratchFolder } from './command.js'

const ROUNDS = 10
const PROGRAM = `
  import { existsSync } from 'node:fs'
  import { withScratch } from '#server/snapshots/scratch.js'
  let whole = 0
  for (let round = 0; round < ${ROUNDS}; round++)
    await withScratch({ scratch: process.argv[1] }, async scratch => {
      if (existsSync(scratch)) whole++
    })
  process.stdout.write(String(whole))
`

describe('scratch folders', () => {
  const root = scratchFolder()

  it('are given to processes that begin, sweep and end at once', async () => {
    const folder = join(root.path, 'at-once')
    await mkdir(folder)
    const args = ['--input-type=module', '--eval', PROGRAM, folder]
    const processes = [1, 2, 3, 4].map(() => promisify(execFile)(process.execPath, args))
    const ended = await Promise.all(processes)
    assert.deepEqual(
      ended.map(({ stdout }) => Number(stdout)),
      ended.map(() => ROUNDS),
    )
    assert.deepEqual(await readdir(folder), [])
  })

  it('are removed when their process has ended without that, and not before', async () => {
    const folder = join(root.path, 'abandoned')
    await mkdir(join(folder, 'old'), { recursive: true })
    for (const name of ['old.lock', 'old.new', 'recent.new']) await writeFile(join(folder, name), '')
    await utimes(join(folder, 'old.new'), 0, 0)
    await withScratch({ scratch: folder }, async scratch => {
      await sweepScratch(folder)
      assert.ok((await readdir(folder)).every(name => !name.startsWith('old')))
      assert.deepEqual(await readdir(scratch), [])
    })
    assert.deepEqual(await readdir(folder), ['recent.new'])
  })
})
