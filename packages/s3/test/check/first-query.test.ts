import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineCatalogue, defineFold, defineTables } from 'foldgate'
import { fromFolder, openSealer, type Sealer, tableFiles } from 'foldgate/sealing'
import { PROJECT, type Service, startService } from '../../../../test/service/service.js'
import { MemoryStore } from './memory-store.js'

const NAMES = Array.from({ length: 20 }, (_, at) => `table_${at}`)
const ENTITIES = `entity_key,entity_id,parent_key,ownership_share
1,00000000-0000-4000-8000-000000000001,,1
2,00000000-0000-4000-8000-000000000002,1,0.5
`
const CATALOGUE = defineCatalogue({
  hierarchy: {
    ...{ table: 'entities', key: 'entity_key', parent: 'parent_key', id: 'entity_id', share: 'ownership_share' },
  },
  relations: [
    ...defineTables('entities', ...NAMES),
    defineFold({
      name: 'fold_owned',
      about: 'One row: the total of two tables over the point of view.',
      reads: ['table_1', 'table_2', 'point_of_view'],
      sql: `SELECT sum(a.amount * b.amount * share) AS total
            FROM table_1 AS a JOIN table_2 AS b USING (entity_key) JOIN point_of_view USING (entity_key)`,
    }),
  ],
})
/** A new snapshot is listed, described and opened. */
const LOOKS = ['manifest', 'manifest', 'manifest']
const FILES = Object.fromEntries(NAMES.map((name, at) => [`${name}.csv`, `entity_key,amount\n1,${at}\n2,${at}\n`]))

describe('a query of a snapshot of many tables in S3', () => {
  let folder: string
  let sealer: Sealer
  let service: Service
  let store: MemoryStore
  const tables = new Map<string, string>()

  before(async () => {
    const catalogue = CATALOGUE
    folder = await mkdtemp(join(tmpdir(), 'foldgate-copies-'))
    store = new MemoryStore()
    const given = { 'entities.csv': ENTITIES, ...FILES }
    service = await startService({ catalogue, snapshots: store.open(join(folder, 'copies')), files: given })
    const snapshots = store.open(join(folder, 'of-the-sealer'))
    sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
    await mkdir(join(folder, 'source'))
    await write(given)
    await seal()
  })
  after(async () => {
    await sealer?.close()
    await service?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const write = (files: Record<string, string>) =>
    Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, 'source', name), text)))
  /** Seals what was written; the names of files in the store are their digests. */
  async function seal(): Promise<void> {
    const source = fromFolder(join(folder, 'source'))
    const { manifest } = await sealer.seal({ projectId: PROJECT, assessmentId: randomUUID(), tables: source })
    const files = manifest.tables.flatMap(table => tableFiles(table).map(({ file }) => [file, table.name] as const))
    for (const [file, table] of files) tables.set(file, table)
  }

  /** Runs a statement; returns its rows and what was read in the store, but for listings of snapshots. */
  async function query(sql: string, more: object = {}) {
    store.requests = []
    const { body } = await service.call('projects/query', { projectId: PROJECT, sql, ...more })
    const asked = store.requests.filter(request => !request.startsWith('LIST')).map(nameOf)
    return { items: body.result?.items, asked: asked.sort() }
  }

  function nameOf(request: string): string {
    const name = request.slice(request.lastIndexOf('/') + 1)
    return tables.get(name) ?? name.replace(/^[\w-]+\.ids$/, 'ids').replace(/^\d+\.json$/, 'manifest')
  }

  it('reads the tables that the statement needs, and each once', async () => {
    const one = await query('SELECT sum(amount)::INTEGER AS sum FROM table_7')
    assert.deepEqual(one, { items: [{ sum: 14 }], asked: ['ids', ...LOOKS, 'table_7'] })
    const again = await query('SELECT max(amount)::INTEGER AS max FROM table_7')
    assert.deepEqual(again, { items: [{ max: 7 }], asked: [] })
    const other = await query('SELECT max(amount)::INTEGER AS max FROM table_8 JOIN table_7 USING (amount)')
    assert.deepEqual(other, { items: [{ max: null }], asked: ['table_8'] })
    const none = await query('SELECT 1::INTEGER AS one')
    assert.deepEqual(none, { items: [{ one: 1 }], asked: [] })
  })

  it('reads what a fold reads, and nothing for another point of view', async () => {
    const asked = ['entities', 'table_1', 'table_2']
    assert.deepEqual(await query('SELECT total FROM fold_owned'), { items: [{ total: 3 }], asked })
    const entityId = '00000000-0000-4000-8000-000000000002'
    assert.deepEqual(await query('SELECT total FROM fold_owned', { entityId }), { items: [{ total: 2 }], asked: [] })
  })

  it('reads them for a dry run, too', async () => {
    const { asked } = await query('SELECT amount FROM table_9', { dryRun: true })
    assert.deepEqual(asked, ['table_9'])
    assert.deepEqual((await query('SELECT amount FROM table_9')).asked, [])
  })

  it('reads what changed after a refresh, and nothing for the other tables', async () => {
    const statement = 'SELECT (SELECT total FROM fold_owned) AS total, sum(amount)::INTEGER AS sum FROM table_7'
    assert.deepEqual((await query(statement)).items, [{ total: 3, sum: 14 }])
    await write({ 'table_7.csv': 'entity_key,amount\n1,7\n2,8\n' })
    store.requests = []
    await seal()
    const stored = store.requests.filter(request => request.startsWith('PUT tables/')).map(nameOf)
    assert.deepEqual(stored, ['table_7'])
    const after = await query(statement)
    assert.deepEqual(after, { items: [{ total: 3, sum: 15 }], asked: [...LOOKS, 'table_7'] })
    const askedFor = async (table: string) => (await query(`SELECT max(amount)::INTEGER AS max FROM ${table}`)).asked
    assert.deepEqual([await askedFor('table_9'), await askedFor('table_12')], [[], ['table_12']])
  })
})
