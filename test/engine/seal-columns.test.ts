import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineCatalogue, defineTable, directorySnapshots } from 'foldgate'
import { fromFolder, openSealer, SealError, type Sealer } from 'foldgate/sealing'

/** Tables without declared columns: the files to be sealed determine them. */
const catalogue = defineCatalogue({
  hierarchy: { table: 'entities', key: 'entity_key', parent: 'parent_key', id: 'entity_id', share: 'ownership_share' },
  relations: [
    defineTable({ name: 'entities' }),
    defineTable({
      name: 'sites',
      required: ['site_key'],
      unique: ['site_key'],
      references: { entity_key: 'entities.entity_key', year: 'years.year' },
    }),
    defineTable({ name: 'years' }),
  ],
})
const TABLES = {
  entities: 'entity_key,parent_key,entity_id,ownership_share\ngroup,,00000000-0000-4000-8000-000000000001,1\n',
  sites: 'site_key,entity_key,year\nmine,group,2024\n',
  years: 'year\n2024\n',
}

describe('sealing tables without declared columns', () => {
  let folder: string
  let sealer: Sealer
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-seal-'))
    const snapshots = directorySnapshots(join(folder, 'snapshots'))
    sealer = await openSealer({ catalogue, snapshots, folder: join(folder, 'scratch') })
  })
  after(async () => {
    await sealer.close()
    await rm(folder, { recursive: true })
  })

  async function seal(changed: Partial<typeof TABLES>): Promise<unknown> {
    const source = await mkdtemp(join(folder, 'tables-'))
    for (const [name, text] of Object.entries({ ...TABLES, ...changed }))
      await writeFile(join(source, `${name}.csv`), text)
    return sealer.seal({ projectId: randomUUID(), assessmentId: 'a', tables: fromFolder(source) }).then(
      ({ manifest }) => manifest.tables.map(({ name, rows }) => `${name} ${rows}`),
      (error: unknown) => (error instanceof SealError ? error.message.split('\n') : error),
    )
  }

  it('keeps tables that have the columns that the catalogue names', async () => {
    assert.deepEqual(await seal({}), ['entities 1', 'sites 1', 'years 1'])
  })

  it('reports each missing column that a rule, a reference or the hierarchy needs', async () => {
    assert.deepEqual(await seal({ sites: 'site,entity\nmine,group\n' }), [
      'sites.site_key: the column is missing',
      'sites.entity_key: the column is missing',
      'sites.year: the column is missing',
    ])
    assert.deepEqual(await seal({ years: 'yr\n2024\n' }), ['years.year: the column is missing'])
    assert.deepEqual(await seal({ entities: 'entity_key,entity_id\ngroup,1\n' }), [
      'entities.parent_key: the column is missing',
      'entities.ownership_share: the column is missing',
    ])
  })

  it('reports a column under the name that numbers the rows', async () => {
    assert.deepEqual(await seal({ years: 'year,#\n2024,7\n' }), [
      'years.#: a column cannot have this name: give it another',
    ])
  })

  it('reports keys that come twice, whatever the names of the other columns are', async () => {
    assert.deepEqual(
      await seal({ sites: 'site_key,entity_key,year,before 0\nmine,group,2024,z\nmine,group,2024,a\n' }),
      ['sites.site_key: line 3: "mine" comes twice'],
    )
  })

  it('reports a column whose type differs from the column that it refers to', async () => {
    assert.deepEqual(await seal({ years: 'year\n2024-01-01\n' }), ['sites.year: has another type than year of years'])
  })
})
