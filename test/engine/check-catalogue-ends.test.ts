import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkCatalogue } from 'foldgate/sealing'
import { shop } from '../service/shop.js'

describe('a check of a catalogue that cannot go on', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
  })
  after(() => rm(folder, { recursive: true }))

  it('rejects when it cannot run, and never finds nothing then', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    await assert.rejects(checkCatalogue(shop, { folder: file }), /^Error: The catalogue could not be checked: ENOTDIR/)
    await rm(file)
    const wrong = { guard: { functions: ['nonsense'] } }
    await assert.rejects(checkCatalogue(shop, { folder, ...wrong }), /^TypeError: guard\.functions has "nonsense"/)
    await assert.rejects(checkCatalogue(shop, { folder, sandbox: 'on' as never }), /^TypeError: sandbox is/)
    assert.deepEqual(await readdir(folder), [])
  })

  it('rejects with the reason of the signal, whenever it is aborted, and leaves nothing behind', async () => {
    await assert.rejects(
      checkCatalogue(shop, { folder, signal: AbortSignal.abort(new Error('left before')) }),
      /left before/,
    )
    for (const ms of [1, 50, 200]) {
      const leaving = new AbortController()
      const checking = checkCatalogue(shop, { folder, signal: leaving.signal })
      setTimeout(() => leaving.abort(new Error('left meanwhile')), ms)
      await checking.then(
        problems => assert.deepEqual(problems, []),
        cause => assert.match(String(cause), /left meanwhile/),
      )
      assert.deepEqual(await readdir(folder), [])
    }
  })
})
