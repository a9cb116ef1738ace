import assert from 'node:assert/strict'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  fromCsv,
  fromFile,
  fromFolder,
  fromRows,
  SealError,
  type SealRequest,
  type TableSource,
} from 'foldgate/sealing'
import { filesOf, leftBy, rowsOf, sellingSealer } from './selling.js'

const PROJECT = '7b0f0c52-5c3b-4a64-8a2f-0d5f3e6d0001'
const ORDERS = [
  { id: 1, note: '', total: 10.5 },
  { id: 2, note: 'a "quoted", note\nin two lines', total: 0 },
  { id: 3, note: null, total: '9999999.99' },
]
const LINES = [
  { id: 1, order_id: 1, product: 7 },
  { id: 2, order_id: 1, product: 8 },
  { id: 1, order_id: 3, product: 8 },
]
const PRODUCTS = [
  { id: 7, name: 'seven' },
  { id: 8, name: 'eight' },
]

describe('sealing what sources deliver', () => {
  const selling = sellingSealer()
  const seal = (request: Omit<SealRequest, 'projectId'>) => selling.sealer.seal({ projectId: PROJECT, ...request })
  const sources = (changed: Record<string, TableSource> = {}) => ({
    orders: fromRows(ORDERS),
    lines: fromRows(LINES),
    products: fromRows(PRODUCTS),
    ...changed,
  })
  const problemsOf = (request: Omit<SealRequest, 'projectId'>) =>
    seal(request).then(
      () => assert.fail('it was sealed'),
      cause => {
        assert.ok(cause instanceof SealError, String(cause))
        return cause.problems
      },
    )

  it('stores every value as it was', async () => {
    const { manifest } = await seal({ tables: sources() })
    assert.deepEqual(await rowsOf(selling, manifest, 'orders'), [
      ['1', '', '10.50'],
      ['2', 'a "quoted", note\nin two lines', '0.00'],
      ['3', null, '9999999.99'],
    ])
    assert.deepEqual(await leftBy(selling), [])
  })

  it('stores all digits of large numbers', async () => {
    const numbers = [2n ** 64n + 1n, 1 - 2 ** 53, -(10n ** 38n - 1n)]
    const notes = fromRows(numbers.map(size => ({ size })))
    const { manifest } = await seal({ tables: sources({ notes }) })
    const stored = await rowsOf(selling, manifest, 'notes')
    assert.deepEqual(
      stored,
      numbers.map(size => [String(size)]),
    )
  })

  it('makes the same file of the same rows in any order, and stores it once', async () => {
    const before = await seal({ tables: sources() })
    const { manifest } = await seal({ tables: sources({ lines: fromRows(LINES.toReversed()) }) })
    const [file] = await filesOf(selling, manifest, 'lines')
    const [old] = await filesOf(selling, before.manifest, 'lines')
    assert.deepEqual(file, old)
    assert.deepEqual(await rowsOf(selling, manifest, 'lines'), [
      ['1', '1', '7'],
      ['2', '1', '8'],
      ['1', '3', '8'],
    ])
  })

  it('keeps the order of rows whose order says something', async () => {
    const lines = fromRows(LINES.toReversed(), { isOrdered: true })
    const { manifest } = await seal({ tables: sources({ lines }) })
    const order = (await rowsOf(selling, manifest, 'lines')).map(([id, order]) => `${order}/${id}`)
    assert.deepEqual(order, ['3/1', '1/2', '1/1'])
  })

  it('seals sources beside the files of a folder, and single files', async () => {
    const folder = join(selling.scratch.path, 'folder')
    await writeTables(folder, { 'orders.csv': 'id,note,total\n1,,1\n3,,1\n', 'left-out.txt': '' })
    await writeTables(selling.scratch.path, { 'of-products.csv': 'id,name\n7,seven\n8,eight\n' })
    const products = fromFile(join(selling.scratch.path, 'of-products.csv'))
    const { manifest, leftOut } = await seal({ tables: fromFolder(folder, { lines: fromRows(LINES), products }) })
    assert.deepEqual(leftOut, ['left-out.txt'])
    assert.deepEqual(
      manifest.tables.map(({ name, rows }) => [name, rows]),
      [
        ['orders', 2],
        ['lines', 3],
        ['products', 2],
      ],
    )
    const both = await problemsOf({ tables: fromFolder(folder, sources()) })
    assert.deepEqual(both, [{ table: 'orders', message: 'there is a source of it, and orders.csv too: keep one' }])
  })

  it('names the rows and values that are wrong', async () => {
    const wrong = sources({
      orders: fromRows([...ORDERS, { id: 3, note: 'again', total: -1 }, { id: 'x', note: null, total: 1 }]),
      lines: fromRows([{ id: 1, order_id: 99, product: 7 }]),
    })
    assert.deepEqual(await problemsOf({ tables: wrong }), [
      { table: 'orders', column: 'id', message: 'row 5: "x" is not a BIGINT', rows: 1 },
      { table: 'orders', column: 'total', message: 'row 4: "-1" is below 0', rows: 1 },
      { table: 'orders', column: 'id', message: 'row 4: "3" comes twice' },
      { table: 'lines', column: 'order_id', message: '"99" is not in orders.id', rows: 1 },
    ])
    assert.deepEqual(await leftBy(selling), [])
  })

  it('refuses a number that its type would round, and malformed CSV', async () => {
    const orders = fromCsv(['id,note,total\n1.5,,1\n'])
    assert.match(String((await problemsOf({ tables: sources({ orders }) }))[0]?.message), /"1.5" is not a BIGINT/)
    const cut = fromCsv(['id,note,total\n1,"an open quote,1\n'], { hasEmptyText: true })
    const [problem] = await problemsOf({ tables: sources({ orders: cut }) })
    assert.equal(problem?.message, 'line 2: the quote that opens a field here is never closed')
  })

  it('finds the types of CSV without declared columns, as in a file', async () => {
    const notes = fromCsv(['id,text,day\n1,a,2026-01-31\n'])
    const { manifest } = await seal({ tables: sources({ notes }) })
    const types = manifest.tables.find(({ name }) => name === 'notes')?.columns.map(({ type }) => type)
    assert.deepEqual(types, ['BIGINT', 'VARCHAR', 'DATE'])
  })

  it('says of a file below a file that there is nothing, and not where', async () => {
    const products = join(selling.scratch.path, 'below.csv')
    await writeFile(products, 'id,name\n')
    const [problem] = await problemsOf({ tables: sources({ products: fromFile(join(products, 'x.csv')) }) })
    assert.deepEqual(problem, { table: 'products', message: 'it cannot be read (ENOENT)' })
  })

  it('checks without writing', async () => {
    const found = await selling.sealer.check({ tables: sources() })
    assert.deepEqual(found.tables[0], { name: 'orders', rows: 3 })
  })

  it('leaves nothing when a source fails, and says which one', async () => {
    async function* failing() {
      yield { id: 1, order_id: 1, product: 7 }
      throw new Error('the database has gone')
    }
    const listed = await selling.snapshots.list(PROJECT, AbortSignal.timeout(1000))
    await assert.rejects(seal({ tables: sources({ lines: fromRows(failing()) }) }), {
      name: 'SealerError',
      reason: 'source',
      message: 'the source of "lines" failed: the database has gone',
    })
    assert.deepEqual(await selling.snapshots.list(PROJECT, AbortSignal.timeout(1000)), listed)
    assert.deepEqual(await leftBy(selling), [])
  })

  it('refuses requests without sources, and with those of other tables', async () => {
    const wrong: [request: object, message: string][] = [
      [{}, 'tables is missing: give a source for each table, or fromFolder() with their folder'],
      [{ tables: 'package' }, 'tables is a string: write fromFolder("package")'],
      [{ tables: sources({ orders: 'a.csv' as never }) }, 'tables.orders is a string: write fromFile("a.csv")'],
      [{ source: 'package' }, 'seal has no option source'],
    ]
    for (const [request, message] of wrong) await assert.rejects(seal(request as never), { name: 'TypeError', message })
    assert.throws(
      () => fromFile('orders.xlsx'),
      /^TypeError: a file of rows ends with \.csv or \.parquet, not as "orders/,
    )
    await assert.rejects(seal({ tables: { order: fromRows([]) } }), {
      name: 'TypeError',
      message: 'the catalogue has no table "order": its tables are orders, lines, products, notes',
    })
    const others: [value: unknown, kind: string][] = [
      ['orders', 'a string'],
      [[fromRows([])], 'an array'],
      [new Map([['orders', fromRows([])]]), 'an object of the class Map'],
      [fromFolder('package'), 'an object'],
    ]
    for (const [value, kind] of others)
      assert.throws(() => fromFolder('package', value as never), {
        name: 'TypeError',
        message: `the second argument of fromFolder() is ${kind}: give sources by the names of their tables`,
      })
    await assert.rejects(seal({ tables: fromFolder(selling.scratch.path, { orders: 'a.csv' as never }) }), {
      name: 'TypeError',
      message: 'tables.orders is a string: write fromFile("a.csv")',
    })
    const { products: _, ...without } = sources()
    assert.deepEqual(await problemsOf({ tables: without }), [
      { table: 'products', message: 'there is no source of it' },
    ])
  })

  it('takes a folder and a file of another copy of the package', async () => {
    const files = new URL('sources/files.js?copy', import.meta.resolve('foldgate/sealing'))
    const other: typeof import('#lib/sources/files.js') = await import(files.href)
    assert.notEqual(other.fromFolder, fromFolder)
    const folder = join(selling.scratch.path, 'of-another-copy')
    await mkdir(folder)
    await writeFile(join(folder, 'orders.csv'), 'id,note,total\n1,,2\n')
    await writeFile(join(folder, 'products.csv'), 'id,name\n7,seven\n')
    const products = other.fromFile(join(folder, 'products.csv'))
    await rm(join(folder, 'products.csv'))
    const [problem] = await problemsOf({ tables: other.fromFolder(folder, { lines: fromRows([]), products }) })
    assert.deepEqual(problem, { table: 'products', message: 'it cannot be read (ENOENT)' })
  })

  it('names a folder that is not there, as it was given', async () => {
    await assert.rejects(seal({ tables: fromFolder('nowhere') }), {
      name: 'SealerError',
      reason: 'source',
      message: 'the folder "nowhere" is not there: name the folder that holds the tables',
    })
  })

  it('leaves out the column that tells whose the rows are', async () => {
    const of = (owner: string) => ({
      orders: fromRows(ORDERS.map(order => ({ ...order, owner: 'a' }))),
      lines: fromRows(LINES.map(line => ({ ...line, owner }))),
      products: fromRows(PRODUCTS.map(product => ({ ...product, owner: 'a' }))),
    })
    const { manifest } = await seal({ tables: of('a'), by: 'owner' })
    assert.deepEqual(
      manifest.tables[0]?.columns.map(({ name }) => name),
      ['id', 'note', 'total'],
    )
    const [problem] = await problemsOf({ tables: of('b'), by: 'owner' })
    assert.match(`${problem?.table}.${problem?.column}: ${problem?.message}`, /^lines\.owner: the column holds several/)
    const ofNobody = { ...of('a'), orders: fromRows(ORDERS.map(order => ({ ...order, owner: null }))) }
    assert.deepEqual((await problemsOf({ tables: ofNobody, by: 'owner' }))[0], {
      table: 'orders',
      column: 'owner',
      message: 'the column has no value in any row: write in each row whose it is',
    })
    const message =
      'the catalogue has this column, which would not be stored: name another one that tells whose the rows are'
    assert.deepEqual((await problemsOf({ tables: sources(), by: 'note' }))[0], {
      table: 'orders',
      column: 'note',
      message,
    })
  })
})

async function writeTables(folder: string, files: Record<string, string>): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
}
