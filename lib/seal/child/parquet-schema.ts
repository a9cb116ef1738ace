import type { Connection } from '../../duckdb/child/duckdb.js'
import { fileLiteral } from '../../values/quote.js'
import { textRows } from './select.js'

/** A column of a Parquet file, or a part of one. */
interface SchemaNode {
  name: string
  /** Names from the column to this part. */
  path: string
  physical: string | null
  /** The logical type, or else the older name of it; null when there is none. */
  logical: string | null
  precision: number
}

/** Logical types whose values the engine reads as they are. */
const READ = [
  /^(UTF8|StringType\b.*|ENUM|EnumType\b.*)$/,
  /^(U?INT_(8|16|32|64)|IntType\b.*)$/,
  /^(DATE|DateType\b.*)$/,
  /^(TIME|TIMESTAMP)_(MILLIS|MICROS)$/,
  /^(JSON|JsonType\b.*|UUIDType\b.*|UUID|INTERVAL)$/,
  /^(LIST|ListType\b.*|MAP|MapType\b.*|MAP_KEY_VALUE)$/,
  /^(Float16Type\b.*|NullType\b.*|UNKNOWN)$/,
]

/**
 * Finds the first column of a Parquet file of which the engine would read other values than it has, and those whose names
 * differ in case alone. Reads the footer, and no page.
 */
export async function refusedSchema(
  connection: Connection,
  path: string,
): Promise<{ column: string; problem: string } | null> {
  const nodes = await nodesOf(connection, path)
  const seen = new Map<string, string>()
  for (const { name, path } of nodes) {
    const other = seen.get(path.toLowerCase())
    if (other !== undefined && name !== '')
      return { column: path, problem: `two columns have the name ${JSON.stringify(other)}: rename one` }
    seen.set(path.toLowerCase(), path)
  }
  for (const node of nodes) {
    const instead = insteadOf(node)
    if (instead === null) continue
    const type = node.physical === 'INT96' ? 'INT96' : (node.logical ?? '')
    const problem = `it is of the Parquet type ${titleOf(type)}, which is not stored as it is: ${instead}`
    return { column: node.path, problem }
  }
  return null
}

/** What to write instead of a type; null when its values are read as they are. */
function insteadOf({ physical, logical, precision }: SchemaNode): string | null {
  // The engine drops what is below a microsecond.
  if (physical === 'INT96') return 'write it as a TIMESTAMP in microseconds'
  if (logical === null) return null
  if (/^decimal/i.test(logical)) return precision <= 38 ? null : 'write it as a DECIMAL of at most 38 digits'
  const [, kind, isUtc, unit] =
    /^(Time|Timestamp)Type\(isAdjustedToUTC=(\d).*?(MILLIS|MICROS|NANOS)=\w+Seconds/.exec(logical) ?? []
  if (kind === 'Timestamp')
    return unit === 'NANOS' && isUtc !== '0' ? 'write it as a TIMESTAMP in microseconds' : null
  if (kind === 'Time') return unit === 'NANOS' ? 'write it as a TIME in microseconds' : null
  return READ.some(each => each.test(logical)) ? null : 'write it as a string'
}

/** A logical type without what is not set of it. */
function titleOf(type: string): string {
  const unit = /(MILLIS|MICROS|NANOS)=\w+Seconds/.exec(type)?.[1]
  const zone = /isAdjustedToUTC=(\d)/.exec(type)?.[1] === '1' ? ', UTC' : ''
  if (unit) return `${type.startsWith('TimeType') ? 'TIME' : 'TIMESTAMP'}(${unit}${zone})`
  const [, scale, precision] = /^DecimalType\(scale=(\d+), precision=(\d+)\)/.exec(type) ?? []
  if (precision) return `DECIMAL(${precision},${scale})`
  return /^\w{1,40}/.exec(type)?.[0] ?? 'of another kind'
}

/** All columns and their parts; the schema lists each before its own parts. */
async function nodesOf(connection: Connection, path: string): Promise<SchemaNode[]> {
  const rows = await textRows(
    connection,
    `SELECT name, type, num_children, coalesce(logical_type, converted_type), coalesce(precision, 0)
     FROM parquet_schema(${fileLiteral(path)})`,
  )
  const nodes: SchemaNode[] = []
  const open: { path: string | null; left: number }[] = []
  for (const [name, physical = null, children, logical = null, precision] of rows) {
    while (open.at(-1)?.left === 0) open.pop()
    const parent = open.at(-1)
    if (parent) {
      parent.left -= 1
      const at = parent.path === null ? `${name}` : `${parent.path}.${name}`
      nodes.push({ name: `${name}`, path: at, physical, logical, precision: Number(precision) })
    }
    open.push({ path: parent ? (nodes.at(-1)?.path ?? null) : null, left: Number(children ?? 0) })
  }
  return nodes
}
