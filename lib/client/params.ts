import type { OwnershipView } from '../model.js'

/** Which page is wanted. */
export interface PageParams {
  /** The most items that the page may have, 1 to 500. */
  limit?: number | undefined
  /** The `nextCursor` of the page before; none for the first page. */
  cursor?: string | null | undefined
}

/** Params of `projects/list`. */
export interface ListParams {
  page?: PageParams | undefined
}

/** Params of `projects/describe`. */
export interface DescribeParams {
  projectId: string
  /** The relation whose columns are wanted. */
  relation?: string | null | undefined
}

/** A statement and where it looks from: the params of `projects/export`. */
export interface ExportParams {
  projectId: string
  /** Entity whose subtree is read. Default: the whole project. */
  entityId?: string | null | undefined
  /** Default: `net`. */
  ownershipView?: OwnershipView | undefined
  /** One SELECT over the relations of `projects/describe`. */
  sql: string
}

/** Params of `projects/query`. */
export interface QueryParams extends ExportParams {
  page?: PageParams | undefined
}
