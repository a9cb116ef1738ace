import assert from 'node:assert/strict'
import { type AnalyticsEvent, defineCatalogue, defineFold } from 'foldgate'
import { catalogue } from '../service/catalogue.js'
import { ENTITIES, PACKAGE, PROJECT, type Service, startService } from '../service/service.js'

const about = 'A fold of the tests.'
const NO_COLUMN = defineFold({ name: 'no_column', about, reads: ['amounts'], sql: 'SELECT quantity FROM amounts' })
const WRONG_TYPE = defineFold({
  name: 'wrong_type',
  about,
  reads: ['amounts'],
  sql: 'SELECT CAST(item AS INTEGER) AS n FROM amounts',
})
const ON_IT = defineFold({ name: 'on_it', about, reads: ['no_column'], sql: 'SELECT count(*) AS n FROM no_column' })
const LACKING = defineFold({
  name: 'lacking',
  about,
  reads: ['amounts'],
  sql: 'SELECT count(*) AS n FROM amounts JOIN entities USING (entity_key)',
})
const RIGHT = defineFold({ name: 'right_one', about, reads: ['amounts'], sql: 'SELECT count(*) AS n FROM amounts' })

type Build = AnalyticsEvent & { type: 'build' }

describe('a fold whose SQL the engine refuses', () => {
  let service: Service
  before(async () => {
    const { hierarchy, relations, examples } = catalogue
    service = await startService({
      sealedAs: catalogue,
      catalogue: defineCatalogue({
        hierarchy,
        examples,
        relations: [...relations.values(), NO_COLUMN, WRONG_TYPE, ON_IT, LACKING, RIGHT],
      }),
    })
  })
  after(() => service.close())

  const query = (sql: string, more: object = {}) => service.call('projects/query', { projectId: PROJECT, sql, ...more })
  const builds = () => service.events.filter((event): event is Build => event.type === 'build')
  const failed = (relation: string) =>
    builds().filter(event => event.relation === relation && event.cause !== undefined)
  /** The reference that a caller got, whose fault names the fold and what the engine says. */
  const assertFault = ({ status, body }: Awaited<ReturnType<typeof query>>, name: string, message: RegExp) => {
    assert.deepEqual([status, body.class], [500, 'INTERNAL'])
    const told = service.events.find(event => event.type === 'fault' && event.reference === body.data?.reference)
    const text = String(told?.type === 'fault' && told.cause)
    assert.match(text, new RegExp(`relation "${name}"`))
    assert.match(text, message)
    assert.doesNotMatch(JSON.stringify(body), new RegExp(`${name}|quantity|INT32`))
  }

  it('is INTERNAL on every method and entry point, names itself to the host, and is built once', async () => {
    const wrong = [
      ['no_column', /quantity/],
      ['wrong_type', /Could not convert string/],
    ] as const
    for (const [name, message] of wrong) {
      for (let count = 0; count < 3; count++) assertFault(await query(`FROM ${name} -- ${count}`), name, message)
      assertFault(await service.call('projects/describe', { projectId: PROJECT, relation: name }), name, message)
      assertFault(await service.call('projects/export', { projectId: PROJECT, sql: `FROM ${name}` }), name, message)
      assert.equal(failed(name).length, 1)
      assert.match(String(failed(name)[0]?.cause), message)
    }
    const rpc = await fetch(`${service.url}/public/v1/json-rpc`, {
      method: 'POST',
      headers: { authorization: 'Bearer key-north' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'projects/query',
        params: { projectId: PROJECT, sql: 'FROM no_column' },
      }),
    })
    assert.equal(((await rpc.json()) as { error: { code: number } }).error.code, -32603)
    assertFault(await query('FROM on_it'), 'no_column', /quantity/)
    assert.equal(builds().filter(event => event.cause !== undefined).length, 2)
  })

  it('names a relation that its reads lacks, also in a build of other folds that read it', async () => {
    const statement = 'SELECT n, total FROM lacking, fold_totals'
    assertFault(await query(statement), 'lacking', /entities does not exist/)
    assert.equal((await query('FROM fold_totals')).status, 200)
  })

  it('harms no call that does not read it, even one that waits for the same build', async () => {
    const answers = await Promise.all([
      query('SELECT (SELECT count(*) FROM no_column) AS m, n FROM right_one', { entityId: ENTITIES.half }),
      query('SELECT (SELECT count(*) FROM wrong_type) AS m, item FROM fold_totals', { entityId: ENTITIES.joint }),
      query('SELECT count(*) AS n FROM fold_totals', { entityId: ENTITIES.joint }),
      query('SELECT n FROM right_one', { entityId: ENTITIES.half }),
    ])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [500, 500, 200, 200],
    )
    assert.equal((await query('FROM right_one')).status, 200)
  })

  it('is built again from the next snapshot, and is answered if it can be built from that', async () => {
    assert.equal((await query('FROM wrong_type')).status, 500)
    const before = failed('wrong_type').length
    await service.seal(PROJECT, { ...PACKAGE, 'amounts.csv': 'entity_key,item,amount\ngroup,7,10\n' })
    assert.deepEqual((await query('FROM wrong_type')).body.result?.items, [{ n: 7 }])
    assertFault(await query('FROM no_column'), 'no_column', /quantity/)
    assert.equal(failed('wrong_type').length, before)
  })
})
