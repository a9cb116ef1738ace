import type { ExportFormat } from '../model.js'
import type { ExportParams, QueryParams } from './params.js'

/** Method that runs a named query: `queries/revenue` runs the newest version, `queries/revenue@1` the version 1. */
export type QueryMethod = `queries/${string}`

/** What params of named queries have instead of a statement and its values. */
interface NamedValues {
  /**
   * Values of the parameters of the query, as rows have their types; a value may be `{ type, value }`, if the type is
   * the one that the query declares. Default: none, for queries whose parameters all have defaults.
   */
  parameters?: Readonly<Record<string, unknown>> | undefined
}

/** Params of a named query whose rows are read. */
export interface NamedQueryParams extends Omit<QueryParams, 'sql' | 'parameters' | 'dryRun'>, NamedValues {
  /** Only a call that exports has it. */
  format?: undefined
}

/** Params of a named query whose rows are written to a file. */
export interface NamedExportParams extends Omit<ExportParams, 'sql' | 'parameters'>, NamedValues {
  /** Format of the file. */
  format: ExportFormat
}
