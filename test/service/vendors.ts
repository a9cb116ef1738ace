import type { Catalogue, QueryExample } from 'foldgate'
import { catalogue } from './catalogue.js'
import { PACKAGE } from './service.js'

/** A host with its own tables, and what suites that run over any host have to know of them. */
export interface Vendor {
  /** For titles. */
  name: string
  catalogue: Catalogue
  /** The package that is sealed unless a test says otherwise. */
  files: Readonly<Record<string, string>>
  /** Folds as `projects/describe` lists them, each with what a row is. */
  folds: readonly (readonly [name: string, about: string])[]
  /** Tables as `projects/describe` lists them. */
  tables: readonly string[]
  /** Worked queries. */
  examples: readonly QueryExample[]
  /** Columns of some relations, `table` among them, and their types. */
  columns: Readonly<Record<string, readonly (readonly [name: string, type: string])[]>>
  /** A fold, a name that is close to its own, and how many rows it has. */
  fold: { name: string; misspelt: string; rows: number }
  /** A table, a name that is close to its own, a column of text, and a row to insert. */
  table: { name: string; misspelt: string; text: string; values: string }
  /** A statement that has no rows. */
  empty: string
  /** Statements over the package, and their rows. */
  statements: readonly (readonly [name: string, sql: string, rows: readonly unknown[]])[]
  /** A package with a single value, which a statement reads in a column. */
  single: { files: (value: number) => Record<string, string>; sql: string; column: string }
  /** What NOT_READY says of projects without a snapshot to read. */
  notReady: Record<'running' | 'never' | 'unreadable', RegExp>
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
  fold: { name: 'fold_totals', misspelt: 'fold_total', rows: 2 },
  table: { name: 'amounts', misspelt: 'amount', text: 'item', values: "('x', 'y', 1)" },
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
