import assert from 'node:assert/strict'
import { defineCatalogue, defineFold, defineTable } from 'foldgate'
import { catalogue as small } from '../service/catalogue.js'
import { type LimitedService, startLimited } from '../service/limited.js'
import { KEYS, PROJECT, startService } from '../service/service.js'

const id = (letter: string) => `${letter.repeat(8)}-0000-4000-8000-000000000000`
const [GROUP, A, B, C, D, F] = ['0', 'a', 'b', 'c', 'd', 'f'].map(id) as [
  string,
  string,
  string,
  string,
  string,
  string,
]

/** The group holds a and b, both of which hold c, which holds d; b also holds f. */
const ENTITIES = `entity_key,entity_id,parent_key,ownership_share
group,${GROUP},,1
a,${A},group,0.5
b,${B},group,0.8
c,${C},a,0.6
c,${C},b,0.4
d,${D},c,0.5
f,${F},b,1
`
const AMOUNTS = `entity_key,item,amount
group,water,1
a,water,10
b,water,100
c,water,1000
d,water,10000
f,land,7
`
const { hierarchy, relations, examples } = small
const catalogue = defineCatalogue({
  hierarchy,
  examples,
  pointOfView: true,
  relations: [
    ...relations.values(),
    defineFold({
      name: 'everywhere',
      about: 'One row: the amount of all entities.',
      reads: ['amounts'],
      sql: 'SELECT sum(amount) AS n FROM amounts',
      rowLimits: 'none',
    }),
  ],
})

describe('callers who see some entities of a tree', () => {
  let of: LimitedService
  before(async () => {
    of = await startLimited({ catalogue, files: { 'entities.csv': ENTITIES, 'amounts.csv': AMOUNTS } })
  })
  after(() => of.close())

  const seeing = (...entities: string[]) => of.limited({ rows: { entities } })
  const rows = async (sql: string, key: string, more: object = {}) => {
    const { result, outcome } = await of.everywhere('projects/query', { projectId: PROJECT, sql, ...more }, key)
    return outcome === 'OK' ? result.items.map((row: object) => Object.values(row)) : outcome
  }
  const VIEW = 'SELECT entity_key, share FROM point_of_view ORDER BY 1'
  const WATER = "SELECT round(total, 6) AS n FROM fold_totals WHERE item = 'water'"

  /** By hand: the shares of what is seen, net, and the water of it, net and gross. */
  const BY_HAND: [entities: string[], shares: [string, number][], net: number, gross: number][] = [
    [
      [A],
      [
        ['a', 1],
        ['c', 0.6],
        ['d', 0.3],
      ],
      10 + 600 + 3000,
      11010,
    ],
    [
      [B],
      [
        ['b', 1],
        ['c', 0.4],
        ['d', 0.2],
        ['f', 1],
      ],
      100 + 400 + 2000,
      11100,
    ],
    [
      [C],
      [
        ['c', 1],
        ['d', 0.5],
      ],
      1000 + 5000,
      11000,
    ],
    // Through both, c is held whole, and gross counts it once.
    [
      [A, B],
      [
        ['a', 1],
        ['b', 1],
        ['c', 1],
        ['d', 0.5],
        ['f', 1],
      ],
      10 + 100 + 1000 + 5000,
      11110,
    ],
    // What is below another one that is seen counts there alone.
    [
      [A, C, D],
      [
        ['a', 1],
        ['c', 0.6],
        ['d', 0.3],
      ],
      10 + 600 + 3000,
      11010,
    ],
    [
      [A, F],
      [
        ['a', 1],
        ['c', 0.6],
        ['d', 0.3],
        ['f', 1],
      ],
      10 + 600 + 3000,
      11010,
    ],
    [
      [GROUP, A],
      [
        ['a', 0.5],
        ['b', 0.8],
        ['c', 0.62],
        ['d', 0.31],
        ['f', 0.8],
        ['group', 1],
      ],
      1 + 5 + 80 + 620 + 3100,
      11111,
    ],
  ] // prettier-ignore

  for (const [entities, shares, net, gross] of BY_HAND)
    it(`read the union of their subtrees: ${entities.map(each => each[0])}`, async () => {
      const key = seeing(...entities)
      const found = await rows(VIEW, key)
      assert.deepEqual(
        found.map(([name, share]: [string, number]) => [name, Math.round(share * 1e9) / 1e9]),
        shares,
      )
      assert.deepEqual(await rows(WATER, key), [[net]])
      assert.deepEqual(await rows(WATER, key, { ownershipView: 'gross' }), [[gross]])
      const names = shares.map(([name]) => [name])
      assert.deepEqual(await rows('SELECT DISTINCT entity_key FROM entities ORDER BY 1', key), names)
      const withAmounts = 'SELECT DISTINCT entity_key FROM amounts ORDER BY 1'
      assert.deepEqual(await rows(withAmounts, key), names)
      assert.deepEqual(await rows('SELECT n FROM everywhere', key), [[11118]])
    })

  it('read the union whatever the name of the tree is', async () => {
    const columns = { entity_key: 'VARCHAR', entity_id: 'UUID', parent_key: 'VARCHAR', ownership_share: 'DOUBLE' }
    const named = await startLimited({
      catalogue: defineCatalogue({
        hierarchy: hierarchy && { ...hierarchy, table: 'below' },
        relations: [defineTable({ name: 'below', columns })],
        pointOfView: true,
      }),
      files: { 'below.csv': ENTITIES },
    })
    try {
      const { body } = await named.service.call(
        'projects/query',
        { projectId: PROJECT, sql: VIEW },
        named.limited({ rows: { entities: [A, B] } }),
      )
      assert.deepEqual(
        body.result?.items?.map(({ entity_key }) => entity_key),
        ['a', 'b', 'c', 'd', 'f'],
      )
    } finally {
      await named.close()
    }
  })

  it('read what a snapshot of their rows alone has, whose root is the entity', async () => {
    const files = {
      'entities.csv': `entity_key,entity_id,parent_key,ownership_share\nb,${B},,1\nc,${C},b,0.4\nd,${D},c,0.5\nf,${F},b,1\n`,
      'amounts.csv': 'entity_key,item,amount\nb,water,100\nc,water,1000\nd,water,10000\nf,land,7\n',
    }
    const alone = await startService({ catalogue, files })
    try {
      const key = seeing(B)
      for (const { name } of catalogue.summaries.filter(each => each.name !== 'everywhere'))
        for (const view of [{}, { entityId: C }, { entityId: B, ownershipView: 'gross' }, { entityId: D }]) {
          const params = {
            projectId: PROJECT,
            sql: `SELECT * FROM ${name} ORDER BY ALL`,
            include: ['columns'],
            ...view,
          }
          const [seen, expected] = [
            await of.service.call('projects/query', params, key),
            await alone.call('projects/query', params),
          ]
          assert.equal(expected.status, 200)
          assert.deepEqual(seen.body, expected.body, `${name} ${JSON.stringify(view)}`)
        }
    } finally {
      await alone.close()
    }
  })

  it('find no entity that they do not see, as none that does not exist', async () => {
    const key = seeing(A)
    const ask = (entityId: string, method = 'query') =>
      of.everywhere(`projects/${method}`, { projectId: PROJECT, sql: WATER, entityId }, key)
    const unknown = await ask(id('9'))
    assert.equal(unknown.outcome, 'NOT_FOUND')
    for (const entityId of [GROUP, B, F]) assert.deepEqual(await ask(entityId), unknown)
    for (const entityId of [A, C, D]) assert.equal((await ask(entityId)).outcome, 'OK')
    assert.equal((await ask(B, 'export')).outcome, 'NOT_FOUND')
    assert.deepEqual(await rows(WATER, key, { entityId: C }), [[6000]])
    assert.deepEqual(await rows(WATER, KEYS.north, { entityId: C }), [[6000]])
    assert.equal(await rows(WATER, of.limited({ rows: { entities: [id('9')] } }), { entityId: A }), 'NOT_FOUND')
  })

  it('see nothing of an entity that does not exist, and cannot be of another type', async () => {
    const nobody = seeing(id('9'))
    assert.deepEqual(await rows(VIEW, nobody), [])
    assert.deepEqual(await rows('SELECT count(*) AS n FROM entities', nobody), [[0]])
    assert.deepEqual(await rows(VIEW, seeing(A.toUpperCase())), await rows(VIEW, seeing(A)))
    const { body } = await of.service.call('projects/query', { projectId: PROJECT, sql: VIEW }, seeing('group'))
    assert.equal(body.class, 'UNAVAILABLE')
  })

  it('are told the roots that they see in files, and no other', async () => {
    const download = async (key: string, more: object = {}) => {
      const params = { projectId: PROJECT, sql: VIEW, ...more }
      const { body } = await of.service.call('projects/export', params, key)
      const answer = await fetch(body.result?.url ?? '', { headers: { authorization: `Bearer ${key}` } })
      return Buffer.from(await answer.arrayBuffer()).toString('latin1')
    }
    const file = await download(seeing(A, F))
    assert.ok(file.includes(`${A} ${F}`))
    assert.ok(!file.includes(GROUP))
    assert.ok((await download(seeing(A), { entityId: C })).includes(C))
  })
})
