import assert from 'node:assert/strict'
import { defineCatalogue, defineFold } from 'foldgate'
import { catalogue } from '../../service/catalogue.js'
import { PROJECT, type Service, startService } from '../../service/service.js'
import { until } from '../../until.js'

const ONE = defineFold({ name: 'one', about: 'One row.', reads: [], sql: 'SELECT 1 AS n' })
const TWO = defineFold({ name: 'two', about: 'One row.', reads: [], sql: 'SELECT 2 AS n' })
/** True if more is attached than the database in memory, the fold's own and the one it reads: another step's file. */
const LEFT = '(SELECT count(*) FROM duckdb_databases() WHERE NOT internal) > 3'
const CROWDED = defineFold({
  name: 'crowded',
  about: 'Has no memory left once another relation was built before it.',
  reads: ['one'],
  sql: `SELECT length(repeat('x', CASE WHEN ${LEFT} THEN 2000000000 ELSE n END)) AS n FROM one`,
})
const HUNGRY = defineFold({
  name: 'hungry',
  about: 'Never has memory enough.',
  reads: ['one'],
  sql: "SELECT length(repeat('x', 2000000000 * n)) AS n FROM one",
})

describe('a build that runs out of memory', () => {
  let service: Service
  before(async () => {
    const { hierarchy, relations, examples } = catalogue
    service = await startService({
      catalogue: defineCatalogue({
        hierarchy,
        examples,
        relations: [...relations.values(), ONE, TWO, CROWDED, HUNGRY],
      }),
      sealedAs: catalogue,
      engine: { connections: 1 },
    })
  })
  after(() => service.close())

  const ask = (sql: string) => service.call('projects/query', { projectId: PROJECT, sql })
  const failures = () => service.events.filter(event => event.type === 'build' && event.cause !== undefined).length
  const replaced = () => service.events.filter(event => event.type === 'engine' && event.what === 'replaced').length

  it('of several relations continues with one relation at a time', async () => {
    const { status, body } = await ask('SELECT two.n AS two, crowded.n AS crowded FROM two, crowded')
    assert.deepEqual([status, body.result?.items], [200, [{ two: 2, crowded: 1 }]])
    await until(() => replaced() === 1, 'another process in place of the one that ran out of memory')
    assert.equal(failures(), 0)
  })

  it('of one relation is UNAVAILABLE, reported to the host, and retried only once', async () => {
    const before = replaced()
    const { status, body } = await ask('FROM hungry')
    assert.deepEqual([status, body.class], [503, 'UNAVAILABLE'])
    assert.equal(failures(), 1)
    assert.ok(replaced() - before <= 2)
    assert.equal((await ask('SELECT 1 AS n')).status, 200)
  })
})
