import type { Column } from '../../model.js'
import {
  type ColumnStatistics,
  compareValues,
  MOST_VALUES,
  type TableStatistics,
} from '../../snapshots/statistics.js'
import { identifier, literal } from '../../values/quote.js'
import type { Connection } from './duckdb.js'

/** Types with an order that the smallest and the largest value tell. */
const ORDERED =
  /^(?:U?(?:TINY|SMALL|BIG)?INT|U?INTEGER|DOUBLE|FLOAT|DECIMAL\(\d+,\d+\)|DATE|TIME|TIMESTAMP(?:_\w+| WITH TIME ZONE)?)$/
/** Other types whose values are told. */
const LISTED = /^(?:VARCHAR|BOOLEAN|UUID|ENUM\(.*\))$/s
/** Most characters of a value that is told, and of all those of a column. */
const [MOST_CHARACTERS, MOST_IN_ALL] = [100, 2_000]
/** So many rows are counted exactly; of more in a build, so many are looked at first. */
const FEW_ROWS = 10_000
/** Values that no dictionary holds are read where they are this small together, since more would have to be held at once. */
const FEW_BYTES = 2 ** 20

/** Statistics of a column before its values are read. */
interface Known extends Pick<ColumnStatistics, 'nulls' | 'min' | 'max'> {
  /** How many values it has besides NULL, or at least has. */
  distinct: number
}

/**
 * What the values of a relation are. Columns with many values are counted in a part of the rows of a large one, so that the
 * time stays a small part of that of a build.
 */
export async function statisticsOf(
  connection: Connection,
  from: string,
  columns: readonly Column[],
  units: readonly string[] = [],
): Promise<TableStatistics> {
  const told = columns.filter(isTold)
  const bounds = told.flatMap(boundsOf)
  const [row = []] = await rowsOf(connection, `SELECT ${['count(*)', ...bounds].join(', ')} FROM ${from}`)
  const rows = Number(row[0])
  const isLarge = rows > FEW_ROWS
  const counts = await distinctIn(connection, isLarge ? firstOf(from) : from, told, exactly)
  // Later rows may have many other values, which are counted before they are read.
  const few = told.filter(({ name, type }) => type !== 'BOOLEAN' && (counts.get(name) ?? 0) <= MOST_VALUES)
  const all = isLarge ? await distinctIn(connection, from, few, nearly) : []
  for (const [name, count] of all) if (count > 2 * MOST_VALUES) counts.set(name, MOST_VALUES + 1)
  const known = new Map<string, Known>()
  for (const [at, { name }] of told.entries()) {
    const [present, min, max] = row.slice(1 + 3 * at, 4 + 3 * at)
    known.set(name, { nulls: rows - Number(present), distinct: counts.get(name) ?? 0, ...between(min, max) })
  }
  return { rows, columns: await withValues(connection, from, columns, known, units) }
}

/**
 * The same of rows in Parquet files that the engine has written. Their footers tell the smallest and largest values, NULLs,
 * and how many values the dictionary of each group of rows has, so that only columns with few values are read.
 */
export async function statisticsOfFiles(
  connection: Connection,
  { paths, rows }: { paths: readonly string[]; rows: number },
  columns: readonly Column[],
  units: readonly string[] = [],
): Promise<TableStatistics> {
  if (paths.length === 0) return { rows, columns: columns.map(() => null) }
  const files = `[${paths.map(literal).join(', ')}]`
  const from = `read_parquet(${files}, hive_partitioning = false)`
  if (rows <= FEW_ROWS) return statisticsOf(connection, from, columns, units)
  const told = columns.filter(isTold)
  const known = await footersOf(connection, files, told)
  return { rows, columns: await withValues(connection, from, columns, known, units) }
}

/**
 * What footers tell of columns. A group of rows has no dictionary if it has only NULLs, or so many values that one would save
 * nothing, and never for some types.
 */
async function footersOf(
  connection: Connection,
  files: string,
  columns: readonly Column[],
): Promise<Map<string, Known>> {
  const groups = await rowsOf(
    connection,
    `SELECT path_in_schema, stats_null_count, stats_distinct_count, stats_min_value, stats_max_value, num_values,
            total_uncompressed_size
     FROM parquet_metadata(${files})`,
  )
  const known = new Map<string, Known>()
  for (const { name, type } of columns) {
    const own = groups.filter(([path]) => path === name)
    if (own.length === 0 || own.some(([, nulls]) => nulls === null)) continue
    const nulls = own.reduce((sum, each) => sum + Number(each[1]), 0)
    const counts = own.map(each => Number(each[2] ?? 0))
    const uncounted = own.filter((each, at) => counts[at] === 0 && Number(each[1]) < Number(each[5]))
    const bytes = uncounted.reduce((sum, each) => sum + Number(each[6]), 0)
    if (type !== 'BOOLEAN' && bytes > FEW_BYTES) counts.push(MOST_VALUES + 1)
    // A group with values that are no number, or infinite, has no ends.
    const isBounded = own.every(
      ([, empty, , , max, values]) => max !== null || Number(empty) === Number(values),
    )
    const ends = ORDERED.test(type) && isBounded ? own.flatMap(each => each.slice(3, 5)).filter(isText) : []
    ends.sort((one, other) => compareValues(one, other, type))
    known.set(name, { nulls, distinct: Math.max(...counts), ...between(ends[0], ends.at(-1)) })
  }
  return known
}

/** Number of values of each of these columns, by name. */
async function distinctIn(
  connection: Connection,
  from: string,
  columns: readonly Column[],
  count: (column: Column) => string,
): Promise<Map<string, number>> {
  if (columns.length === 0) return new Map()
  const [row = []] = await rowsOf(connection, `SELECT ${columns.map(count).join(', ')} FROM ${from}`)
  return new Map(columns.map(({ name }, at) => [name, Number(row[at])]))
}

/** Texts are counted by their hashes, so that long ones need no memory. */
const exactly = ({ name, type }: Column) => {
  const column = identifier(name)
  return type === 'VARCHAR'
    ? `count(DISTINCT hash(${column})) FILTER (WHERE ${column} IS NOT NULL)`
    : `count(DISTINCT ${column})`
}
/** Within half of it, in a fixed amount of memory. */
const nearly = ({ name }: Column) => `approx_count_distinct(${identifier(name)})`

/** Reads the values of the columns that have few of them, and makes one list of all, in the order of the columns. */
async function withValues(
  connection: Connection,
  from: string,
  columns: readonly Column[],
  known: ReadonlyMap<string, Known>,
  units: readonly string[],
): Promise<(ColumnStatistics | null)[]> {
  const all: (ColumnStatistics | null)[] = []
  for (const { name } of columns) {
    const found = known.get(name)
    if (!found || found.distinct > MOST_VALUES) {
      all.push(found ?? null)
      continue
    }
    const value = identifier(name)
    const read = await rowsOf(
      connection,
      `SELECT CAST(${value} AS VARCHAR) FROM (SELECT DISTINCT ${value} FROM ${from}) WHERE ${value} IS NOT NULL LIMIT ${MOST_VALUES + 1}`,
    )
    const values = [...new Set(read.map(([each]) => String(each)))].sort()
    const isLong =
      values.some(({ length }) => length > MOST_CHARACTERS) || values.join('').length > MOST_IN_ALL
    const isWhole = values.length <= MOST_VALUES && !isLong
    all.push({ ...found, distinct: values.length, ...(isWhole ? { values } : {}) })
  }
  for (const [at, { name }] of columns.entries()) {
    const own = all[at]
    if (!own || !units.includes(name) || own.distinct < 2) continue
    const others = columns.filter((_, index) => index !== at && (all[index]?.values?.length ?? 0) > 1)
    own.determinedBy = await determining(connection, from, name, others)
  }
  return all
}

/** The columns each of whose values comes with one value of another column alone. */
async function determining(
  connection: Connection,
  from: string,
  unit: string,
  others: readonly Column[],
): Promise<string[]> {
  const found: string[] = []
  for (const { name } of others) {
    const several = `SELECT 1 FROM ${from} GROUP BY ${identifier(name)} HAVING count(DISTINCT ${identifier(unit)}) > 1 LIMIT 1`
    if ((await rowsOf(connection, several)).length === 0) found.push(name)
  }
  return found
}

const isTold = ({ type }: Column) => ORDERED.test(type) || LISTED.test(type)

const firstOf = (from: string) => `(SELECT * FROM ${from} LIMIT ${FEW_ROWS})`

function boundsOf({ name, type }: Column): string[] {
  const column = identifier(name)
  const ends = ['min', 'max'].map(end => (ORDERED.test(type) ? `CAST(${end}(${column}) AS VARCHAR)` : 'NULL'))
  return [`count(${column})`, ...ends]
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** The ends of the values, unless their texts cannot be compared, such as those of years with five digits. */
const between = (min: unknown, max: unknown) =>
  isText(min) && isText(max) && [min, max].every(end => !/^[+-]?\d{5,}-|BC|inf|nan/i.test(end))
    ? { min, max }
    : {}

async function rowsOf(connection: Connection, sql: string): Promise<unknown[][]> {
  return (await connection.runAndReadAll(sql)).getRows()
}
