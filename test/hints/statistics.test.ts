import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type DirectorySnapshots, defineCatalogue, defineFold, defineTable, directorySnapshots } from 'foldgate'
import { fromRows, openSealer, type Sealer, type SnapshotManifest } from 'foldgate/sealing'
import { after, before, describe, it } from 'mocha'
import { scratchFolder } from '../server/command.js'
import { KEYS, PROJECT, type Service, startService } from '../service/service.js'

const catalogue = defineCatalogue({
  rowLimits: { area: { type: 'VARCHAR' } },
  relations: [
    defineTable({
      name: 'sales',
      columns: {
        id: 'BIGINT',
        area: 'VARCHAR',
        sold_on: 'DATE',
        at: 'TIMESTAMP',
        price: 'DECIMAL(10,2)',
        weight: 'DOUBLE',
        isGift: 'BOOLEAN',
        tags: 'VARCHAR[]',
        'a "b, c': 'INTEGER',
        state: 'VARCHAR',
        note: 'VARCHAR',
      },
      unique: ['id'],
      rowLimits: { area: 'area' },
    }),
    defineFold({
      name: 'areas',
      about: 'One area, with its number of sales.',
      reads: ['sales'],
      sql: 'SELECT area, count(*) AS sales, min(sold_on) AS first FROM sales GROUP BY area ORDER BY area',
    }),
    defineFold({
      name: 'notes',
      about: 'One sale, with what was noted.',
      reads: ['sales'],
      sql: 'SELECT id, state, note FROM sales ORDER BY id',
    }),
  ],
})

type Sale = Record<string, unknown>
const AREAS = ['north', 'south', 'west', null]
const day = (at: number) => new Date(Date.UTC(2024, 0, 1 + (at % 90))).toISOString().slice(0, 10)

/** The first sale that has a state and a note. */
const LATE = 20_000

/** Rows whose values are known by their numbers. */
function sales(from: number, to: number): Sale[] {
  return Array.from({ length: to - from }, (_, index) => {
    const at = from + index
    return {
      id: at,
      area: AREAS[at % 4],
      sold_on: day(at),
      at: `${day(at)} 0${at % 10}:30:00`,
      price: `${at % 7}.25`,
      weight: at % 3 === 0 ? null : at / 2,
      isGift: at % 5 === 0,
      tags: ['a'],
      'a "b, c': at % 60,
      state: at < LATE ? null : ['kept', 'returned'][at % 2],
      note: at < LATE ? null : `note ${at}`,
    }
  })
}

/** What the values of a column of rows are, counted one by one. */
function counted(rows: readonly Sale[], column: string) {
  const present = rows.map(row => row[column]).filter(value => value !== null)
  return { nulls: rows.length - present.length, distinct: new Set(present).size }
}

describe('statistics', () => {
  const scratch = scratchFolder()
  let snapshots: DirectorySnapshots
  let sealer: Sealer
  let service: Service
  const few = sales(0, 100)
  const many = sales(0, 30_000)

  before(async () => {
    snapshots = directorySnapshots(join(scratch.path, 'snapshots'))
    service = await startService({ catalogue, snapshots, files: { 'sales.csv': 'id\n' }, sealedAs: withoutColumns() })
    sealer = await openSealer({ catalogue, snapshots, folder: join(scratch.path, 'scratch') })
  })
  after(async () => {
    await sealer.close()
    await service.close()
  })

  /** Services begin with snapshots of any rows, which those of the tests follow. */
  function withoutColumns() {
    return defineCatalogue({ relations: [defineTable({ name: 'sales', columns: { id: 'BIGINT' } })] })
  }

  const seal = (rows: Sale[], append: string[] = []): Promise<{ manifest: SnapshotManifest }> =>
    sealer.seal({ projectId: PROJECT, tables: { sales: fromRows(rows) }, append })
  const tell = async (relation: string, key: string | null = KEYS.north) => {
    const params = { projectId: PROJECT, relation, include: ['statistics'] }
    const { status, body } = await service.call('projects/describe', params, key)
    assert.equal(status, 200, body.message)
    const { columns, rows } = body.result as { columns: { name: string; statistics?: object }[]; rows: number }
    return { rows, columns: new Map(columns.map(({ name, statistics }) => [name, statistics])) }
  }

  it('tell the rows of a table, and of each column NULLs, values, the smallest and the largest', async () => {
    await seal(few)
    const { rows, columns } = await tell('sales')
    assert.equal(rows, 100)
    assert.deepEqual(columns.get('area'), { nulls: 25, distinct: 3, values: ['north', 'south', 'west'] })
    const ids = { nulls: 0, distinct: 100, min: 0, max: 99 }
    assert.deepEqual(columns.get('id'), ids)
    assert.deepEqual(columns.get('sold_on'), { ...counted(few, 'sold_on'), min: '2024-01-01', max: '2024-03-30' })
    const prices = [0.25, 1.25, 2.25, 3.25, 4.25, 5.25, 6.25]
    assert.deepEqual(columns.get('price'), { nulls: 0, distinct: 7, values: prices, min: 0.25, max: 6.25 })
    assert.deepEqual(columns.get('isGift'), { nulls: 0, distinct: 2, values: [false, true] })
    assert.deepEqual(columns.get('weight'), { nulls: 34, distinct: 66, min: 0.5, max: 49 })
    assert.equal(columns.get('tags'), undefined)
  })

  it('tell the same of large tables, by what their files tell of them', async () => {
    await seal(many)
    const { rows, columns } = await tell('sales')
    assert.equal(rows, 30_000)
    assert.deepEqual(columns.get('area'), { nulls: 7500, distinct: 3, values: ['north', 'south', 'west'] })
    assert.deepEqual(columns.get('sold_on'), { nulls: 0, distinct: 90, min: '2024-01-01', max: '2024-03-30' })
    assert.deepEqual(columns.get('at'), {
      nulls: 0,
      distinct: 90,
      min: '2024-01-01T00:30:00',
      max: '2024-03-30T09:30:00',
    })
    assert.deepEqual(columns.get('a "b, c'), { nulls: 0, distinct: 60, min: 0, max: 59 })
    const { distinct = 0, ...ends } = columns.get('id') as { distinct?: number }
    assert.deepEqual(ends, { nulls: 0, min: 0, max: 29_999 })
    assert.ok(distinct > 50 && distinct <= 30_000, `${distinct}`)
  })

  it('tell few values that begin late, and list none of many', async () => {
    await seal(many)
    for (const relation of ['sales', 'notes']) {
      const { columns } = await tell(relation)
      assert.deepEqual(columns.get('state'), { nulls: LATE, distinct: 2, values: ['kept', 'returned'] }, relation)
      const { distinct = 0, ...note } = columns.get('note') as { distinct?: number }
      assert.deepEqual(note, { nulls: LATE }, relation)
      assert.ok(distinct > 50 && distinct <= 10_000, `${distinct}`)
    }
  })

  it('tell moments as rows have them', async () => {
    await seal(few)
    const at = (await tell('sales')).columns.get('at') as { min: unknown; max: unknown }
    const sql = 'SELECT min("at") AS min, max("at") AS max FROM sales'
    const { body } = await service.call('projects/query', { projectId: PROJECT, sql }, KEYS.north)
    assert.deepEqual(body.result?.items, [{ min: at.min, max: at.max }])
  })

  it('are refused without a relation', async () => {
    const params = { projectId: PROJECT, include: ['statistics'] }
    const { status, body } = await service.call('projects/describe', params, KEYS.north)
    assert.equal(status, 400)
    assert.match(JSON.stringify(body), /Statistics are those of a relation: name one\./)
  })

  it('tell those of all rows after some were appended', async () => {
    await seal(few)
    const added = [...sales(100, 200), { ...(few[0] as Sale), id: 1000, area: 'east', sold_on: '2023-12-31' }]
    const all = [...few, ...added]
    await seal(added, ['sales'])
    const { rows, columns } = await tell('sales')
    assert.equal(rows, all.length)
    const areas = { ...counted(all, 'area'), values: ['east', 'north', 'south', 'west'] }
    assert.deepEqual(columns.get('area'), areas)
    assert.deepEqual(columns.get('id'), { nulls: 0, distinct: 101, min: 0, max: 1000 })
    const { min, max } = columns.get('sold_on') as { min?: string; max?: string }
    assert.deepEqual([min, max], ['2023-12-31', '2024-03-30'])
  })

  it('are those of its own rows for each of many tenants, whose files are alike', async () => {
    const tenants = Array.from({ length: 40 }, (_, at) => at + 1)
    const projects = new Map(tenants.map(key => [`${key}`, `00000000-0000-4000-8000-${`${key}`.padStart(12, '0')}`]))
    const rows = tenants.flatMap(tenant =>
      Array.from({ length: 200 }, (_, id) => ({ tenant, id, price: `${2 + tenant + (id % 2) * 2}.50` })),
    )
    for (let round = 0; round < 2; round++)
      await sealer.sealMany({ tables: { sales: fromRows(rows) }, by: 'tenant', projects })
    for (const tenant of tenants) {
      const manifests = await snapshots.manifests(projects.get(`${tenant}`) ?? '')
      assert.equal(manifests.length, 1, 'the second time, nothing has changed')
      const [table] = manifests[0]?.tables ?? []
      const price = table?.statistics?.columns[table.columns.findIndex(({ name }) => name === 'price')]
      assert.deepEqual([price?.min, price?.max], [`${2 + tenant}.50`, `${4 + tenant}.50`], `tenant ${tenant}`)
    }
  }).timeout(60_000)

  it('are those of the rows that a fold yields', async () => {
    await seal(few)
    const { rows, columns } = await tell('areas')
    assert.equal(rows, 4)
    assert.deepEqual(columns.get('area'), { nulls: 1, distinct: 3, values: ['north', 'south', 'west'] })
    assert.deepEqual(columns.get('sales'), { nulls: 0, distinct: 1, values: [25], min: 25, max: 25 })
  })

  it('are those of the rows that a caller sees', async () => {
    await seal(few)
    const only = { rows: { area: ['south'] } }
    service.host.callers.set('key-south-only', { keyId: 'k', ownerId: 'ada', organizations: ['north'], only })
    const { rows, columns } = await tell('sales', 'key-south-only')
    assert.equal(rows, 25)
    assert.deepEqual(columns.get('area'), { nulls: 0, distinct: 1, values: ['south'] })
    assert.deepEqual((await tell('areas', 'key-south-only')).columns.get('area'), columns.get('area'))
  })

  it('are not there for a call that does not ask for them', async () => {
    await seal(few)
    const { body } = await service.call('projects/describe', { projectId: PROJECT, relation: 'areas' })
    assert.deepEqual(body.result?.columns?.[0], { name: 'area', type: 'VARCHAR' })
    assert.equal(body.result?.rows, undefined)
  })
})
