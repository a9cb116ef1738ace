import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { watch } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Catalogue, type DirectorySnapshots, defineCatalogue, defineFold, directorySnapshots } from 'foldgate'
import { fromFolder, openSealer, type Sealer, SealerError } from 'foldgate/sealing'
import { PROJECT } from '../service/service.js'
import { SHOP, shop } from '../service/shop.js'
import { until } from '../until.js'

const about = 'A fold of the tests.'
const fold = (name: string, sql: string) => defineFold({ name, about, reads: ['orders'], sql })
const withFolds = (folds: ReturnType<typeof fold>[], examples = shop.examples) =>
  defineCatalogue({ relations: [...shop.relations.values(), ...folds], examples, rowLimits: shop.rowLimits })

describe('a sealer, before its first package', () => {
  let folder: string
  let snapshots: DirectorySnapshots
  const sealers: Sealer[] = []
  /** Names of the folders in which catalogues were checked. */
  const checks = new Set<string>()

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    snapshots = directorySnapshots(join(folder, 'snapshots'))
    await mkdir(join(folder, 'scratch'))
    for (const [name, text] of Object.entries(SHOP)) await writeFile(join(folder, name), text)
    checks.clear()
  })
  afterEach(async () => {
    for (const sealer of sealers.splice(0)) await sealer.close()
    await rm(folder, { recursive: true })
  })

  const open = async (catalogue: Catalogue) => {
    const sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
    sealers.push(sealer)
    return sealer
  }
  const request = () => ({ projectId: PROJECT, assessmentId: randomUUID(), tables: fromFolder(folder) })
  const sealed = () => snapshots.list(PROJECT, AbortSignal.timeout(10_000))
  const noteChecks = (name: string | null) => {
    if (name?.startsWith('check-')) checks.add(name)
  }

  it('refuses a catalogue with mistakes, lists them, and seals nothing', async () => {
    const examples = [...shop.examples, { question: 'Whose?', sql: 'SELECT customer FROM orders' }]
    const sealer = await open(withFolds([fold('wrong', 'SELECT totl FROM orders')], examples))
    for (const work of [
      () => sealer.seal(request()),
      () => sealer.check({ tables: request().tables }),
      () => sealer.seal(request()),
    ])
      await assert.rejects(work(), (cause: unknown) => {
        assert.ok(cause instanceof SealerError)
        assert.equal(cause.reason, 'catalogue')
        const [first, ...lines] = cause.message.split('\n')
        assert.equal(first, 'The catalogue has mistakes, so nothing is sealed:')
        assert.match(lines[0] ?? '', /^fold "wrong": .*"totl"/)
        assert.match(lines[1] ?? '', /^example \d+ \("Whose\?"\): .*"customer"/)
        assert.equal(lines.length, 2)
        return true
      })
    assert.deepEqual(await sealed(), [])
  })

  it('checks a catalogue once, for all packages and sealers of the process', async () => {
    const catalogue = withFolds([])
    const watcher = watch(join(folder, 'scratch'), (_, name) => noteChecks(name))
    try {
      const [one, other] = [await open(catalogue), await open(catalogue)]
      const work = [
        one.seal(request()),
        one.seal(request()),
        other.seal(request()),
        other.check({ tables: request().tables }),
      ]
      await Promise.all(work)
      await one.seal(request())
      await until(() => checks.size > 0, 'a check')
      assert.equal(checks.size, 1)
      assert.equal((await sealed()).length, 4)
    } finally {
      watcher.close()
    }
  })

  it('accepts a fold that only the rows of a package make fail, and any function that a host may add', async () => {
    const examples = [{ question: 'Decoded?', sql: 'SELECT decode(encode(state)) AS state FROM orders' }]
    const sealer = await open(withFolds([fold('of_rows', 'SELECT CAST(state AS INTEGER) AS n FROM orders')], examples))
    await sealer.seal(request())
    assert.equal((await sealed()).length, 1)
  })

  it('goes on checking for others when a caller leaves, and again after all have left', async () => {
    const catalogue = withFolds([])
    const [sealer, staying] = [await open(catalogue), await open(catalogue)]
    const sealAndLeave = async () => {
      const leaving = new AbortController()
      const sealing = sealer.seal({ ...request(), signal: leaving.signal })
      leaving.abort(new Error('no longer wanted'))
      await assert.rejects(sealing, /^Error: no longer wanted$/)
    }
    await sealAndLeave()
    const stays = staying.seal(request())
    await sealAndLeave()
    await stays
    await sealer.seal(request())
    assert.equal((await sealed()).length, 2)
  })

  it('ends the check when it is closed, and leaves no file of it', async () => {
    const sealer = await open(withFolds([]))
    const sealing = sealer.seal(request())
    sealing.catch(() => {})
    await until(
      async () => (await readdir(join(folder, 'scratch'))).some(name => name.startsWith('check-')),
      'a check under way',
    )
    await sealer.close()
    await assert.rejects(sealing, { name: 'SealerError', reason: 'closed' })
    assert.deepEqual(await readdir(join(folder, 'scratch')), [])
  })
})
