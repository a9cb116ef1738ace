/**
 * The table with the ownership tree: one row per holder of an entity, and one row without a parent for the
 * root.
 */
export interface Hierarchy {
  /** Name of the table. */
  table: string
  /** Column with the key that identifies an entity within the snapshot. */
  key: string
  /** Column with the key of the holder, NULL for the root. */
  parent: string
  /** Column with the UUID that callers send as `entityId`. */
  id: string
  /** Column with the holder's share in the entity, 0 to 1. */
  share: string
}

/** What the values of a column mean. */
export interface ColumnMeaning {
  /** What a value is, in a few words: `What the customer paid, taxes included`. */
  about?: string
  /** Unit of the values: `EUR`, `t CO2e`, `km`; or the column of the same relation that has it in each row. */
  unit?: string | { column: string }
  /**
   * Over what the values may be summed: `false`, over nothing, such as shares; `{ over }`, over these columns of the key
   * alone, such as stocks over warehouses but not over days. Default: over everything.
   */
  additive?: false | { over: readonly string[] }
  /** The values of a string column in their order, the least first. Default: they have none but that of their letters. */
  order?: readonly string[]
}

/** The columns that carry the units of others. */
export function unitColumns(meanings: Readonly<Record<string, ColumnMeaning>>): string[] {
  const units = Object.values(meanings).flatMap(({ unit }) => (typeof unit === 'object' ? unit.column : []))
  return [...new Set(units)]
}

/** A column: its SQL type, alone or with what its values mean. */
export type ColumnDefinition = string | ({ type: string } & ColumnMeaning)

/** A column of a table: as {@link ColumnDefinition}, and what may become of its values. */
export type TableColumnDefinition =
  | ColumnDefinition
  | ({
      type: string
      /**
       * Whether values are sealed of which the type holds only a part, such as 1.005 as a DECIMAL(10,2), with a warning
       * that counts them. Default: false; they are problems.
       */
      lossy?: boolean
    } & ColumnMeaning)

/**
 * How callers are limited to some rows of a table: `none`, everybody sees all of it; else, by the names of limits, the
 * column that carries the values of a limit, or a column with a reference to another table, whose limit it takes. For
 * the limit `entities`, a column carries keys of entities.
 */
export type TableRowLimits = 'none' | Readonly<Record<string, string | { through: string }>>

/** A number that is computed from rows of a relation in one way alone, such as revenue. */
export interface MeasureDefinition {
  /** An aggregate over columns of the relation: `sum(paid) - sum(refunded)`. It reads no other relation, and no parameters. */
  sql: string
  /** What the number is, in a few words: `What customers paid, less what was given back`. */
  about: string
  /** Unit of the number: `EUR`. Default: not told. */
  unit?: string
}

/** A table, stored in each snapshot. */
export interface TableDefinition {
  /** Kind of relation: a table of the snapshot, as stored. */
  kind: 'table'
  /**
   * Name in FROM, and of the file in a package without its extension: a letter, then up to 62 of a-z, 0-9 and
   * _.
   */
  name: string
  /** What one row is. Agents, the query page and `catalogue.json` tell it; `projects/describe` does not. */
  about?: string
  /**
   * Columns in order, with their SQL types. Without them, the table keeps the columns and types of its file.
   */
  columns?: Readonly<Record<string, string>>
  /** What columns mean, by their name. */
  meanings: Readonly<Record<string, ColumnMeaning>>
  /** Columns that must not be NULL. */
  required: readonly string[]
  /** Columns that together identify a row: no two rows have the same values in all of them. */
  unique: readonly string[]
  /** Maps a column to the `table.column` that contains each of its values other than NULL. */
  references: Readonly<Record<string, string>>
  /**
   * Maps a column of numbers to the range, ends included, that contains each of its values other than NULL.
   */
  ranges: Readonly<Record<string, ValueRange>>
  /** Maps a column to the list that contains each of its values other than NULL. */
  values: Readonly<Record<string, readonly string[]>>
  /** Numbers that are computed from its rows, by their names. Told to callers; {@link measureOf} has their SQL. */
  measures: Readonly<Record<string, MeasureDefinition>>
  /**
   * Columns of which a broken reference, range or list of values is a warning: the table is sealed, and the
   * manifest has the warning.
   */
  warnings: readonly string[]
  /**
   * Columns that are declared with `lossy: true`: a value that their type holds only in part is a warning, and no
   * problem.
   */
  lossy: readonly string[]
  /** Whether a snapshot may lack the table, which is then empty. */
  optional: boolean
  /** How callers are limited to some of its rows. Without it, callers with row limits cannot read the table. */
  rowLimits?: TableRowLimits
}

/** A range of numbers, ends included. An end that is left out is open. */
export interface ValueRange {
  /** Smallest value. */
  least?: number
  /** Largest value. */
  most?: number
}

/** A relation computed from the snapshot. */
export interface FoldDefinition {
  /** Kind of relation: computed from the snapshot. */
  kind: 'fold'
  /** Name in FROM: a letter, then up to 62 of a-z, 0-9 and _. */
  name: string
  /** Tells callers what one row is. */
  about: string
  /** Columns that the SQL yields, in order, with their types. Without them, only a snapshot tells. */
  columns?: Readonly<Record<string, string>>
  /** What columns mean, by their name. */
  meanings: Readonly<Record<string, ColumnMeaning>>
  /** Columns that together identify a row. Told to callers; sealing does not enforce it. */
  unique: readonly string[]
  /** Maps a column to the `relation.column` to join it with. Told to callers; sealing does not enforce it. */
  references: Readonly<Record<string, string>>
  /** Maps a column to the list of its values other than NULL. Told to callers; sealing does not enforce it. */
  values: Readonly<Record<string, readonly string[]>>
  /** Numbers that are computed from its rows, by their names. Told to callers; {@link measureOf} has their SQL. */
  measures: Readonly<Record<string, MeasureDefinition>>
  /**
   * Tables, other folds and `point_of_view`, as far as the SQL names them; no other relation resolves in it.
   */
  reads: readonly string[]
  /**
   * One SELECT over `reads`. In a catalogue with a hierarchy, `point_of_view(entity_key, share)` gives the
   * shares, net or gross as the caller asks.
   */
  sql: string
  /** Whether only other folds, and not callers, can name it. */
  internal: boolean
  /**
   * `none`: it is computed from all rows, also for callers with row limits. Without it, it is computed from the rows that
   * the caller sees.
   */
  rowLimits?: 'none'
}

/** A relation of the catalogue. */
export type RelationDefinition = TableDefinition | FoldDefinition
