import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DirectorySnapshots, directorySnapshots } from 'foldgate'
import { fromFolder, openSealer, type Sealer } from 'foldgate/sealing'
import { catalogue } from '../service/catalogue.js'
import { PACKAGE, PROJECT } from '../service/service.js'

/** So low that a process has used up its part of it after one small package. */
const LITTLE_MEMORY = 400 * 1024 ** 2

describe('a sealer', () => {
  let folder: string
  let snapshots: DirectorySnapshots
  let sealer: Sealer

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    snapshots = directorySnapshots(join(folder, 'snapshots'))
    for (const [name, text] of Object.entries(PACKAGE)) await writeFile(join(folder, name), text)
    const scratch = join(folder, 'scratch')
    sealer = await openSealer({ catalogue, snapshots, folder: scratch, memoryLimitBytes: LITTLE_MEMORY })
  })

  after(async () => {
    await sealer.close()
    await rm(folder, { recursive: true })
  })

  const seal = async (signal?: AbortSignal) => {
    const request = { projectId: PROJECT, assessmentId: randomUUID(), tables: fromFolder(folder) }
    return (await sealer.seal(signal ? { ...request, signal } : request)).manifest.snapshotId
  }

  it('seals further packages, however much memory earlier ones have kept', async () => {
    const sealed = [await seal(), await seal(), await seal()]
    assert.deepEqual(await snapshots.list(PROJECT, AbortSignal.timeout(1000)), sealed.reverse())
  })

  it('seals packages that arrive at once in their order of arrival', async () => {
    const sealed = await Promise.all([seal(), seal(), seal()])
    assert.deepEqual(sealed, [...sealed].sort())
  })

  it('leaves nothing of a package whose sealing was aborted, and seals the next', async () => {
    const listed = await snapshots.list(PROJECT, AbortSignal.timeout(1000))
    const unwanted = new AbortController()
    const sealing = seal(unwanted.signal)
    unwanted.abort(new Error('no longer wanted'))
    await assert.rejects(sealing, /^Error: no longer wanted$/)
    assert.deepEqual(await snapshots.list(PROJECT, AbortSignal.timeout(1000)), listed)
    const left = await readdir(folder, { recursive: true })
    assert.deepEqual(
      left.filter(name => /sealed-|\.(parquet|json)~/.test(name)),
      [],
    )
    await seal()
  })

  it('throws a SealerError if the folder is missing and after it was closed', async () => {
    const request = { projectId: PROJECT, assessmentId: 'an assessment', tables: fromFolder(join(folder, 'missing')) }
    await assert.rejects(sealer.seal(request), {
      name: 'SealerError',
      reason: 'source',
      message: /missing" is not there/,
    })
    const other = await openSealer({ catalogue, snapshots, folder: join(folder, 'other') })
    const sealing = other.seal({ ...request, tables: fromFolder(folder) })
    sealing.catch(() => {})
    await other.close()
    await assert.rejects(sealing, { name: 'SealerError', reason: 'closed' })
    await assert.rejects(other.seal({ ...request, tables: fromFolder(folder) }), {
      name: 'SealerError',
      reason: 'closed',
    })
  })
})
