import { catalogue } from './catalogue.js'
import type { Vendor } from './vendors.js'

/** Ids of the entities in the tree. */
export const ENTITIES = {
  group: 'aaaaaaaa-0000-4000-8000-000000000001',
  half: 'aaaaaaaa-0000-4000-8000-000000000002',
  joint: 'aaaaaaaa-0000-4000-8000-000000000003',
  leaf: 'aaaaaaaa-0000-4000-8000-000000000004',
}
/** A package with a joint venture: `half` owns a half of it, and `group` owns a quarter directly. */
export const PACKAGE = {
  'entities.csv': `entity_key,entity_id,parent_key,ownership_share
group,${ENTITIES.group},,1
half,${ENTITIES.half},group,0.5
joint,${ENTITIES.joint},half,0.5
joint,${ENTITIES.joint},group,0.25
leaf,${ENTITIES.leaf},joint,0.8
`,
  'amounts.csv': `entity_key,item,amount
group,water,10
half,water,20
joint,water,40
leaf,water,100
leaf,land,7
`,
}

/** The vendor with a tree of ownership. */
export const GROUP_VENDOR: Vendor = {
  name: 'a group of companies',
  catalogue,
  files: PACKAGE,
  folds: [
    ['fold_totals', 'One row an item: its amount over the point of view.'],
    ['fold_pressures', 'One row an entity, indicator and biome.'],
    ['fold_risks', 'One row an assessed risk.'],
    ['risk_rows', 'One row a site and measurement.'],
    ['fold_dependencies', 'One row an entity and dependency.'],
    ['dependency_rows', 'One row a measurement of a dependency.'],
    ['dash_ipbes', 'One row a driver and source.'],
  ],
  tables: ['entities', 'amounts', 'notes'],
  examples: [{ question: 'Which item weighs most?', sql: 'SELECT * FROM fold_totals ORDER BY total DESC, item' }],
  columns: {
    fold_totals: [
      ['item', 'VARCHAR'],
      ['total', 'DOUBLE'],
    ],
    entities: [
      ['entity_key', 'VARCHAR'],
      ['entity_id', 'UUID'],
      ['parent_key', 'VARCHAR'],
      ['ownership_share', 'DOUBLE'],
    ],
    amounts: [
      ['entity_key', 'VARCHAR'],
      ['item', 'VARCHAR'],
      ['amount', 'DOUBLE'],
    ],
    notes: [['note', 'VARCHAR']],
    dash_ipbes: [
      ['ipbes_pressure', 'VARCHAR'],
      ['value', 'DOUBLE'],
    ],
  },
  fold: { name: 'fold_totals', misspelt: 'fold_total', rows: 2, other: 'dash_ipbes' },
  table: { name: 'amounts', misspelt: 'amount', rows: 5, text: 'item', values: "('x', 'y', 1)" },
  empty: 'SELECT note FROM notes',
  statements: [
    ['SELECT', 'SELECT item FROM amounts WHERE amount < 10', [{ item: 'land' }]],
    ['WITH', 'WITH big AS (SELECT amount AS a FROM amounts WHERE amount > 50) SELECT a FROM big', [{ a: 100 }]],
    ['FROM first', 'FROM amounts SELECT count(*) AS n', [{ n: 5 }]],
    ['a subquery', 'SELECT (SELECT max(amount) FROM amounts) AS most', [{ most: 100 }]],
  ],
  single: {
    files: value => ({ 'amounts.csv': `entity_key,item,amount\ngroup,water,${value}\n` }),
    sql: 'SELECT amount FROM amounts',
    column: 'amount',
  },
  notReady: {
    running: /running.*[Rr]etry later/,
    never: /[Ll]aunch/,
    unreadable: /this version can read.*[Ll]aunch/,
  },
}
