/** Bounds on what a statement may be made of; each keeps the engine's parser, binder and planner within reach. */
export const MAX_NODES = 20_000
export const MAX_DEPTH = 200
export const MAX_LAMBDA_DEPTH = 8
export const MAX_SUBQUERY_DEPTH = 8
export const MAX_TABLE_REFERENCES = 256
/** Nodes that aliases and macros add to a SELECT. */
export const MAX_COPIED_NODES = 5_000
export const MAX_NAME_LENGTH = 256
