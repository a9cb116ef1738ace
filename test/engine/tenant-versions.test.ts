import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fromRows, type SealManyRequest, type TableSource, type TenantVersions } from 'foldgate/sealing'
import { tablesOf } from '../stored.js'
import { leftBy, sellingSealer } from './selling.js'

type Row = { tenant: string | null; id: unknown }
type Told = Awaited<ReturnType<NonNullable<TableSource['version']>>>

const keysOf = (count: number) => Array.from({ length: count }, (_, at) => `tenant ${at}`)
const projectOf = (at: number) => `7b0f0c52-5c3b-4a64-8a2f-0d5f3e8${String(at).padStart(5, '0')}`

describe('sources that tell the versions of many tenants', () => {
  const shop = sellingSealer()
  let keys: string[]
  let projects: Map<string, string>
  let orders: Row[]
  /** What the sources tell: of `orders` a version for each tenant, of the others one for all. */
  let told: { orders: Told; lines: Told; products: Told }
  /** Keys of the rows that each source has given. */
  let read: Map<string, (string | null)[]>

  const start = async (count: number) => {
    keys = keysOf(count)
    projects = new Map(keys.map((key, at) => [key, projectOf(at)]))
    for (const projectId of projects.values()) await shop.snapshots.remove(projectId)
    orders = keys.flatMap(tenant => [1, 2].map(id => ({ tenant, id })))
    told = { orders: new Map(keys.map(key => [key, '1'])), lines: '1', products: '1' }
    read = new Map()
  }
  beforeEach(() => start(9))

  const sourceOf = (table: keyof typeof told, rows: () => Row[], isWhole = false): TableSource => ({
    version: async () => told[table],
    read(request) {
      const { only } = request
      const given = only && !isWhole ? rows().filter(({ tenant }) => tenant === null || only.includes(tenant)) : rows()
      read.set(table, [...new Set(given.map(({ tenant }) => tenant))])
      const asked = table === 'products' ? given.map(({ id }) => ({ id, name: 'seven' })) : given.map(each => each)
      const values = table === 'orders' ? asked.map(row => ({ ...row, note: 'a', total: 1 })) : asked
      return fromRows(table === 'lines' ? given.map(row => ({ ...row, order_id: 1, product: 7 })) : values).read(
        request,
      )
    },
  })
  const tables = (isWhole = false) => ({
    orders: sourceOf('orders', () => orders, isWhole),
    lines: sourceOf('lines', () => keys.map(tenant => ({ tenant, id: 1 })), isWhole),
    products: sourceOf('products', () => [{ tenant: null, id: 7 }]),
  })
  const sealMany = async (more: Partial<SealManyRequest> = {}) => {
    read = new Map()
    const given = { tables: tables(), by: 'tenant', shared: ['products'], projects, ...more }
    const result = await shop.sealer.sealMany(given)
    const changed = result.sealed.flatMap(({ key, unchanged }) => (unchanged ? [] : [key]))
    assert.deepEqual(await leftBy(shop), [])
    return { ...result, changed }
  }
  const change = (key: string | null, version: string) => {
    told.orders = new Map([...(told.orders as Map<string | null, string>), [key, version]])
  }

  it('are read for the one tenant of forty that has changed, and for none when none has', async () => {
    await start(40)
    assert.equal((await sealMany()).changed.length, 40)
    assert.deepEqual(read.get('orders'), keys)
    const ids = new Map((await sealMany()).sealed.map(({ key, snapshotId }) => [key, snapshotId]))
    assert.deepEqual([ids.size, read.size], [40, 0])

    orders.push({ tenant: 'tenant 7', id: 3 }, { tenant: 'tenant 8', id: 3 }) // of the other one, no version tells
    change('tenant 7', '2')
    const outcomes: string[] = []
    const { sealed, changed, empty } = await sealMany({ onOutcome: ({ key }) => outcomes.push(key) })
    assert.deepEqual(
      [changed, empty, read.get('orders'), read.get('lines')],
      [['tenant 7'], [], ['tenant 7'], ['tenant 7']],
    )
    assert.deepEqual(outcomes.sort(), keys.toSorted())
    const rows = new Map(sealed.map(each => [each.key, each.rows]))
    assert.deepEqual([rows.get('tenant 7'), rows.get('tenant 8')], [4, 3])
    for (const { key, snapshotId } of sealed) assert.equal(snapshotId === ids.get(key), key !== 'tenant 7')
    assert.deepEqual([(await sealMany()).changed, read.size], [[], 0])
  })

  it('may give the rows of all: those of unchanged tenants are neither sealed nor told', async () => {
    await sealMany()
    orders.push({ tenant: 'tenant 7', id: 3 }, { tenant: 'tenant 8', id: 'wrong' })
    change('tenant 7', '2')
    const { changed, failed, strays, sealed } = await sealMany({ tables: tables(true) })
    assert.deepEqual([read.get('orders')?.length, changed, failed, strays], [9, ['tenant 7'], [], []])
    assert.equal(sealed.length, 9)
  })

  it('are read for all when the version of a whole table, or of a shared one, is another', async () => {
    await sealMany()
    for (const table of ['lines', 'products'] as const) {
      told[table] = '2'
      await sealMany()
      assert.equal(read.get('orders')?.length, 9, table)
    }
    told.orders = null
    await sealMany()
    assert.equal(read.get('orders')?.length, 9)
  })

  it('are read for what no record names, is new, or belongs to another tenant', async () => {
    told.orders = Object.fromEntries(keys.slice(1).map(key => [key, '1'])) // a plain record
    await sealMany()
    await sealMany()
    assert.deepEqual(read.get('orders'), ['tenant 0'])

    const swapped = new Map([...projects, ['tenant 1', projectOf(2)], ['tenant 2', projectOf(1)]])
    await sealMany({ projects: swapped })
    assert.deepEqual(read.get('orders'), ['tenant 0', 'tenant 1', 'tenant 2'])

    orders.push({ tenant: 'new', id: 1 })
    const { changed } = await sealMany({ projects: new Map([...swapped, ['new', projectOf(40)]]) })
    assert.deepEqual([changed, read.get('orders')], [['new'], ['tenant 0', 'new']])
  })

  it('are read for rows of no tenant, which are strays, and refused when the tenants are known', async () => {
    await sealMany()
    for (const key of ['eels', null]) {
      orders.push({ tenant: key, id: 1 })
      change(key, '1')
      const known = new Set(keys)
      await assert.rejects(sealMany({ known }), { name: 'SealError', message: /key of no project|value is missing/ })
    }
    const { strays, changed } = await sealMany()
    assert.deepEqual([changed, read.get('orders')], [[], ['eels', null]])
    assert.deepEqual(
      strays.map(({ key, rows }) => [key, rows]),
      [
        ['eels', 1],
        [null, 1],
      ],
    )
  })

  it('find a tenant without rows as empty, which keeps its snapshot', async () => {
    await sealMany()
    orders = orders.filter(({ tenant }) => tenant !== 'tenant 3')
    const left = new Map(told.orders as Map<string, string>)
    left.delete('tenant 3')
    told.orders = left
    const noLines = fromRows([{ tenant: 'none', id: 1, order_id: 1, product: 7 }])
    const lines = { ...noLines, version: async () => '1' }
    const { empty, changed, sealed } = await sealMany({ tables: { ...tables(), lines } })
    assert.deepEqual([empty.map(({ key }) => key), changed, sealed.length], [['tenant 3'], [], 8])
    assert.equal((await shop.snapshots.manifests(projectOf(3))).length, 1)
  })

  it('are read for a tenant whose snapshot is damaged, or is of another assessment', async () => {
    const assessmentId = (key: string) => (key === 'tenant 5' ? 'second' : 'first')
    await sealMany({ assessmentId: () => 'first' })
    await rm(tablesOf(join(shop.scratch.path, 'snapshots'), projectOf(4)), { recursive: true })
    const { changed } = await sealMany({ assessmentId })
    assert.deepEqual(
      [changed.sort(), read.get('orders')],
      [
        ['tenant 4', 'tenant 5'],
        ['tenant 4', 'tenant 5'],
      ],
    )
  })

  it('are read once for a version that changes while rows do not', async () => {
    await sealMany()
    change('tenant 7', '2')
    assert.deepEqual([(await sealMany()).changed, read.get('orders')], [[], ['tenant 7']])
    assert.deepEqual([(await sealMany()).changed, read.size], [[], 0])
    change('tenant 7', '3')
    orders.push({ tenant: 'tenant 7', id: 3 })
    assert.deepEqual((await sealMany()).changed, ['tenant 7'])
  })

  it('are all read while a table that is the same for all shows by its rows alone, and by a check', async () => {
    await sealMany()
    await assert.rejects(sealMany({ shared: 'where-missing' }), { message: /products.tenant: the column is missing/ })
    assert.equal(read.get('orders')?.length, 9)
    read = new Map()
    const { checked } = await shop.sealer.checkMany({
      ...{ tables: tables(), by: 'tenant', shared: ['products'], projects },
    })
    assert.deepEqual([checked.length, read.get('orders')?.length], [9, 9])
  })

  it('fail the sealing with versions that are none', async () => {
    await sealMany()
    const own = (more: object) => ({ ...Object.fromEntries(keys.map(key => [key, '1'])), ...more })
    const wrong: [unknown, RegExp][] = [
      [
        own({ 'tenant 1': 'x'.repeat(257) }),
        /its version of the tenant "tenant 1" is no text of at most 256 characters$/,
      ],
      [own({ 'tenant 1': 1 }), /its version of the tenant "tenant 1" is no text/],
      [new Map([[1, '1']]), /its versions name a tenant by a number: make it a text$/],
      [[['tenant 1', '1']], /its version is no text of at most 256 characters, and not null$/],
    ]
    for (const [version, message] of wrong) {
      told.orders = version as TenantVersions
      await assert.rejects(sealMany(), { name: 'SealerError', reason: 'source', message })
      assert.equal(read.size, 0)
    }
    const gone = { ...tables().orders, version: () => Promise.reject(new Error('gone')) }
    await assert.rejects(sealMany({ tables: { ...tables(), orders: gone } }), {
      ...{ reason: 'source', message: /the source of "orders" failed: gone$/ },
    })
    told = { ...told, orders: '1', products: { 'tenant 1': '1' } }
    await assert.rejects(sealMany(), { message: /the source of "products" failed: its version is no text/ })
    told = { ...told, orders: { 'tenant 1': '1' } }
    const alone = shop.sealer.seal({ projectId: projectOf(99), tables: tables(), by: 'tenant' })
    await assert.rejects(alone, { message: /the source of "(orders|products)" failed: its version is no text/ })
  })
})
