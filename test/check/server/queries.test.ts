import assert from 'node:assert/strict'
import catalogue from '#assessed/catalogue.js'
import { assessed, MADE_UP, REAL } from '../../server/data/assessed.js'
import { TINY_ENTITIES } from '../../server/data/tiny.js'

const co2 = { indicator: 'co2' }
const UNPLACED = { iso3: null, country: null, unit: 't' }

/**
 * Named queries over the tiny project, worked out by hand. Shares of the group: half 0.5, joint 0.5 x 0.4 + 0.3 = 0.5,
 * leaf 0.5 x 0.5 = 0.25, idle 0. CO2 in t: half 20, joint 200, leaf 1500 + 100, idle 14. Scores of the one risk: half 8,
 * joint 8, leaf 12 and 15, idle 20.
 */
const ANSWERS: [called: string, parameters: Record<string, unknown>, rows: object[]][] = [
  ['drivers_of_nature_loss', {}, [{ driver: 'climate change', damage: 0.51, percent: 100 }]],
  ['drivers_of_nature_loss@1', { least_percent: 100.5 }, []],
  ['pressure_by_country', co2, [{ ...UNPLACED, net: 510, sites: 4 }]],
  ['pressure_by_country', { ...co2, scope: 2 }, []],
  [
    'pressure_by_biome',
    co2,
    [
      { biome: null, unit: 't', net: 400, gross: 1600 },
      { biome: 'Forest', unit: 't', net: 110, gross: 220 },
      { biome: 'Desert', unit: 't', net: 0, gross: 14 },
    ],
  ],
  [
    'pressure_by_entity',
    co2,
    [
      { entity_key: 'leaf', name: null, unit: 't', net: 400, gross: 1600 },
      { entity_key: 'joint', name: null, unit: 't', net: 100, gross: 200 },
      { entity_key: 'half', name: null, unit: 't', net: 10, gross: 20 },
      { entity_key: 'idle', name: null, unit: 't', net: 0, gross: 14 },
    ],
  ],
  ['pressure_by_entity', { ...co2, countries: ['KEN', 'UGA'] }, []],
  [
    'sites_at_risk',
    {},
    [
      { site_key: 's-idle', name: null, iso3: null, risks: 1, max_score: 20, gravest: 'DRY' },
      { site_key: 's-leaf', name: null, iso3: null, risks: 1, max_score: 15, gravest: 'DRY' },
    ],
  ],
  [
    'sites_at_risk',
    { least_score: 20, risk_type: 'physical' },
    [{ site_key: 's-idle', name: null, iso3: null, risks: 1, max_score: 20, gravest: 'DRY' }],
  ],
  ['sites_at_risk', { risk_type: 'transition' }, []],
  ['dependencies_on_nature', {}, [{ service_code: 'WATER', service: 'Water', entities: 4, max_rating: 5 }]],
  [
    'dependencies_on_nature',
    { least_rating: 5 },
    [{ service_code: 'WATER', service: 'Water', entities: 1, max_rating: 5 }],
  ],
]

describe('the named queries of the reference catalogue', () => {
  const all = assessed()

  for (const [called, parameters, rows] of ANSWERS)
    it(`answer by hand: ${called} with ${JSON.stringify(parameters)}`, async () => {
      const found = await all.current.run(all.current.project('tiny'), called, parameters)
      assert.deepEqual(found.map(rounded), rows)
    })

  it('look from an entity, net and gross', async () => {
    const point = { entityId: TINY_ENTITIES.joint, ownershipView: 'gross' as const }
    const found = await all.current.run(all.current.project('tiny'), 'pressure_by_entity', co2, point)
    assert.deepEqual(
      found.map(({ entity_key: entity, net }) => [entity, net]),
      [
        ['leaf', 1600],
        ['joint', 200],
      ],
    )
  })

  for (const { name, about, columns = {} } of catalogue.queries)
    it(`find rows in a project: ${about}`, async () => {
      const parameters = name.startsWith('pressure') ? co2 : {}
      const found = await Promise.all(
        [...MADE_UP, ...REAL].map(key => all.current.run(all.current.project(key), name, parameters)),
      )
      assert.ok(Math.max(...found.map(({ length }) => length)) > 0)
      for (const row of found.flat().slice(0, 1)) assert.deepEqual(Object.keys(row), Object.keys(columns))
    })
})

/** Sums of doubles depend on their order. */
function rounded(row: Record<string, unknown>): object {
  const cells = Object.entries(row).map(([name, cell]) => [
    name,
    typeof cell === 'number' ? Number(cell.toFixed(9)) : cell,
  ])
  return Object.fromEntries(cells)
}
