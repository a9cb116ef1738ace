import type { NamedExportParams, NamedQueryParams, QueryMethod } from '../call/named-query-params.js'
import type { MethodTypes } from '../call/params.js'
import type { CallAnswer, MethodName, ProjectExport, RowPage } from '../model.js'

/** Options of one call. */
export interface CallOptions {
  /**
   * Value of an `Authorization` header: `Bearer <key>`. Without a valid key, the call fails with
   * UNAUTHENTICATED.
   */
  authorization?: string | null
  /** Cancels the call when it is aborted. Default: the call is not cancelled. */
  signal?: AbortSignal
}

/** Calls in the process. */
export interface InProcess {
  /**
   * Calls a method in the process. Like a call over HTTP, it needs a key and takes one unit of the key's
   * quota. Returns the result, with warnings if there are any. Throws an `AnalyticsError` when the call
   * fails.
   */
  call<Name extends MethodName>(
    method: Name,
    params: MethodTypes[Name]['params'],
    options?: CallOptions,
  ): Promise<CallAnswer<MethodTypes[Name]['result']>>
  /** Runs a query of the catalogue by its name, and writes its rows to a file. Throws as other calls do. */
  call(
    method: QueryMethod,
    params: NamedExportParams,
    options?: CallOptions,
  ): Promise<CallAnswer<ProjectExport>>
  /** Runs a query of the catalogue by its name, and returns a page of its rows. Throws as other calls do. */
  call(method: QueryMethod, params: NamedQueryParams, options?: CallOptions): Promise<CallAnswer<RowPage>>
}
