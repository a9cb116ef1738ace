/** What the values of a column are, as text that the type of the column reads. */
export interface ColumnStatistics {
  /** Number of NULLs. */
  nulls: number
  /** Number of values besides NULL; there are at least so many where they are not listed. */
  distinct: number
  /** The values besides NULL, in the order of their texts, where there are few and they are short. */
  values?: string[]
  /** The smallest number, date or time; absent for other types, and without any. */
  min?: string
  /** The largest one. */
  max?: string
  /** Of a column with units: columns with few values, each of which has rows of one unit alone; absent when nobody has looked. */
  determinedBy?: string[]
}

/** What the values of a relation are. */
export interface TableStatistics {
  /** Number of rows. */
  rows: number
  /** Each column, in order; null for nested and binary types. */
  columns: (ColumnStatistics | null)[]
}

/** Most distinct values of a column that are told. */
export const MOST_VALUES = 50

/** What the values of a table are to which rows were added, given what those of either part are. */
export function withAdded(
  before: TableStatistics,
  added: TableStatistics,
  columns: readonly { type: string }[],
): TableStatistics {
  return {
    rows: before.rows + added.rows,
    columns: columns.map(({ type }, at) => {
      const [one, other] = [before.columns[at], added.columns[at]]
      return one && other ? together(one, other, type) : null
    }),
  }
}

function together(one: ColumnStatistics, other: ColumnStatistics, type: string): ColumnStatistics {
  const values = one.values && other.values && [...new Set([...one.values, ...other.values])].sort()
  const few = values && values.length <= MOST_VALUES ? values : undefined
  const isBounded = [one, other].every(({ min, distinct }) => min !== undefined || distinct === 0)
  const ends = isBounded ? [one.min, one.max, other.min, other.max].filter(each => each !== undefined) : []
  ends.sort((a, b) => compareValues(a, b, type))
  const [min, max] = [ends[0], ends.at(-1)]
  return {
    nulls: one.nulls + other.nulls,
    distinct: values?.length ?? Math.max(one.distinct, other.distinct),
    ...(few ? { values: few } : {}),
    ...(min !== undefined && max !== undefined ? { min, max } : {}),
  }
}

/** Whether the values of a type are numbers. */
export function isNumeric(type: string): boolean {
  return /INT|DOUBLE|FLOAT|DECIMAL/.test(type)
}

/** Compares two numbers, dates or times as texts of their type. */
export function compareValues(one: string, other: string, type: string): number {
  if (/INT/.test(type)) return Number(BigInt(one) - BigInt(other))
  if (isNumeric(type)) return Number(one) - Number(other)
  return one < other ? -1 : Number(one > other)
}
