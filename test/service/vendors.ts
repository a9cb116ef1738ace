import type { Catalogue, QueryExample } from 'foldgate'
import { GROUP_VENDOR } from './group.js'
import { SHOP_VENDOR } from './shop.js'

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
  /** A fold that adds up, a name that is close to its own, how many rows it has, and another fold. */
  fold: { name: string; misspelt: string; rows: number; other: string }
  /** A table, a name that is close to its own, how many rows it has, a column of text, and a row to insert. */
  table: { name: string; misspelt: string; rows: number; text: string; values: string }
  /** A statement that has no rows. */
  empty: string
  /** Statements over the package, and their rows. */
  statements: readonly (readonly [name: string, sql: string, rows: readonly unknown[]])[]
  /** A package with a single value, which a statement reads in a column. */
  single: { files: (value: number) => Record<string, string>; sql: string; column: string }
  /** What NOT_READY says of projects without a snapshot to read. */
  notReady: Record<'running' | 'never' | 'unreadable', RegExp>
}

const VENDORS: Readonly<Record<string, Vendor>> = { group: GROUP_VENDOR, shop: SHOP_VENDOR }
const { FOLDGATE_TEST_VENDOR: name = 'group' } = process.env
const vendor = VENDORS[name]
if (vendor === undefined) throw new Error(`FOLDGATE_TEST_VENDOR is ${Object.keys(VENDORS).join(' or ')}, not ${name}`)

/** The vendor that services have unless a test says otherwise: `FOLDGATE_TEST_VENDOR`, by default the group. */
export const VENDOR: Vendor = vendor
