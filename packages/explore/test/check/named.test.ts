import assert from 'node:assert/strict'
import { defineCatalogue, defineQuery } from 'foldgate'
import { namedQueriesIn, type QueriesDocument } from '#explore/script/named.js'
import { METER_FILES, meters } from '../../../../test/hints/meters.js'
import { KEYS, type Service, startService } from '../../../../test/service/service.js'

const about = 'Which sites are there?'
const versions = [1, 10, 9].map(version =>
  defineQuery({
    name: 'sites_of',
    version,
    about: `${about} ${version}`,
    parameters: {
      price: { type: 'DECIMAL(10,2)', about: 'The price (net), in EUR' },
      since: { type: 'DATE', about: 'The first day', default: '2024-01-31' },
      names: { type: 'VARCHAR[]', about: 'The names', default: ['a, b', 'c'] },
      risk: { type: 'VARCHAR', about: 'The risk', values: ['low', 'high'], default: null },
    },
    sql: `SELECT name FROM sites WHERE budget > $price AND $since IS NOT NULL AND len($names) > 0 AND risk IS NOT DISTINCT FROM $risk`,
    columns: { name: 'VARCHAR' },
  }),
)
const bare = defineQuery({ name: 'all_sites', version: 1, about: 'All.', sql: 'SELECT name FROM sites' })

describe('named queries as the page reads them', () => {
  let service: Service
  before(async () => {
    const catalogue = defineCatalogue({ relations: [...meters.relations.values()], queries: [...versions, bare] })
    service = await startService({ catalogue, files: METER_FILES })
  })
  after(() => service.close())

  it('are the newest version of each, with what its parameters declare', async () => {
    const headers = { authorization: `Bearer ${KEYS.north}` }
    const answer = await fetch(`${service.url}/public/v1/queries.json`, { headers })
    const document = (await answer.json()) as QueriesDocument
    const byName = new Map(namedQueriesIn(document).map(query => [query.name, query]))
    assert.deepEqual([...byName.keys()].sort(), ['all_sites@1', 'sites_of@10'])
    assert.deepEqual(byName.get('all_sites@1')?.parameters, [])
    const query = byName.get('sites_of@10')
    assert.equal(query?.about, `${about} 10`)
    assert.deepEqual(query?.parameters, [
      { name: 'price', about: 'The price (net), in EUR', type: 'DECIMAL(10,2)' },
      { name: 'since', about: 'The first day', type: 'DATE', default: '2024-01-31' },
      { name: 'names', about: 'The names', type: 'VARCHAR[]', default: ['a, b', 'c'] },
      { name: 'risk', about: 'The risk', type: 'VARCHAR', values: ['low', 'high'], default: null },
    ])
  })
})
