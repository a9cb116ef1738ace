import type { NamedExportParams, NamedQueryParams, QueryMethod } from '../call/named-query-params.js'
import type { ProjectExport, Row } from '../model.js'
import type { Answered, RowsAnswer } from './answered.js'
import type { CallOptions, Ownership, ParamsFor, RowsOptions } from './call-options.js'
import { eachRow } from './iterate.js'

/**
 * Calls of the queries that the service defines, by name: `revenue` for the newest version, `revenue@1` for the version
 * 1, whose parameters and columns stay as they are. Of a query that the service does not have, or of a version that was
 * removed, the failure is NOT_FOUND; its message names the version to call instead. They throw as other calls of a client
 * do, and a TypeError for what is no name.
 */
export interface NamedQueries<Tree extends Ownership> {
  /** Runs a named query and returns a page of its rows, with the names of its columns. */
  run<R = Row>(
    query: string,
    params: ParamsFor<Tree, NamedQueryParams>,
    options?: CallOptions,
  ): Promise<Answered<RowsAnswer<R>>>
  /** Iterates over all rows of a named query, as `rows()` does over those of a statement. */
  runRows<R = Row>(
    query: string,
    params: ParamsFor<Tree, NamedQueryParams>,
    options?: RowsOptions,
  ): AsyncGenerator<R, void, undefined>
  /** Exports all rows of a named query to a file, by default Parquet, and returns its link. */
  runExport(
    query: string,
    params: ParamsFor<Tree, Omit<NamedExportParams, 'format'> & Partial<Pick<NamedExportParams, 'format'>>>,
    options?: CallOptions,
  ): Promise<Answered<ProjectExport>>
}

/** How a client calls methods. */
interface QueryCalls {
  page<R>(method: QueryMethod, params: object, given?: CallOptions): Promise<Answered<RowsAnswer<R>>>
  answered(method: QueryMethod, params: object, given?: CallOptions): Promise<unknown>
}

/** The calls of named queries. */
export function namedQueries({ page, answered }: QueryCalls): NamedQueries<'tree'> {
  return {
    async run(query, params, given) {
      if ('format' in params) throw new TypeError('run() returns rows: for a file, call runExport()')
      return page(methodOf(query), params, given)
    },
    runRows: <R = Row>(query: string, params: NamedQueryParams, given: RowsOptions = {}) =>
      eachRow(
        at => page<R>(methodOf(query), { ...params, page: at }, { signal: given.signal }),
        params.page,
        given,
      ),
    runExport: async (query, { format = 'parquet', ...params }, given) =>
      (await answered(methodOf(query), { ...params, format }, given)) as Answered<ProjectExport>,
  }
}

/** The method of a query. Over REST the name is part of a path, so that nothing else may be in it. */
function methodOf(query: string): QueryMethod {
  if (/^[a-z0-9_]+(@\d+)?$/.test(query)) return `queries/${query}`
  throw new TypeError('a named query is called by its name, or by name@version')
}
