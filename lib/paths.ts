/** Version of the API, which is part of every path. */
export const VERSION = 'v1'

/** Where everything is found, from the origin of the service on. */
export const PATHS = {
  api: `/public/${VERSION}/api/`,
  rpc: `/public/${VERSION}/json-rpc`,
  socket: `/public/${VERSION}/ws`,
  mcp: `/public/${VERSION}/mcp`,
  exports: `/public/${VERSION}/exports/`,
  documents: `/public/${VERSION}/`,
} as const

/** The JSON-RPC method that answers the OpenRPC document. */
export const DISCOVER = 'rpc.discover'
