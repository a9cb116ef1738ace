import assert from 'node:assert/strict'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineCatalogue, defineFold, defineTable, directorySnapshots } from 'foldgate'
import { catalogue } from '../../../examples/catalogue.js'
import { mistakes } from '../../../examples/guides/checks.js'
import { filesToKeep, refresh, sealEach, verifyAll } from '../../../examples/guides/sealing.js'
import { sealSources } from '../../../examples/guides/sources.js'
import { tree } from '../../../examples/tree.js'
import { readFromRoot } from '../../house/documents.js'
import { scratchFolder } from '../../server/command.js'
import { tablesOf } from '../../stored.js'

const [PROJECT, OTHER] = ['d2b0ab4e-0f43-4c47-9a3a-3d6e0a1c5b10', '0b9e3f5a-6a54-4b0e-9d6f-6e2d3d0c9a11']

describe('the code of the guides that checks and seals', () => {
  const scratch = scratchFolder()
  let source: string
  before(async () => {
    source = join(scratch.path, 'tables')
    await mkdir(source)
    await writeFile(join(source, 'cars.csv'), 'car_id,city\n1,Lima\n2,Nairobi\n')
    await writeFile(join(source, 'trips.csv'), 'trip_id,car_id,km\n1,1,12\n2,1,4\n3,2,31\n')
  })

  it('finds no mistake in the catalogues of the examples, and the place of one', async () => {
    for (const right of [catalogue, tree]) assert.deepEqual(await mistakes(right), [])
    const orders = defineTable({ name: 'orders', columns: { total: 'DECIMAL(12,2)' } })
    const sql = 'SELECT sum(totl) AS total FROM orders'
    const wrong = defineFold({ name: 'revenue', about: 'One row: all that was paid.', reads: ['orders'], sql })
    const found = await mistakes(defineCatalogue({ relations: [orders, wrong] }))
    assert.equal(found.length, 1)
    assert.match(found[0] ?? '', /^fold "revenue": .*totl/)
  })

  it('names the types of columns that tables may have', async () => {
    const [, section = ''] = /^## Types\n(.*?)^## /ms.exec(await readFromRoot('docs/guides/catalogue.md')) ?? []
    const [list = '', refused = ''] = section.split(/Other names|are refused/)
    const define = (type: string) => defineCatalogue({ relations: [defineTable({ name: 't', columns: { c: type } })] })
    const named = (text: string) => [...text.matchAll(/`([A-Z][^`]+)`/g)].map(([, type = '']) => type)
    assert.ok(named(list).length > 30)
    for (const type of named(list)) assert.doesNotThrow(() => define(type), type)
    assert.deepEqual(named(refused), ['STRING', 'DATETIME'])
    for (const type of named(refused)) assert.throws(() => define(type), TypeError)
  })

  it('seals new data, reports what is wrong with it, and keeps the newest three snapshots', async () => {
    const folder = join(scratch.path, 'refreshed')
    const snapshots = directorySnapshots(join(folder, 'snapshots'))
    const told: string[] = []
    const report = (place: string, message: string) => void told.push(`${place}: ${message}`)
    const given = { catalogue, folder, projectId: PROJECT, source, report }
    for (let times = 0; times < 4; times++) {
      await writeFile(join(source, 'cars.csv'), `car_id,city\n1,Lima ${times}\n2,Nairobi\n`)
      assert.ok(await refresh(given))
    }
    assert.deepEqual(told, [])
    const manifests = await snapshots.manifests(PROJECT)
    assert.equal(manifests.length, 3)
    const kept = await filesToKeep(snapshots, PROJECT, 'trips')
    assert.deepEqual(
      kept?.all.map(({ file }) => file.slice(0, 5)),
      ['cars-', 'trips'],
    )
    const [trips = ''] = kept?.ofTable.map(({ file }) => file) ?? []
    assert.equal(kept?.all[1]?.file, trips)

    assert.deepEqual(await verifyAll(snapshots, PROJECT), [])
    await appendFile(join(tablesOf(join(folder, 'snapshots'), PROJECT), trips), 'x')
    const damaged = manifests.map(each => `${each.snapshotId}: ${trips} is not as it was sealed`)
    assert.deepEqual(await verifyAll(snapshots, PROJECT), damaged, 'the three share the file')

    const wrong = join(folder, 'wrong')
    await mkdir(wrong)
    await writeFile(join(wrong, 'cars.csv'), 'car_id,city\n1,Lima\n')
    await writeFile(join(wrong, 'trips.csv'), 'trip_id,car_id,km\n1,7,12\n')
    assert.equal(await refresh({ ...given, source: wrong }), false)
    assert.equal(told.length, 1)
    assert.match(told[0] ?? '', /^trips\.car_id: .*7/)
    assert.equal((await snapshots.manifests(PROJECT)).length, 3)
  })

  it('seals what an address and a generator deliver', async () => {
    const folder = join(scratch.path, 'sources')
    async function* trips() {
      yield { trip_id: 1, car_id: 2, km: 12 }
      yield { trip_id: 2, car_id: 1, km: 4 }
    }
    const cars = encodeURIComponent('car_id,city\n1,Lima\n2,Nairobi\n')
    await sealSources({ catalogue, folder, projectId: PROJECT }, `data:text/csv,${cars}`, trips())
    const [manifest] = await directorySnapshots(join(folder, 'snapshots')).manifests(PROJECT)
    assert.deepEqual(
      manifest?.tables.map(({ name, rows }) => `${name} ${rows}`),
      ['cars 2', 'trips 2'],
    )
  })

  it('seals each project of one folder by itself', async () => {
    const folder = join(scratch.path, 'several')
    const together = join(folder, 'tables')
    await mkdir(together, { recursive: true })
    await writeFile(join(together, 'cars.csv'), 'car_id,city,project\n1,Lima,pe\n2,Nairobi,ke\n')
    await writeFile(join(together, 'trips.csv'), 'trip_id,car_id,km,project\n1,1,12,pe\n2,1,4,pe\n3,2,31,ke\n')
    await sealEach(
      { catalogue, folder, source: together },
      new Map([
        ['pe', PROJECT],
        ['ke', OTHER],
      ]),
    )
    const snapshots = directorySnapshots(join(folder, 'snapshots'))
    const rows = async (projectId: string) =>
      (await snapshots.manifests(projectId))[0]?.tables.map(({ name, rows }) => `${name} ${rows}`)
    assert.deepEqual(await rows(PROJECT), ['cars 1', 'trips 2'])
    assert.deepEqual(await rows(OTHER), ['cars 1', 'trips 1'])
  })
})
