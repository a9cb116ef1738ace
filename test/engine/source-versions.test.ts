import assert from 'node:assert/strict'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineCatalogue, defineTable } from 'foldgate'
import { fromRows, openSealer, type SealRequest, type TableSource } from 'foldgate/sealing'
import { knowSound } from '#lib/duckdb/check/sound-catalogue.js'
import { tablesOf } from '../stored.js'
import { selling, sellingSealer } from './selling.js'

const PROJECT = '7b0f0c52-5c3b-4a64-8a2f-0d5f3e6d0003'
type Row = Record<string, unknown>

describe('sources that tell the version of their rows', () => {
  const shop = sellingSealer()
  /** The rows of each table, and the version that its source tells. */
  let data: Record<string, { rows: Row[]; version: string | null }>
  /** What was asked of the sources. */
  let asked: string[]

  beforeEach(async () => {
    data = {
      orders: { rows: [{ id: 1, note: 'a', total: 1 }], version: '1' },
      lines: { rows: [{ id: 1, order_id: 1, product: 7 }], version: '1' },
      products: { rows: [{ id: 7, name: 'seven' }], version: '1' },
    }
    await shop.snapshots.remove(PROJECT)
    await seal()
    asked = []
  })

  const sourceOf = (table: string, more: Partial<TableSource> = {}): TableSource => ({
    async version() {
      asked.push(`version of ${table}`)
      return data[table]?.version ?? null
    },
    read(request) {
      asked.push(table)
      return fromRows(data[table]?.rows ?? []).read(request)
    },
    ...more,
  })
  const seal = (more: Partial<SealRequest> = {}, sealer = shop.sealer) => {
    asked = []
    const tables = Object.fromEntries(Object.keys(data).map(table => [table, sourceOf(table)]))
    return sealer.seal({ projectId: PROJECT, tables, ...more })
  }
  const read = () => asked.filter(each => !each.startsWith('version'))
  const ALL = ['orders', 'lines', 'products']

  it('are not read while all tell what they told before the newest snapshot', async () => {
    const [newest] = await shop.snapshots.manifests(PROJECT)
    data.orders?.rows.push({ id: 2, note: 'unseen', total: 1 }) // a version that misses it hides it
    assert.deepEqual(await seal(), { manifest: newest, unchanged: true, leftOut: [] })
    assert.deepEqual(asked.sort(), ALL.map(table => `version of ${table}`).sort())
  })

  it('are all read once one of them tells another version, or cannot tell', async () => {
    for (const version of ['2', null, '', '1']) {
      Object.assign(data.lines as object, { version })
      data.orders?.rows.push({ id: (data.orders?.rows.length ?? 0) + 1, note: 'b', total: 1 })
      const { unchanged } = await seal()
      assert.deepEqual([unchanged, read().sort()], [false, ALL.toSorted()], `${version}`)
      if (version === null) continue
      assert.equal((await seal()).unchanged, true)
      assert.deepEqual(read(), [], `${version}`)
    }
  })

  it('tell a version of before their rows are read: a change between is read the next time', async () => {
    Object.assign(data.products as object, { version: '2', rows: [{ id: 7, name: 'other' }] })
    const changing = sourceOf('lines', {
      async read(request) {
        Object.assign(data.orders as object, { version: '2' })
        data.orders?.rows.push({ id: 2, note: 'late', total: 1 })
        return fromRows(data.lines?.rows ?? []).read(request)
      },
    })
    const tables = { orders: sourceOf('orders'), lines: changing, products: sourceOf('products') }
    await shop.sealer.seal({ projectId: PROJECT, tables })
    const { manifest } = await seal()
    assert.deepEqual(read().sort(), ALL.toSorted())
    assert.equal(manifest.tables.find(({ name }) => name === 'orders')?.rows, 2)
  })

  it('are read again when they come back to what they told before rows that changed meanwhile', async () => {
    const before = data.orders?.rows ?? []
    Object.assign(data.products as object, { version: '2', rows: [{ id: 7, name: 'other' }] })
    const changing = sourceOf('orders', {
      read(request) {
        Object.assign(data.orders as object, { version: '2' })
        return fromRows([...before, { id: 2, note: 'soon gone', total: 1 }]).read(request)
      },
    })
    await seal({ tables: { orders: changing, lines: sourceOf('lines'), products: sourceOf('products') } })
    Object.assign(data.orders as object, { version: '1' })
    const { unchanged, manifest } = await seal()
    assert.deepEqual([unchanged, manifest.tables.find(({ name }) => name === 'orders')?.rows], [false, 1])
  })

  it('are read although they tell nothing new, when anything else is new', async () => {
    const tables = () => Object.fromEntries(ALL.map(table => [table, sourceOf(table)]))
    const others: [string, Partial<SealRequest>][] = [
      ['another assessment', { assessmentId: 'one' }],
      ['no assessment', {}],
      ['one more table', { tables: { ...tables(), notes: sourceOf('notes') } }],
      ['a table less', { tables: tables() }],
      ['a source that tells none', { tables: { ...tables(), orders: fromRows(data.orders?.rows ?? []) } }],
      ['rows in their order', { tables: { ...tables(), orders: sourceOf('orders', { isOrdered: true }) } }],
      ['rows that are appended', { append: ['orders'], tables: { ...tables(), orders: fromRows([{ id: 5 }]) } }],
    ]
    data.notes = { rows: [{ id: 1 }], version: '1' }
    for (const [what, more] of others) {
      await seal({ tables: tables(), ...more })
      assert.ok(read().length >= 2, what)
    }
  })

  it('are read when the catalogue says something else about their table', async () => {
    const relations = [...selling.relations.values()].map(relation =>
      relation.name === 'products'
        ? defineTable({
            name: 'products',
            columns: { id: 'BIGINT', name: 'VARCHAR' },
            unique: ['id'],
            required: ['name'],
          })
        : relation,
    )
    const catalogue = defineCatalogue({ relations })
    knowSound(catalogue)
    const folder = join(shop.scratch.path, 'other')
    const sealer = await openSealer({ catalogue, snapshots: shop.snapshots, folder })
    try {
      await seal({}, sealer)
      assert.deepEqual(read().sort(), ALL.toSorted())
    } finally {
      await sealer.close()
    }
  })

  it('are read when a file of the newest snapshot is damaged or missing, and heal it', async () => {
    const place = tablesOf(join(shop.scratch.path, 'snapshots'), PROJECT)
    for (const damage of [(path: string) => writeFile(path, 'evil'), (path: string) => rm(path)]) {
      const [newest] = await shop.snapshots.manifests(PROJECT)
      const orders = newest?.tables.find(({ name }) => name === 'orders')
      await damage(join(place, orders && 'file' in orders ? orders.file : ''))
      const { manifest, unchanged } = await seal()
      assert.deepEqual([unchanged, read().length], [false, 3])
      assert.deepEqual(await shop.snapshots.verify(PROJECT, manifest.snapshotId), [])
    }
    assert.equal((await seal()).unchanged, true)
  })

  it('fail the sealing with a version that is none, or that they cannot tell, and are told to end', async () => {
    for (const [version, told] of [
      [async () => 'x'.repeat(257), /the source of "orders" failed: its version is no text of at most 256 characters/],
      [async () => 1 as never, /its version is no text/],
      [async () => Promise.reject(new Error('gone')), /the source of "orders" failed: gone$/],
      [() => new Promise<never>(() => {}), /the source of "orders" failed: it has delivered nothing for 0.05 s$/],
    ] as const) {
      const ends: boolean[] = []
      const session = {
        begin: async () => 'handle',
        end: async (_: unknown, failed: boolean) => void ends.push(failed),
      }
      const orders = sourceOf('orders', { version, session, idleMs: 50 })
      const tables = { orders, lines: sourceOf('lines'), products: sourceOf('products') }
      await assert.rejects(seal({ tables }), { name: 'SealerError', reason: 'source', message: told })
      assert.deepEqual([ends, read()], [[true], []])
    }
    assert.deepEqual(
      (await readdir(join(shop.scratch.path, 'scratch'), { recursive: true })).filter(name => /source/.test(name)),
      [],
    )
  })
})
