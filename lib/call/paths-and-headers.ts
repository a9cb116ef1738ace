/** Version of this library, as in its package.json. */
export const LIBRARY_VERSION = '0.1.0'

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
  catalogue: `/public/${VERSION}/catalogue.json`,
  queries: `/public/${VERSION}/queries/`,
  explore: '/explore',
  exploreAssets: '/explore/assets/',
} as const

/** WebSocket subprotocol of the API. */
export const SUBPROTOCOL = `foldgate.${VERSION}`

/** What precedes the key in the subprotocol of a client that cannot set headers. */
export const KEY_SUBPROTOCOL = 'bearer.'

/** The JSON-RPC method that returns the OpenRPC document. */
export const DISCOVER = 'rpc.discover'

/** Response header of REST with the names of the columns of a page without rows: a JSON array. */
export const COLUMNS_HEADER = 'foldgate-columns'

/** Response headers over HTTP with the id of the snapshot that a call has read, and when it was sealed. */
export const SNAPSHOT_HEADER = 'foldgate-snapshot'
export const SEALED_AT_HEADER = 'foldgate-sealed-at'

/** Response headers of a page as CSV: what JSON has beside the rows. */
export const NEXT_CURSOR_HEADER = 'foldgate-next-cursor'
export const WARNINGS_HEADER = 'foldgate-warnings'
