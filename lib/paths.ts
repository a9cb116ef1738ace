/** Version of the API; part of every path. */
export const VERSION = 'v1'

/** Paths of the API, relative to where it is mounted. */
export const PATHS = {
  api: `/public/${VERSION}/api/`,
  rpc: `/public/${VERSION}/json-rpc`,
  socket: `/public/${VERSION}/ws`,
  mcp: `/public/${VERSION}/mcp`,
  exports: `/public/${VERSION}/exports/`,
  documents: `/public/${VERSION}/`,
} as const

/** The JSON-RPC method that returns the OpenRPC document. */
export const DISCOVER = 'rpc.discover'

/** Response header of REST with the names of the columns of a page without rows: a JSON array. */
export const COLUMNS_HEADER = 'foldgate-columns'
