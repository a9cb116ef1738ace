import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineCatalogue, defineTable, directorySnapshots } from 'foldgate'
import { fromFolder, fromRows, openSealer, type Sealer, type SealManyRequest } from 'foldgate/sealing'
import { knowSound } from '#lib/duckdb/check/sound-catalogue.js'
import { scratchFolder } from '../server/command.js'

const catalogue = defineCatalogue({
  hierarchy: { table: 'entities', key: 'entity_key', parent: 'parent_key', id: 'entity_id', share: 'ownership_share' },
  relations: [
    defineTable({ name: 'entities' }),
    defineTable({ name: 'rates', columns: { code: 'VARCHAR' } }),
    defineTable({ name: 'notes', optional: true }),
  ],
})
const PROJECTS = new Map(['a', 'b'].map(key => [key, randomUUID()]))

describe('the rows of many tenants, of which tables may lack the column', () => {
  const scratch = scratchFolder()
  let sealer: Sealer
  const snapshots = () => directorySnapshots(join(scratch.path, 'snapshots'))
  before(async () => {
    knowSound(catalogue)
    sealer = await openSealer({ catalogue, snapshots: snapshots(), folder: join(scratch.path, 'scratch') })
  })
  after(() => sealer.close())

  const entities = (keys = [...PROJECTS.keys()]) =>
    fromRows(
      keys.map(tenant => ({
        tenant,
        entity_key: tenant,
        entity_id: randomUUID(),
        parent_key: null,
        ownership_share: 1,
      })),
    )
  const rates = () => fromRows([{ code: 'x' }, { code: 'y' }])
  const seal = (given: Pick<SealManyRequest, 'tables'> & Partial<SealManyRequest>) =>
    sealer.sealMany({ by: 'tenant', shared: 'where-missing', projects: PROJECTS, ...given })

  it('share the rows of a declared table that have no such key', async () => {
    const { sealed, strays } = await seal({ tables: { entities: entities(), rates: rates() } })
    assert.deepEqual([sealed.length, strays], [2, []])
    for (const projectId of PROJECTS.values()) {
      const [manifest] = await snapshots().manifests(projectId)
      const rows = manifest?.tables.map(table => [table.name, table.rows])
      assert.deepEqual(rows, [
        ['entities', 1],
        ['rates', 2],
      ])
    }
  })

  it('never share rows whose column has the name in other letters', async () => {
    const folder = join(scratch.path, 'tables')
    await mkdir(folder)
    for (const name of ['Tenant', 'TENANT']) {
      await writeFile(join(folder, 'notes.csv'), `${name},note\na,mine\nb,yours\n`)
      for (const shared of ['where-missing', ['rates', 'notes']] as const)
        await assert.rejects(seal({ tables: fromFolder(folder, { entities: entities(), rates: rates() }), shared }), {
          name: 'SealError',
          message: `notes.tenant: the column is named "${name}": write its name as "tenant"`,
        })
    }
  })

  it('are not sealed with rows of a key that is not known', async () => {
    const tables = () => ({ entities: entities(['a', 'b', 'c']), rates: rates() })
    const before = await snapshots().list(PROJECTS.get('a') ?? '', AbortSignal.timeout(1000))
    await assert.rejects(seal({ tables: tables(), known: new Set(PROJECTS.keys()) }), {
      name: 'SealError',
      message: 'entities.tenant: row 3: "c" is the key of no project',
    })
    assert.deepEqual(await snapshots().list(PROJECTS.get('a') ?? '', AbortSignal.timeout(1000)), before)
    const { sealed, strays } = await seal({ tables: tables(), known: new Set(['a', 'b', 'c']) })
    assert.deepEqual([sealed.length, strays.map(({ key }) => key)], [2, ['c']])
  })

  it('are refused in what is no record, no list and no Map, with the name of the option', async () => {
    const good = { entities: entities(), rates: rates() }
    for (const [given, message] of [
      [{ tables: new Map() }, /^tables is no object/],
      [{ tables: [entities()] }, /^tables is no object/],
      [{ tables: good, shared: 'rates' }, /^shared is no list/],
      [{ tables: good, projects: {} }, /^projects is no Map/],
    ] as const)
      await assert.rejects(seal(given as never), { name: 'TypeError', message })
    const onOutcome = () => {}
    await assert.rejects(sealer.checkMany({ tables: good, by: 'tenant', projects: PROJECTS, onOutcome } as never), {
      message: /^checkMany has no option onOutcome/,
    })
  })
})
