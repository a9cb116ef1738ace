import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineCatalogue, defineFold } from 'foldgate'
import { checkCatalogue } from 'foldgate/sealing'
import { childrenOf } from '../../bench/bombs/watch.js'
import { shop } from '../service/shop.js'
import { endAtWork } from './at-work.js'

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

  it('goes on when others have killed a process, and blames no relation for that', async function () {
    if (process.platform !== 'linux') this.skip()
    const sql = 'SELECT count(*) AS n FROM range(200000000) t(i) WHERE hash(i) <> 1'
    const slow = defineFold({ name: 'slow', about: 'Takes a second to build.', reads: [], sql })
    const checking = checkCatalogue(defineCatalogue({ relations: [slow] }), { folder })
    const workers = () => childrenOf(process.pid).filter(pid => scriptOf(pid).includes('/child/main'))
    await endAtWork(workers, 'SIGKILL')
    assert.deepEqual(await checking, [])
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

/** The command line of a process; empty if it has ended. */
function scriptOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1')
  } catch {
    return ''
  }
}
