import type {
  ExportFormat,
  OwnershipView,
  Page,
  ProjectDescription,
  ProjectExport,
  ProjectSummary,
  Row,
} from '../model.js'

/** Which page to return. */
export interface PageParams {
  /** Maximum number of items on the page, 1 to 500. Default: 100. */
  limit?: number | undefined
  /** The `nextCursor` of the previous page. Default: the first page. */
  cursor?: string | null | undefined
}

/** Params of `projects/list`. */
export interface ListParams {
  /** Which page of the projects to return. Default: the first 100. */
  page?: PageParams | undefined
}

/** Params of `projects/describe`. */
export interface DescribeParams {
  /** UUID of the project. */
  projectId: string
  /** Relation whose columns are returned. Default: no columns are returned. */
  relation?: string | null | undefined
}

/** Params of `projects/query`: a statement, its point of view, and a page of its rows. */
export interface QueryParams {
  /** UUID of the project. */
  projectId: string
  /** UUID of the entity whose subtree is read. Default: the whole project. */
  entityId?: string | null | undefined
  /** How ownership counts. Default: `net`. */
  ownershipView?: OwnershipView | undefined
  /** One SELECT over the relations that `projects/describe` lists. */
  sql: string
  /** Which page of the rows to return. Default: the first 100 rows. */
  page?: PageParams | undefined
}

/** Params of `projects/export`: a statement, its point of view, and the format of the file. */
export interface ExportParams extends Omit<QueryParams, 'page'> {
  /** Format of the file. Default: `parquet`. */
  format?: ExportFormat | undefined
  /**
   * What becomes of texts in a CSV file that spreadsheets would run as formulas. `keep` (default): nothing; `escape`: an
   * apostrophe is put before each formula, also behind `;`, tabs, line breaks and characters that are not seen. Files of
   * other formats hold no formulas.
   */
  csvInjection?: 'keep' | 'escape' | undefined
}

/** Params and result of each method. */
export interface MethodTypes {
  /** A page of the projects that the key can read. */
  'projects/list': { params: ListParams; result: Page<ProjectSummary> }
  /** The relations of a project, and the columns of one of them. */
  'projects/describe': { params: DescribeParams; result: ProjectDescription }
  /** A page of rows. */
  'projects/query': { params: QueryParams; result: Page<Row> }
  /** A file behind an expiring link. */
  'projects/export': { params: ExportParams; result: ProjectExport }
}

/** Name of a method. */
export type MethodName = keyof MethodTypes
