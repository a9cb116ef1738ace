import assert from 'node:assert/strict'
import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineCatalogue, defineFold } from 'foldgate'
import { snapshotFiles, tableFiles } from 'foldgate/sealing'
import { catalogue } from '../service/catalogue.js'
import { ENTITIES, OTHER_PROJECT, PACKAGE, PROJECT, type Service, startService } from '../service/service.js'
import { cachedRelations, tablesOf } from '../stored.js'

const ENTITY_COUNT = 'SELECT count(*) AS n FROM entities'
const TREE = 'SELECT sum(share) AS n FROM shares'
const TOTAL = 'SELECT sum(amount) AS n FROM amounts'

describe('a refresh that changes one table', () => {
  let service: Service
  let first: string
  let second: string
  /** A comment makes each statement another one, whose result is not stored yet. */
  let asked = 0
  const n = async (sql: string, more: object = {}) => {
    const { body } = await service.call('projects/query', { projectId: PROJECT, sql: `${sql} -- ${++asked}`, ...more })
    return body.result?.items?.[0]?.n ?? body.message
  }
  // Tables are read as they are sealed, and built behind the answers when that is worth it.
  const builds = () => service.events.filter(event => event.type === 'build' && event.relation === 'shares')
  const newest = async () => (await service.snapshots.list(PROJECT, AbortSignal.timeout(10_000)))[0] ?? ''
  const cached = (projectId: string) => cachedRelations(join(service.folder, 'engine', 'cache', projectId))
  const relations = async (projectId = PROJECT) => [...(await cached(projectId)).keys()]
  const refresh = async (amount: number) => {
    const amounts = PACKAGE['amounts.csv'].replace('water,10', `water,${amount}`)
    await service.seal(PROJECT, { ...PACKAGE, 'amounts.csv': amounts })
  }

  before(async () => {
    const { hierarchy, relations, examples } = catalogue
    const sql = 'SELECT entity_key, share FROM point_of_view'
    const shares = defineFold({ name: 'shares', about: 'Shares of entities.', reads: ['point_of_view'], sql })
    service = await startService({
      sealedAs: catalogue,
      catalogue: defineCatalogue({ hierarchy, examples, relations: [...relations.values(), shares] }),
    })
    first = await newest()
    for (const sql of [ENTITY_COUNT, TREE, TOTAL]) await n(sql)
    await n(TREE, { entityId: ENTITIES.half })
    await refresh(11)
    second = await newest()
    assert.notEqual(second, first)
  })
  after(() => service.close())

  it('stores the other one once', async () => {
    const [newer = [], older = []] = await Promise.all(
      [second, first].map(async id => {
        const manifests = await service.snapshots.manifests(PROJECT)
        const found = manifests.find(({ snapshotId }) => snapshotId === id)
        return (found ? snapshotFiles(found) : []).map(({ file }) => file)
      }),
    )
    const changed = newer.filter(file => !older.includes(file))
    assert.equal(newer.length, 3)
    assert.deepEqual([changed.length, /^amounts-/.test(changed[0] ?? '')], [1, true])
  })

  it('builds nothing for queries of the other one, from any point of view, in the processes that are there', async () => {
    const [made, pids, there] = [builds().length, service.api.pids(), await relations()]
    assert.equal(await n(ENTITY_COUNT), 5)
    for (const point of [{}, { entityId: ENTITIES.half }]) {
      const sum = await n(TREE, point)
      assert.equal(typeof sum, 'number', String(sum))
      assert.equal(await n(TREE, { ...point, snapshot: first }), sum)
    }
    assert.deepEqual(builds().slice(made), [])
    assert.deepEqual(await relations(), there)
    assert.deepEqual(service.api.pids(), pids)
  })

  it('reads the changed one as it is sealed, and each snapshot keeps its own rows', async () => {
    const [made, there] = [builds().length, await relations()]
    assert.deepEqual(await Promise.all([n(TOTAL), n(TOTAL)]), [178, 178])
    assert.equal((await relations()).filter(alias => !there.includes(alias)).length, 1)
    assert.equal(await n(TOTAL, { snapshot: first }), 177)
    assert.equal(await n(TOTAL), 178)
    await refresh(10)
    assert.equal(await n(TOTAL), 177)
    assert.equal(builds().length, made)
    assert.equal((await relations()).length, there.length + 1)
  })

  it('shares nothing with another project', async () => {
    await service.call('projects/query', { projectId: OTHER_PROJECT, sql: ENTITY_COUNT })
    const [shared = ''] = await relations(OTHER_PROJECT)
    assert.ok((await relations()).includes(shared), 'the same content')
    const ino = async (projectId: string) =>
      (await stat((await cached(projectId)).get(shared)?.[0] ?? '', { bigint: true })).ino
    assert.notEqual(await ino(PROJECT), await ino(OTHER_PROJECT))
  })

  it('lets callers of a sound snapshot be answered while those of a damaged one wait for the same relation', async () => {
    await refresh(12)
    const damaged = await newest()
    const [manifest] = await service.snapshots.manifests(PROJECT)
    const amounts = manifest?.tables.find(({ name }) => name === 'amounts') ?? assert.fail('no amounts')
    const path = join(tablesOf(join(service.folder, 'snapshots'), PROJECT), tableFiles(amounts)[0]?.file ?? '')
    await rm(path)
    await writeFile(path, 'damaged')
    await refresh(12)
    const answers = await Promise.all([n(TOTAL, { snapshot: damaged }), n(TOTAL)])
    assert.equal(answers[1], 179)
    assert.ok(
      [179, 'The pinned snapshot of the project cannot be read now.'].includes(answers[0] as string),
      `${answers}`,
    )
  })
})
