import { createRequire } from 'node:module'
import type * as Api from '@duckdb/node-api'
import type {
  DuckDBConnection as Connection,
  DuckDBMaterializedResult as MaterializedResult,
} from '@duckdb/node-api'
import type Bindings from '@duckdb/node-bindings'
import type { Column } from '../../model.js'

// `require`, because `import` first scans each of the package's sixty CommonJS files for export names, which
// takes a third of a process's start-up time.
const require = createRequire(import.meta.url)

/** DuckDB's API; importing this module loads DuckDB into the process. */
export const api = require('@duckdb/node-api') as typeof Api

const accessors = require('@duckdb/node-api/lib/vectors/dataAccessors.js') as { textDecoder: object }
// The API's own decoder drops U+FEFF at the start of a value, so that two names, or two keys, would become one.
accessors.textDecoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The bindings below that API, which give access to the memory of vectors. */
export const bindings = require('@duckdb/node-bindings') as typeof Bindings
export type RawVector = Bindings.Vector

export const { ANY, DuckDBInstance, DuckDBLogicalType, DuckDBScalarFunction, DuckDBTypeId, VARCHAR } = api
export type {
  DuckDBDataChunk as DataChunk,
  DuckDBInstance as Instance,
  DuckDBPreparedStatement as Prepared,
  DuckDBResult as Result,
} from '@duckdb/node-api'
export type { Connection, MaterializedResult }

/** Columns of a table or query with their SQL types; `source` is the operand of DESCRIBE. */
export async function columnsOf(connection: Connection, source: string): Promise<Column[]> {
  return columnsTold(await connection.run(`DESCRIBE ${source}`))
}

/** Columns with their SQL types, as a DESCRIBE has told them. */
export async function columnsTold(described: MaterializedResult): Promise<Column[]> {
  const rows = await described.getRows()
  return rows.map(([name, type]) => ({ name: String(name), type: String(type) }))
}
