import assert from 'node:assert/strict'
import { defineCatalogue, defineQuery, type QueryDefinition } from 'foldgate'
import { catalogue } from '../service/catalogue.js'
import { KEYS, PROJECT, type Service, startService } from '../service/service.js'

const digits = { type: 'VARCHAR', about: 'Digits', default: '7' }
const day = { type: 'DATE', about: 'A day', default: '2026-01-01' }
const query = (name: string, sql: string, more: Partial<QueryDefinition> = {}) =>
  defineQuery({ name, version: 1, about: 'A query of the tests.', sql, ...more })

/** Queries that are wrong, and what the host is told of them. */
const WRONG: [query: QueryDefinition, told: RegExp, parameters?: object][] = [
  [query('no_column', 'SELECT quantity FROM amounts'), /quantity/],
  [query('no_relation', 'SELECT * FROM secrets'), /There is no relation "secrets"/],
  [query('no_function', 'SELECT secret_sum(amount) FROM amounts'), /There is no function "secret_sum"/],
  [query('ambiguous', 'SELECT item FROM amounts a, amounts b'), /Ambiguous/],
  [query('wrong_type', 'SELECT sum(item) AS s FROM amounts'), /sum\(VARCHAR\)/],
  [query('no_syntax', 'SELEC item FROM amounts'), /syntax/i],
  [query('two', 'SELECT 1 AS secret; SELECT 2'), /more than one statement/],
  [query('undeclared', 'SELECT $secret::INTEGER AS n'), /names \$secret/],
  [query('unused', 'SELECT 1 AS n', { parameters: { digits } }), /does not name \$digits/],
  [
    query('untyped', "SELECT date_trunc('month', $day) AS secret", {
      parameters: { day: { type: 'DATE', about: 'A day' } },
    }),
    /best candidate/,
    { day: null },
  ],
  [query('of_a_row', 'SELECT CAST(item AS INTEGER) AS secret FROM amounts'), /Could not convert/],
  [
    query('of_a_default', 'SELECT CAST(item AS INTEGER) AS secret, $digits FROM amounts', { parameters: { digits } }),
    /Could not convert/,
  ],
  [
    query('other_name', 'SELECT item, amount AS secret FROM amounts', {
      columns: { item: 'VARCHAR', amount: 'DOUBLE' },
    }),
    /column 2 is "secret", and is declared as "amount"/,
  ],
  [
    query('other_type', 'SELECT item, amount::FLOAT AS amount FROM amounts', {
      columns: { item: 'TEXT', amount: 'DOUBLE' },
    }),
    /column 2, "amount", is not of the declared type DOUBLE/,
  ],
  [
    query('other_number', 'SELECT item, amount FROM amounts', { columns: { item: 'VARCHAR' } }),
    /2 columns, and declares 1/,
  ],
  [
    query('with_values', 'SELECT $digits AS other FROM amounts', {
      parameters: { digits },
      columns: { secret: 'VARCHAR' },
    }),
    /column 1 is "other"/,
    { digits: '8' },
  ],
  [query('no_type', 'SELECT item FROM amounts', { columns: { item: 'VARCHRA' } }), /declared type VARCHRA is none/],
] // prettier-ignore

/** Queries that fail with some values, which callers are told. */
const BY_VALUE: [query: QueryDefinition, parameters: object, message: string][] = [
  [
    query('as_number', 'SELECT CAST($digits AS INTEGER) AS secret FROM amounts', { parameters: { digits } }),
    { digits: 'seven' },
    "The query failed: Could not convert string 'seven' to INT32",
  ],
  [
    query('of_both', 'SELECT CAST($digits || item AS INTEGER) AS secret FROM amounts', { parameters: { digits } }),
    { digits: 'seven' },
    'The query failed with these values.',
  ],
  [
    query('of_a_format', "SELECT strptime($digits, '%Y secret') AS t FROM amounts", { parameters: { digits } }),
    { digits: 'seven' },
    'The query failed with these values.',
  ],
  [
    query('of_a_column', 'SELECT CAST(secret AS INTEGER) AS n FROM (SELECT $digits AS secret FROM amounts)', {
      parameters: { digits },
    }),
    { digits: { type: 'VARCHAR', value: 'seven' } },
    "The query failed: Could not convert string 'seven' to INT32",
  ],
] // prettier-ignore

const RIGHT = query(
  'right_one',
  'SELECT item, sum(amount) AS total, $day AS "Day" FROM amounts GROUP BY item ORDER BY 1',
  {
    parameters: { day },
    columns: { item: 'TEXT', total: 'FLOAT8', Day: 'DATE' },
  },
)

describe('a named query that fails', () => {
  let service: Service
  before(async () => {
    const { hierarchy, relations } = catalogue
    const queries = [...WRONG.map(([each]) => each), ...BY_VALUE.map(([each]) => each), RIGHT]
    const wrong = defineCatalogue({ hierarchy, relations: [...relations.values()], queries })
    service = await startService({ sealedAs: catalogue, catalogue: wrong })
    const caller = service.host.callers.get(KEYS.north)
    assert.ok(caller)
    service.host.callers.set('key-part', { ...caller, only: { queries: queries.map(({ name }) => name) } })
  })
  after(() => service.close())

  const post = async (path: string, body: object, key = KEYS.north) => {
    const headers = { authorization: `Bearer ${key}` }
    const answer = await fetch(`${service.url}/public/v1/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return { status: answer.status, text: await answer.text() }
  }
  const faultOf = (reference: unknown) =>
    service.events.find(event => event.type === 'fault' && event.reference === reference)

  for (const [{ name }, told, parameters] of WRONG)
    it(`is the mistake of the host, and not of callers: ${name}`, async () => {
      const params = { projectId: PROJECT, ...(parameters ? { parameters } : {}) }
      const rpc = { jsonrpc: '2.0', id: 1, method: `queries/${name}`, params }
      const answers = [
        await post(`queries/${name}`, params),
        await post(`queries/${name}@1`, { ...params, format: 'csv' }),
        await post(`queries/${name}`, { ...params, format: 'parquet' }),
        await post(`queries/${name}`, { ...params, include: ['columns', 'total'] }, 'key-part'),
        await post('json-rpc', rpc),
      ]
      for (const { text } of answers) {
        assert.match(text, /INTERNAL/)
        assert.doesNotMatch(text, /secret|quantity|amounts|SELECT|digits|item|other/i)
        const reference = /"reference":"([^"]+)"/.exec(text)?.[1]
        const fault = faultOf(reference)
        assert.ok(fault?.type === 'fault', text)
        assert.ok(String(fault.cause).includes(`query "${name}@1" of the catalogue`), String(fault.cause))
        assert.match(String(fault.cause), told)
      }
    })

  for (const [{ name }, parameters, message] of BY_VALUE)
    it(`by a value of its caller tells nothing of its SQL: ${name}`, async () => {
      for (const [key, expected] of [
        [KEYS.north, message],
        ['key-part', 'The query failed with these values.'],
      ] as const)
        for (const format of [undefined, 'ndjson']) {
          const { status, text } = await post(`queries/${name}`, { projectId: PROJECT, parameters, format }, key)
          assert.equal(status, 422, text)
          assert.deepEqual(JSON.parse(text), {
            code: 1422,
            class: 'INVALID_QUERY',
            message: expected,
            data: { rule: 'engine' },
          })
        }
      const { text } = await post(`queries/${name}`, { projectId: PROJECT })
      assert.match(text, name === 'of_both' || name === 'of_a_format' ? /INTERNAL/ : /"items":\[/)
    })

  it('harms no other, whose columns are those that it declares, however their types are written', async () => {
    for (const more of [
      {},
      { parameters: { day: '2026-02-01' } },
      { format: 'csv' },
      { include: ['columns', 'total'] },
    ]) {
      const { status, text } = await post('queries/right_one', { projectId: PROJECT, ...more })
      assert.equal(status, 200, text)
    }
  })
})
