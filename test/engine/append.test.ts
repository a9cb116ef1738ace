import assert from 'node:assert/strict'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { directorySnapshots } from 'foldgate'
import { fromCsv, fromRows, openSealer, SealError, type SealRequest, type TableSource } from 'foldgate/sealing'
import { filesOf, leftBy, rowsOf, sellingSealer, selling as shop } from './selling.js'

const PROJECT = '7b0f0c52-5c3b-4a64-8a2f-0d5f3e6d0002'
type Row = Record<string, unknown>

const PRODUCTS = [{ id: 7, name: 'seven' }]

describe('appending to tables', () => {
  const selling = sellingSealer()
  const order = (id: number, total = 1) => ({ id, note: `order ${id}`, total })
  const line = (order_id: number, id = 1) => ({ id, order_id, product: 7 })
  const seal = (orders: Row[], lines: Row[], append: string[] = [], more: Partial<SealRequest> = {}) =>
    selling.sealer.seal({ projectId: PROJECT, tables: tables(orders, lines), append, ...more })
  const tables = (orders: Row[], lines: Row[]): Record<string, TableSource> => ({
    orders: fromRows(orders),
    lines: fromRows(lines),
    products: fromRows(PRODUCTS),
  })
  const problemsOf = (sealing: Promise<unknown>) =>
    sealing.then(
      () => assert.fail('it was sealed'),
      cause => {
        assert.ok(cause instanceof SealError, String(cause))
        return cause.problems.map(({ table, column, message }) => `${table}.${column ?? '*'}: ${message}`)
      },
    )

  it('adds a file to those of the snapshot before', async () => {
    const first = await seal([order(1), order(2)], [line(1)])
    const { manifest } = await seal([order(4), order(3)], [line(4)], ['orders'])
    const [old] = await filesOf(selling, first.manifest, 'orders')
    const files = await filesOf(selling, manifest, 'orders')
    assert.equal(files.length, 2)
    assert.deepEqual(files[0], old)
    const ids = (await rowsOf(selling, manifest, 'orders')).map(([id]) => id)
    assert.deepEqual(ids, ['1', '2', '3', '4'])
    assert.equal(manifest.tables.find(({ name }) => name === 'orders')?.rows, 4)
    assert.deepEqual(await rowsOf(selling, manifest, 'lines'), [['1', '4', '7']])
    assert.deepEqual(await selling.snapshots.verify(PROJECT, manifest.snapshotId), [])
  })

  it('leaves a table as it is when there are no rows, and publishes nothing when all are as they were', async () => {
    const first = await seal([order(1)], [line(1)])
    assert.deepEqual(await seal([], [line(1)], ['orders']), { ...first, unchanged: true })
    assert.deepEqual(await seal([], [], ['orders', 'lines']), { ...first, unchanged: true })
    const { manifest, unchanged } = await seal([], [line(1), line(1, 2)], ['orders'])
    assert.equal(unchanged, false)
    assert.notEqual(manifest.snapshotId, first.manifest.snapshotId)
    assert.deepEqual(manifest.tables.slice(0, 1), first.manifest.tables.slice(0, 1))
    assert.deepEqual(await rowsOf(selling, manifest, 'orders'), [['1', 'order 1', '1.00']])
  })

  it('is not left out because of a misspelt field, which would lose the rows before', async () => {
    const { manifest } = await seal([order(1), order(2)], [line(1)])
    for (const [wrong, message] of [
      [{ apend: ['orders'] }, 'seal has no option apend: did you mean append?'],
      [{ partition: {} }, 'seal has no option partition'],
    ] as const)
      await assert.rejects(seal([order(3)], [line(1)], [], wrong as never), { name: 'TypeError', message })
    const many = { table: {}, by: 'id', projects: new Map() }
    await assert.rejects(selling.sealer.sealMany(many as never), {
      message: /^sealMany has no option table: .*tables\?$/,
    })
    const { signal } = new AbortController()
    assert.equal((await selling.snapshots.list(PROJECT, signal))[0], manifest.snapshotId)
  })

  it('checks keys and references against all rows', async () => {
    await seal([order(1), order(2)], [line(1)])
    assert.deepEqual(await problemsOf(seal([order(5), order(2)], [line(1)], ['orders'])), [
      'orders.id: row 2: "2" comes twice',
    ])
    assert.deepEqual(await problemsOf(seal([order(5), order(5)], [line(1)], ['orders'])), [
      'orders.id: row 2: "5" comes twice',
    ])
    assert.deepEqual(await problemsOf(seal([order(5, -1)], [line(9)], ['orders', 'lines'])), [
      'orders.total: row 1: "-1" is below 0',
      'lines.order_id: "9" is not in orders.id',
    ])
    const { manifest } = await seal([order(5)], [line(2), line(5)], ['orders', 'lines'])
    const references = (await rowsOf(selling, manifest, 'lines')).map(([, id]) => id)
    assert.deepEqual(references, ['1', '2', '5'])
    assert.deepEqual(await leftBy(selling), [])
  })

  it('takes texts for one key when they are one value', async () => {
    const orders = fromCsv(['id,note,total\n1,a,1\n01,b,1\n'])
    assert.deepEqual(await problemsOf(seal([], [], [], { tables: { ...tables([], []), orders } })), [
      'orders.id: line 3: "1" comes twice',
    ])
  })

  it('merges small files when they are many, and loses no row', async () => {
    await seal([order(0)], [line(0)])
    let most = 0
    for (let id = 1; id <= 20; id++) {
      const { manifest } = await seal([order(id)], [line(0)], ['orders'])
      const files = await filesOf(selling, manifest, 'orders')
      most = Math.max(most, files.length)
      assert.equal(new Set(files.map(({ file }) => file)).size, files.length)
      const ids = (await rowsOf(selling, manifest, 'orders')).map(([id]) => Number(id))
      assert.deepEqual(
        ids,
        Array.from({ length: id + 1 }, (_, at) => at),
      )
    }
    assert.equal(most, 8)
  }).timeout(120_000) // each of its packages is sealed in a process of its own

  it('refuses to append to what is not there', async () => {
    const whole = 'seal all rows of the table, without "append"'
    const projectId = '7b0f0c52-5c3b-4a64-8a2f-0d5f3e6d0003'
    assert.deepEqual(await problemsOf(seal([order(1)], [line(1)], ['orders'], { projectId })), [
      `orders.*: the project has no snapshot to which rows could be appended: ${whole}`,
    ])
    assert.deepEqual(await problemsOf(seal([order(1)], [line(1)], ['notes'], { projectId })), [
      'notes.*: there are no rows to be appended: give a source of them',
    ])
    await seal([order(1)], [line(1)])
    const notes = { ...tables([order(1)], [line(1)]), notes: fromRows([{ text: 'a note' }]) }
    assert.deepEqual(await problemsOf(seal([], [], ['notes'], { tables: notes })), [
      `notes.*: the newest snapshot of the project lacks it: ${whole}`,
    ])
    assert.deepEqual(await problemsOf(seal([order(1)], [line(1)], ['notes'])), [
      'notes.*: there are no rows to be appended: give a source of them',
    ])
  })

  it('keeps nothing of what it has read when it cannot be published', async () => {
    const { manifest } = await seal([order(1)], [line(1)])
    const { publish } = selling.snapshots
    try {
      selling.snapshots.publish = () => Promise.reject(new Error('no room'))
      await assert.rejects(seal([order(2)], [line(1)], ['orders']), { name: 'SealerError', message: /no room/ })
      assert.deepEqual(await leftBy(selling), [])
    } finally {
      selling.snapshots.publish = publish
    }
    await seal([order(3)], [line(3)])
    await selling.snapshots.prune(PROJECT, 1)
    assert.equal((await selling.snapshots.manifests(PROJECT)).length, 1)
    assert.notEqual((await selling.snapshots.manifests(PROJECT))[0]?.snapshotId, manifest.snapshotId)
  })

  it('refuses rows with other columns than those before', async () => {
    const withNotes = (note: Row) => ({ ...tables([order(1)], [line(1)]), notes: fromRows([note]) })
    await seal([], [], [], { tables: withNotes({ text: 'a note' }) })
    assert.deepEqual(await problemsOf(seal([], [], ['notes'], { tables: withNotes({ text: 17 }) })), [
      'notes.*: its columns are not those of the snapshot before, to which rows are to be appended: seal all rows of ' +
        'the table',
    ])
    const { manifest } = await seal([], [], ['notes'], { tables: withNotes({ text: 'another' }) })
    assert.deepEqual(await rowsOf(selling, manifest, 'notes'), [['a note'], ['another']])
  })

  it('refuses to append to a file that is not as it was sealed, and seals none of it', async () => {
    const { manifest: other } = await seal([order(8), order(9)], [line(8)])
    const { manifest: first } = await seal([order(1), order(2)], [line(1)])
    const [wrong] = await filesOf(selling, other, 'orders')
    const [stored] = await filesOf(selling, first, 'orders')
    // A file of the same form: what is wrong with it is to be seen by its digest alone.
    await copyFile(wrong?.path ?? '', stored?.path ?? '')
    assert.deepEqual(await problemsOf(seal([order(3)], [line(1)], ['orders'])), [
      `orders.*: ${stored?.file} of the snapshot before, to which rows are to be appended, is not as it was sealed: ` +
        'seal all rows of the table',
    ])
    assert.equal((await selling.snapshots.manifests(PROJECT))[0]?.snapshotId, first.snapshotId)
    assert.deepEqual(await leftBy(selling), [])
    const { manifest } = await seal([order(1), order(2), order(3)], [line(1)])
    assert.deepEqual(await selling.snapshots.verify(PROJECT, manifest.snapshotId), [])
  })

  it('seals nothing when the project was sealed meanwhile', async () => {
    await seal([order(1)], [line(1)])
    const { scratch, snapshots } = selling
    const same = directorySnapshots(join(scratch.path, 'snapshots'))
    const other = await openSealer({ catalogue: shop, snapshots: same, folder: join(scratch.path, 'other') })
    const { publish } = snapshots
    try {
      // Between the reading and the publishing of this sealing.
      snapshots.publish = async (...args) => {
        await other.seal({ projectId: PROJECT, tables: tables([order(7)], [line(7)]) })
        return publish(...args)
      }
      await assert.rejects(seal([order(2)], [line(1)], ['orders']), {
        name: 'SealerError',
        reason: 'outdated',
        message: /^The project was sealed meanwhile/,
      })
    } finally {
      snapshots.publish = publish
      await other.close()
    }
    const [newest] = await snapshots.manifests(PROJECT)
    assert.ok(newest)
    assert.deepEqual(
      (await rowsOf(selling, newest, 'orders')).map(([id]) => id),
      ['7'],
    )
    assert.deepEqual(await leftBy(selling), [])
  })
})
