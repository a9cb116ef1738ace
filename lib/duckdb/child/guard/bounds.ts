/** Bounds on a statement's tree; each limits the work of the engine's parser, binder and planner. */
export const MAX_NODES = 20_000
export const MAX_DEPTH = 200
export const MAX_LAMBDA_DEPTH = 8
export const MAX_SUBQUERY_DEPTH = 8
export const MAX_TABLE_REFERENCES = 256
/** Nodes that expanding aliases and macros may add to one SELECT. */
export const MAX_COPIED_NODES = 5_000
export const MAX_NAME_LENGTH = 256
/** Grouping sets that CUBE, ROLLUP and GROUPING SETS may make in a statement, counted before it is parsed. */
export const MAX_GROUPING_SETS = 512
/** Columns that a PIVOT may make, and times that a statement may name all columns. */
export const MAX_PIVOTED = 1_000
export const MAX_STARS = 100
