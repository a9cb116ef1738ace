import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeOwnFolder, removeLeft } from '#lib/files/own-folder.js'
import { OWN_NAME } from '#lib/flow/identity.js'

const ROUNDS = 10
const PROGRAM = `
  import { existsSync } from 'node:fs'
  import { rm } from 'node:fs/promises'
  import { makeOwnFolder } from '#lib/files/own-folder.js'
  let whole = 0
  for (let round = 0; round < ${ROUNDS}; round++) {
    const folder = await makeOwnFolder(process.argv[1], 'check')
    if (existsSync(folder)) whole++
    if (round < ${ROUNDS} - 1) await rm(folder, { recursive: true })
  }
  process.stdout.write(String(whole))
`

describe('folders of a process', () => {
  let root: string

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
  })
  afterEach(() => rm(root, { recursive: true }))

  it('are given to processes that begin and end at once, and removed when one has ended without that', async () => {
    const args = ['--input-type=module', '--eval', PROGRAM, root]
    const processes = [1, 2, 3, 4].map(() => promisify(execFile)(process.execPath, args))
    const ended = await Promise.all(processes)
    assert.deepEqual(
      ended.map(({ stdout }) => Number(stdout)),
      ended.map(() => ROUNDS),
    )
    const own = await makeOwnFolder(root, 'seal')
    assert.deepEqual(await readdir(root), [own.slice(root.length + 1)])
  })

  it('of unknown processes are removed on demand, once they are abandoned', async () => {
    const old = await makeOwnFolder(root, 'seal')
    const names = { old: `diff-elsewhere-1-2~${randomUUID()}`, recent: `diff-elsewhere-1-3~${randomUUID()}` }
    for (const name of [...Object.values(names), 'data', 'seal-x']) await mkdir(join(root, name))
    for (const path of [old, join(root, names.old), join(root, 'data')]) await utimes(path, 0, 0)
    await removeLeft(root)
    assert.equal((await readdir(root)).length, 5)
    await removeLeft(root, { ofUnknown: true })
    const left = ['data', 'seal-x', names.recent, ...(OWN_NAME === null ? [] : [old.slice(root.length + 1)])]
    assert.deepEqual((await readdir(root)).sort(), left.sort())
  })
})
