/** The documents that describe the API, by their name below the version prefix. */
export function describeApi(baseUrl: string): ReadonlyMap<string, unknown> {
  const openapi = { openapi: '3.1.0', servers: [{ url: baseUrl }] }
  const openrpc = { openrpc: '1.3.2' }
  return new Map<string, unknown>([
    ['openapi.json', openapi],
    ['openrpc.json', openrpc],
    ['description.json', { openapi, openrpc }],
  ])
}
