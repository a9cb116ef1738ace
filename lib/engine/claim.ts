import type { FromJson } from '../flow/messages.js'
import type { Infer } from '../json-schema.js'
import { choice, count, listOf, object, optional, type Schema, text } from '../schema.js'

/** A value that a statement compares a column with: a string of it, a number or date at a place in it, or a parameter. */
const operand = object(
  {
    text: optional(text('A string.')),
    offset: optional(count('Where it begins in the statement, in bytes of UTF-8.')),
    parameter: optional(text('The name of a parameter.')),
    daysAgo: optional(count('A day this many days before today.')),
  },
  'What a column is compared with.',
)

export type Operand = FromJson<Infer<typeof operand>>

const claim = object(
  {
    kind: choice(
      [
        'equals',
        'compares',
        'differs',
        'bound',
        'join',
        'unit',
        'additive',
        'null',
        'midnight',
        'order',
        'ties',
        'limit',
        'median',
        'division',
      ],
      'What the statement does.',
    ),
    offset: optional(count('Where it does so, in bytes of UTF-8.')),
    relation: optional(text('The relation.')),
    column: optional(text('The column of it.')),
    operator: optional(choice(['<', '<=', '>', '>='], 'How it is compared.')),
    operands: optional(listOf(operand as Schema<Operand>, 'What it is compared with.')),
    other: optional(text('Another relation, or a column of the same one.')),
    columns: optional(listOf(text('A column.'), 'Columns of the relation.')),
    restricted: optional(listOf(text('A column.'), 'Columns of the relation that conditions name.')),
  },
  'Something that a statement does, which may be wrong for what its relations hold.',
)

/**
 * Something that a statement does, as the text alone tells: whether it is wrong depends on the snapshot and on the values of
 * parameters. `equals`: all rows have one of the operands. `compares`: an expression asks for one. `differs`: rows with them are left out.
 * `unit`: adds a column whose unit is in `other`, with one value of `columns` in each group. `join`: adds a column whose rows `other` multiplies.
 */
export type Claim = FromJson<Infer<typeof claim>>

export const CLAIM = claim as Schema<Claim>

/** What statements are told of a relation: columns and their types, where the catalogue declares them, and what they mean. */
export interface KnownRelation {
  name: string
  columns: Readonly<Record<string, string>> | null
  unique: readonly string[]
  /** The columns that carry the units of columns. */
  units: Readonly<Record<string, string>>
  /** Columns that must not be summed: over no dimension, or over those that are not listed. */
  additive: Readonly<Record<string, readonly string[]>>
  /** Columns whose values have an order of their own. */
  ordered: readonly string[]
}
