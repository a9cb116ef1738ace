import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineCatalogue, defineTable } from 'foldgate'
import {
  fromCsv,
  fromFile,
  fromRows,
  openSealer,
  SealError,
  type SealerError,
  type SealManyRequest,
} from 'foldgate/sealing'
import type { TenantOutcome } from '#lib/seal/request.js'
import { filesOf, leftBy, rowsOf, sellingSealer } from './selling.js'

const projectOf = (at: number) => `7b0f0c52-5c3b-4a64-8a2f-0d5f3e6e${String(at).padStart(4, '0')}`
const PROJECTS = new Map(['ants', 'bees', 'cats', 'dogs'].map((key, at) => [key, projectOf(at)]))
const ORDERS = [
  { tenant: 'bees', id: 2, note: 'x', total: 1 },
  { tenant: 'ants', id: 2, note: 'b', total: 1 },
  { tenant: 'ants', id: 1, note: '', total: 2 },
]
const LINES = [
  { tenant: 'ants', id: 1, order_id: 1, product: 7 },
  { tenant: 'bees', id: 1, order_id: 2, product: 8 },
]
const PRODUCTS = [
  { id: 7, name: 'seven' },
  { id: 8, name: 'eight' },
]

describe('sealing many tenants at once', () => {
  const selling = sellingSealer()
  const tables = (orders: readonly Row[] = ORDERS, lines: readonly Row[] = LINES) => ({
    orders: fromRows(orders),
    lines: fromRows(lines),
    products: fromRows(PRODUCTS),
  })
  const sealMany = (changed: Partial<SealManyRequest> = {}) =>
    selling.sealer.sealMany({ tables: tables(), by: 'tenant', shared: ['products'], projects: PROJECTS, ...changed })
  const newest = async (key: string) => (await selling.snapshots.manifests(PROJECTS.get(key) ?? ''))[0]

  it('seals the rows of each in a snapshot of its own, and tells who has none', async () => {
    const told: TenantOutcome[] = []
    const { sealed, failed, empty, strays } = await sealMany({ onOutcome: outcome => told.push(outcome) })
    assert.deepEqual(sealed.map(({ key, rows }) => [key, rows]).sort(), [
      ['ants', 3],
      ['bees', 2],
    ])
    assert.deepEqual([failed, strays], [[], []])
    assert.deepEqual(
      empty.map(({ key }) => key),
      ['cats', 'dogs'],
    )
    assert.deepEqual(told.map(({ key }) => key).sort(), [...PROJECTS.keys()])
    const ants = await newest('ants')
    assert.equal(ants?.snapshotId, sealed.find(({ key }) => key === 'ants')?.snapshotId)
    assert.ok(ants)
    assert.deepEqual(await rowsOf(selling, ants, 'orders'), [
      ['1', '', '2.00'],
      ['2', 'b', '1.00'],
    ])
    assert.deepEqual(await rowsOf(selling, ants, 'products'), [
      ['7', 'seven'],
      ['8', 'eight'],
    ])
    assert.deepEqual(await selling.snapshots.verify(ants.projectId, ants.snapshotId), [])
    assert.equal(await newest('cats'), undefined)
    assert.deepEqual(await leftBy(selling), [])
  })

  it('publishes nothing for tenants whose rows are as they were', async () => {
    await sealMany()
    const [ants, bees] = [await newest('ants'), await newest('bees')]
    const more = [...ORDERS, { tenant: 'bees', id: 3, note: 'y', total: 1 }]
    const { sealed } = await sealMany({ tables: tables(more) })
    const unchanged = new Map(sealed.map(each => [each.key, each.unchanged]))
    assert.deepEqual([unchanged.get('ants'), unchanged.get('bees')], [true, false])
    assert.equal(sealed.find(({ key }) => key === 'ants')?.snapshotId, ants?.snapshotId)
    assert.deepEqual(await newest('ants'), ants)
    assert.notEqual((await newest('bees'))?.snapshotId, bees?.snapshotId)
    const assessed = await sealMany({ tables: tables(more), assessmentId: key => `of ${key}` })
    assert.deepEqual(
      assessed.sealed.map(each => each.unchanged),
      [false, false],
      'those of another assessment',
    )
    assert.deepEqual(await leftBy(selling), [])
  })

  it('makes the files that sealing one tenant makes, and shares none between projects', async () => {
    await sealMany()
    const many = await newest('ants')
    const ofAnts = (rows: readonly Row[]) =>
      fromRows(rows.flatMap(({ tenant, ...row }) => (tenant === 'ants' ? [row] : [])))
    const tables = { orders: ofAnts(ORDERS), lines: ofAnts(LINES), products: fromRows(PRODUCTS) }
    const { manifest } = await selling.sealer.seal({ projectId: projectOf(9), tables })
    assert.ok(many)
    for (const table of ['orders', 'lines', 'products']) {
      const [one] = await filesOf(selling, manifest, table)
      assert.equal((await filesOf(selling, many, table))[0]?.sha256, one?.sha256)
    }
  })

  it('tells the problems of one tenant, and seals the others', async () => {
    const orders = [
      ...ORDERS,
      { tenant: 'cats', id: 'x', note: null, total: 1 },
      { tenant: 'dogs', id: 5, note: null, total: 1 },
      { tenant: 'dogs', id: 5, note: null, total: 1 },
    ]
    const lines = [...LINES, { tenant: 'cats', id: 1, order_id: 1, product: 9 }]
    const { sealed, failed, empty } = await sealMany({ tables: tables(orders, lines) })
    assert.deepEqual(sealed.map(({ key }) => key).sort(), ['ants', 'bees'])
    assert.deepEqual(empty, [])
    const problems = failed.map(({ key, error }) => {
      assert.ok(error instanceof SealError, String(error))
      return [key, error.message]
    })
    assert.deepEqual(problems.sort(), [
      [
        'cats',
        'orders.id: row 4: "x" is not a BIGINT\nlines.order_id: "1" is not in orders.id\nlines.product: "9" is not in products.id',
      ],
      ['dogs', 'orders.id: row 6: "5" comes twice'],
    ])
  })

  it('waits for what the tables of a tenant come from, and fails the tenant for which there is none', async () => {
    const assessmentId = async (key: string) => {
      if (key === 'bees') throw new Error('none is under way')
      return `assessment of ${key}`
    }
    const { sealed, failed } = await sealMany({ assessmentId })
    assert.deepEqual([sealed.map(({ key }) => key), failed.map(({ key }) => key)], [['ants'], ['bees']])
    assert.match(failed[0]?.error.message ?? '', /none is under way$/)
    assert.equal((await newest('ants'))?.assessmentId, 'assessment of ants')
  })

  it('tells rows of no tenant, by table and value', async () => {
    const orders = [
      ...ORDERS,
      { tenant: null, id: 1, note: null, total: 1 },
      { tenant: 'eels', id: 1, note: null, total: 1 },
    ]
    const lines = [...LINES, ...[1, 2].map(id => ({ tenant: 'eels', id, order_id: 1, product: 7 }))]
    const { sealed, strays } = await sealMany({ tables: tables(orders, lines) })
    assert.equal(sealed.length, 2)
    assert.deepEqual(
      strays.map(({ table, key, rows }) => [table, key, rows]).sort(),
      [
        ['lines', 'eels', 2],
        ['orders', 'eels', 1],
        ['orders', null, 1],
      ].sort(),
    )
  })

  it('refuses tables that all tenants would see by mistake', async () => {
    const before = await newest('ants')
    const products = fromCsv(['id,name\n7,seven\n'])
    await assert.rejects(sealMany({ shared: [], tables: { ...tables(), products } }), {
      name: 'SealError',
      message:
        'products.tenant: the column is missing: name the table as shared if all tenants may see all of its rows',
    })
    await assert.rejects(sealMany({ shared: ['products', 'lines'], tables: { ...tables(), lines: fromRows(LINES) } }), {
      name: 'SealerError',
      message: /row 1 has the key "tenant", which is no column of the table/,
    })
    await assert.rejects(sealMany({ shared: ['product'] }), { name: 'TypeError', message: /no table "product"/ })
    assert.equal((await newest('ants'))?.snapshotId, before?.snapshotId)
  })

  it('goes on with another process when one dies, and tells whose rows it was sealing', async () => {
    let isKilled = false
    const projects = new Map(['ants', 'bees'].map(key => [key, PROJECTS.get(key) ?? '']))
    const { publish } = selling.snapshots
    try {
      selling.snapshots.publish = async (...given) => {
        if (!isKilled) await killProcesses(join(selling.scratch.path, 'scratch'))
        isKilled = true
        return publish(...given)
      }
      const { sealed, failed } = await sealMany({ projects })
      assert.deepEqual([...sealed, ...failed].map(({ key }) => key).sort(), ['ants', 'bees'])
      assert.ok(sealed.length >= 1)
      for (const { error } of failed) assert.equal(error.name, 'SealerError')
    } finally {
      selling.snapshots.publish = publish
    }
    assert.deepEqual(await leftBy(selling), [])
  })

  it('blames no memory for a process that was killed from outside', async () => {
    let killed: Promise<void> | undefined
    const keys = Array.from({ length: 20 }, (_, at) => `tenant ${at}`) // more than are published at once
    const projects = new Map(keys.map((key, at) => [key, projectOf(100 + at)]))
    const orders = keys.map(tenant => ({ tenant, id: 1, note: null, total: 1 }))
    const { publish } = selling.snapshots
    try {
      selling.snapshots.publish = async (...given) => {
        killed ??= killProcesses(join(selling.scratch.path, 'scratch'))
        await killed
        return publish(...given)
      }
      const { sealed, failed } = await sealMany({ projects, tables: tables(orders, []) })
      assert.equal(sealed.length, keys.length - 1)
      const [{ reason, message }] = failed.map(({ error }) => error as SealerError) as [SealerError]
      assert.deepEqual(
        [reason, message],
        ['failed', 'The package could not be sealed: its process was killed from outside by SIGKILL'],
      )
    } finally {
      selling.snapshots.publish = publish
    }
  })

  it('leaves nothing half when it is aborted', async () => {
    const unwanted = new AbortController()
    const keys = Array.from({ length: 50 }, (_, at) => `tenant ${at}`)
    const projects = new Map(keys.map((key, at) => [key, projectOf(100 + at)]))
    const orders = keys.map(tenant => ({ tenant, id: 1, note: null, total: 1 }))
    const sealing = sealMany({
      projects,
      tables: tables(orders, []),
      signal: unwanted.signal,
      onOutcome: outcome => 'snapshotId' in outcome && unwanted.abort(new Error('enough')),
    })
    await assert.rejects(sealing, /^Error: enough$/)
    const found = (await Promise.all([...projects.values()].map(id => selling.snapshots.manifests(id)))).flat()
    assert.ok(found.length > 0 && found.length < keys.length, `${found.length} were sealed`)
    for (const { projectId, snapshotId } of found)
      assert.deepEqual(await selling.snapshots.verify(projectId, snapshotId), [])
    assert.deepEqual(await leftBy(selling), [])
  })

  it('tells keys apart that would be one number', async () => {
    const path = join(selling.scratch.path, 'notes.csv')
    await writeFile(path, 'tenant,size\n1,10\n01,20\n')
    const projects = new Map(['1', '01'].map((key, at) => [key, projectOf(20 + at)]))
    const { sealed } = await sealMany({ tables: { ...tables(), notes: fromFile(path) }, projects })
    assert.deepEqual(sealed.map(({ key, rows }) => [key, rows]).sort(), [
      ['01', 1],
      ['1', 1],
    ])
    const [first] = await selling.snapshots.manifests(projectOf(20))
    assert.ok(first)
    assert.deepEqual(await rowsOf(selling, first, 'notes'), [['10']])
    const columns = first.tables.find(({ name }) => name === 'notes')?.columns
    assert.deepEqual(columns, [{ name: 'size', type: 'BIGINT' }]) // as it is found in a file of a folder
  })

  it('keeps columns whatever their names are', async () => {
    const notes = [
      { tenant: 'ants', '# key': 'k', '# Stored': 's', '# stored ': 't' },
      { tenant: 'bees', '# key': 'l', '# Stored': 'u', '# stored ': 'v' },
    ]
    await sealMany({ tables: { ...tables(), notes: fromRows(notes) } })
    const bees = await newest('bees')
    assert.ok(bees)
    assert.deepEqual(await rowsOf(selling, bees, 'notes'), [['l', 'u', 'v']])
  })

  it('checks the tree of each tenant', async () => {
    const tree = { table: 'entities', key: 'entity_key', parent: 'parent_key', id: 'entity_id', share: 'share' }
    const catalogue = defineCatalogue({ hierarchy: tree, relations: [defineTable({ name: 'entities' })] })
    const folder = join(selling.scratch.path, 'tree')
    const sealer = await openSealer({ catalogue, snapshots: selling.snapshots, folder })
    const entity = (tenant: string, entity_key: string, parent_key: string | null) => ({
      ...{ tenant, entity_key, parent_key, share: 1 },
      entity_id: `00000000-0000-4000-8000-00000000000${entity_key}`,
    })
    try {
      const entities = [
        entity('ants', '1', null),
        entity('ants', '2', '1'),
        entity('bees', '1', null),
        entity('bees', '2', '3'),
      ]
      const tables = { entities: fromRows(entities) }
      const { sealed, failed } = await sealer.sealMany({ tables, by: 'tenant', projects: PROJECTS })
      assert.deepEqual(
        sealed.map(({ key }) => key),
        ['ants'],
      )
      assert.match(failed[0]?.error.message ?? '', /its holder "3" is not in the table/)
      const [manifest] = await selling.snapshots.manifests(projectOf(0))
      assert.equal(manifest?.entities?.count, 2)
      assert.equal(manifest?.rootId, '00000000-0000-4000-8000-000000000001')
    } finally {
      await sealer.close()
    }
  })
})

type Row = Record<string, unknown>

/** Kills the processes that work in a folder. */
async function killProcesses(folder: string): Promise<void> {
  for (const pid of (await readdir('/proc')).filter(name => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (line.includes(folder) && Number(pid) !== process.pid) process.kill(Number(pid), 'SIGKILL')
  }
}
