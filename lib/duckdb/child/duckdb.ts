import { createRequire } from 'node:module'
import type * as Api from '@duckdb/node-api'

// `require`, because `import` first scans each of the package's sixty CommonJS files for export names, which takes a
// third of a process's start-up time.
const api = createRequire(import.meta.url)('@duckdb/node-api') as typeof Api

/** The values of DuckDB's API that are used here; importing this module loads DuckDB into the process. */
export const { DuckDBInstance, DuckDBTypeId } = api
export type {
  DuckDBConnection as Connection,
  DuckDBDataChunk as DataChunk,
  DuckDBInstance as Instance,
} from '@duckdb/node-api'
