import { createRequire } from 'node:module'
import type * as Api from '@duckdb/node-api'

// Required, not imported: an import scans each of its sixty CommonJS files for names first, which takes a third of the
// time in which a process starts.
const api = createRequire(import.meta.url)('@duckdb/node-api') as typeof Api

/** All of the database's API that is a value; a process that imports this has loaded the database. */
export const { DuckDBInstance, DuckDBTypeId } = api
export type {
  DuckDBConnection as Connection,
  DuckDBDataChunk as DataChunk,
  DuckDBInstance as Instance,
} from '@duckdb/node-api'
