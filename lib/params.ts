import type { OwnershipView, Page, ProjectDescription, ProjectExport, ProjectSummary, Row } from './model.js'

/** Which page is wanted. */
export interface PageParams {
  /** The most items that the page may have, 1 to 500. Default: 100. */
  limit?: number | undefined
  /** The `nextCursor` of the page before; none for the first page. */
  cursor?: string | null | undefined
}

/** Params of `projects/list`. */
export interface ListParams {
  /** Default: the first 100. */
  page?: PageParams | undefined
}

/** Params of `projects/describe`. */
export interface DescribeParams {
  /** UUID of the project. */
  projectId: string
  /** The relation whose columns are wanted. */
  relation?: string | null | undefined
}

/** A statement and where it looks from: the params of `projects/export`. */
export interface ExportParams {
  /** UUID of the project. */
  projectId: string
  /** UUID of the entity whose subtree is read. Default: the whole project. */
  entityId?: string | null | undefined
  /** How ownership counts. Default: `net`. */
  ownershipView?: OwnershipView | undefined
  /** One SELECT over the relations of `projects/describe`. */
  sql: string
}

/** Params of `projects/query`. */
export interface QueryParams extends ExportParams {
  /** Default: the first 100 rows. */
  page?: PageParams | undefined
}

/** Params and result of each method. */
export interface MethodTypes {
  /** A page of the projects that the key can read. */
  'projects/list': { params: ListParams; result: Page<ProjectSummary> }
  /** The relations of a project, and the columns of one of them. */
  'projects/describe': { params: DescribeParams; result: ProjectDescription }
  /** A page of rows. */
  'projects/query': { params: QueryParams; result: Page<Row> }
  /** A Parquet file behind an expiring link. */
  'projects/export': { params: ExportParams; result: ProjectExport }
}

/** Name of a method. */
export type MethodName = keyof MethodTypes
