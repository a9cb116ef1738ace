import { defineCatalogue, defineFold, defineTable } from 'foldgate'
import { queries } from './queries.js'

/** Folds with the same rows in every snapshot. The statements under test/sql read them. */
const statementRelations = [
  defineFold({
    name: 'fold_pressures',
    about: 'One row an entity, indicator and biome.',
    reads: [],
    sql: `SELECT ('00000000-0000-4000-8000-' || lpad((i % 6)::VARCHAR, 12, '0'))::UUID AS entity_id,
            ['GHG emissions', 'water use', 'land occupation', 'N pollution'][1 + i % 4] AS pressure_indicator,
            ['tCO2e', 'm3', 'ha', 'kg'][1 + i % 4] AS unit,
            ['temperate forest', 'tropical forest', 'savanna', NULL, 'wetland'][1 + i % 5] AS biome,
            (1 + i % 3)::INTEGER AS scope, CASE WHEN i % 11 = 0 THEN NULL ELSE round(i * 1.75, 2)::DOUBLE END AS net
          FROM range(48) t(i)`,
  }),
  defineFold({
    name: 'fold_risks',
    about: 'One row an assessed risk.',
    reads: [],
    sql: `SELECT ('00000000-0000-4000-8000-' || lpad((i % 6)::VARCHAR, 12, '0'))::UUID AS entity_id, 'Entity ' || (i % 6) AS entity,
            ['temperate forest', 'tropical forest', 'savanna', NULL, 'wetland'][1 + i % 5] AS biome,
            ['soy', 'palm oil', 'cocoa', 'beef'][1 + i % 4] AS commodity,
            ['deforestation', 'water stress', 'soil loss'][1 + i % 3] AS risk,
            round((i * 37 % 100) / 10.0, 1)::DOUBLE AS score, (i * 12.5)::DOUBLE AS value,
            [['high', 'new'], ['low'], []::VARCHAR[]][1 + i % 3] AS tags,
            {'level': ['A', 'B', 'C'][1 + i % 3], 'weight': (i / 10.0)::DOUBLE} AS details,
            MAP {'likelihood': ((i % 10) / 10.0)::DOUBLE, 'severity': ((i % 7) * 1.0)::DOUBLE} AS attrs,
            DATE '2025-01-01' + (i * 9)::INTEGER AS assessed_on
          FROM range(36) t(i)`,
  }),
  defineFold({
    name: 'risk_rows',
    about: 'One row a site and measurement.',
    reads: [],
    sql: `SELECT i AS row_id, ('00000000-0000-4000-8000-' || lpad((i % 6)::VARCHAR, 12, '0'))::UUID AS entity_id,
            ['deforestation', 'water stress', 'soil loss'][1 + i % 3] AS risk, 'Site ' || (i % 9) AS site,
            ((i * 53 % 100) / 10.0)::DOUBLE AS score, TIMESTAMP '2025-01-01' + INTERVAL (i * 31) HOUR AS measured_at,
            ('{"source":"' || ['survey', 'satellite'][1 + i % 2] || '","n":' || i || ',"steps":[1,2,' || i || ']}')::JSON AS meta
          FROM range(90) t(i)`,
  }),
  defineFold({
    name: 'fold_dependencies',
    about: 'One row an entity and dependency.',
    reads: [],
    sql: `SELECT ('00000000-0000-4000-8000-' || lpad((i % 5)::VARCHAR, 12, '0'))::UUID AS entity_id,
            ['pollination', 'surface water', 'soil quality'][1 + i % 3] AS dependency,
            ['agriculture', 'mining', 'retail'][1 + i % 3] AS sector, ['VH', 'H', 'M', 'L'][1 + i % 4] AS materiality,
            (i * 3.25)::DOUBLE AS value
          FROM range(30) t(i)`,
  }),
  defineFold({
    name: 'dependency_rows',
    about: 'One row a measurement of a dependency.',
    reads: [],
    sql: `SELECT i AS row_id, ('00000000-0000-4000-8000-' || lpad((i % 5)::VARCHAR, 12, '0'))::UUID AS entity_id,
            ['pollination', 'surface water', 'soil quality'][1 + i % 3] AS dependency, (i * 0.5)::DOUBLE AS value,
            TIMESTAMP '2025-02-01' + INTERVAL (i * 17) HOUR AS measured_at
          FROM range(60) t(i)`,
  }),
  defineFold({
    name: 'dash_ipbes',
    about: 'One row a driver and source.',
    reads: [],
    sql: `SELECT ipbes_pressure, value::DOUBLE AS value FROM (VALUES ('land use change', 41.5), ('pollution', 22.0),
            ('climate change', 18.25), ('resource extraction', 12.0), ('invasive species', 6.25), ('pollution', 3.5)) t(ipbes_pressure, value)`,
  }),
]

/** A small catalogue: an ownership tree with amounts, a fold over them, and the folds that test/sql reads. */
export const catalogue = defineCatalogue({
  hierarchy: { table: 'entities', key: 'entity_key', parent: 'parent_key', id: 'entity_id', share: 'ownership_share' },
  relations: [
    defineTable({
      name: 'entities',
      columns: { entity_key: 'VARCHAR', entity_id: 'UUID', parent_key: 'VARCHAR', ownership_share: 'DOUBLE' },
      required: ['entity_key', 'entity_id', 'ownership_share'],
      unique: ['entity_key', 'parent_key'],
    }),
    defineTable({
      name: 'amounts',
      columns: { entity_key: 'VARCHAR', item: 'VARCHAR', amount: 'DOUBLE' },
      required: ['entity_key', 'item'],
      unique: ['entity_key', 'item'],
      references: { entity_key: 'entities.entity_key' },
      rowLimits: { entities: 'entity_key' },
    }),
    defineTable({ name: 'notes', columns: { note: 'VARCHAR' }, optional: true, rowLimits: 'none' }),
    defineFold({
      name: 'fold_totals',
      about: 'One row an item: its amount over the point of view.',
      reads: ['amounts', 'point_of_view'],
      sql: 'SELECT item, sum(amount * share) AS total FROM amounts JOIN point_of_view USING (entity_key) GROUP BY item ORDER BY item',
    }),
    ...statementRelations,
  ],
  queries,
  examples: [{ question: 'Which item weighs most?', sql: 'SELECT * FROM fold_totals ORDER BY total DESC, item' }],
})
